"""The script of every token: Latin, Han, Cyrillic … by Unicode's own table.

A token's script is the one most of its characters have, those that all scripts share (digits, punctuation, spaces)
left out; a token of such characters alone is Common. A whole vocabulary is done at once in arrays.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from armillary.errors import MissingExtra
from armillary.shapes import Int64
from armillary.table import Kind, Vocabulary

SHARED = ("Zyyy", "Zinh", "Zzzz")  # Common, Inherited, Unknown


def scripts(vocabulary: Vocabulary) -> np.ndarray:
    """Script name of every token (V, object array of str): `Latin`, `Han`, …, `Common`; `Unknown` where a token's
    bytes are no text (half a character, a byte token, a padded row)."""
    names, code_of = script_codes(vocabulary)
    return np.array(names, dtype=object)[code_of]


def script_codes(vocabulary: Vocabulary) -> tuple[list[str], Int64[np.ndarray, "V"]]:
    """Names of the scripts found, and the index of each token's."""
    unicode_names, starts, values = _ranges()
    lengths, characters = _characters(vocabulary)
    owner = np.repeat(np.arange(len(lengths)), lengths)
    code = values[np.searchsorted(starts, characters, side="right") - 1]
    shared = np.array([name in ("Common", "Inherited", "Unknown") for name in unicode_names])
    found = _majority(owner, code, ~shared[code], len(lengths), len(unicode_names))
    common, unknown = unicode_names.index("Common"), unicode_names.index("Unknown")
    found[found < 0] = common
    found[(lengths == 0) | (vocabulary.kinds == Kind.NO_TOKEN)] = unknown
    present, renamed = np.unique(found, return_inverse=True)
    return [unicode_names[p] for p in present.tolist()], renamed.astype(np.int64)


def _majority(owner: np.ndarray, code: np.ndarray, counted: np.ndarray, tokens: int, scripts: int) -> np.ndarray:
    """The most frequent counted code of each token, ties to the lower code; −1 where none is counted."""
    pairs, counts = np.unique(owner[counted] * scripts + code[counted], return_counts=True)
    order = np.lexsort((pairs, -counts, pairs // scripts))
    tokens_of = pairs[order] // scripts
    first = np.flatnonzero(np.diff(tokens_of, prepend=-1))
    found = np.full(tokens, -1, np.int64)
    found[tokens_of[first]] = pairs[order][first] % scripts
    return found


def _characters(vocabulary: Vocabulary) -> tuple[np.ndarray, np.ndarray]:
    """Number of characters of each token, and the code points of all, one after the other."""
    texts = [_text(raw) for raw in vocabulary.raw]
    joined = "".join(texts).encode("utf-32-le", "surrogatepass")
    return np.fromiter(map(len, texts), np.int64, len(texts)), np.frombuffer(joined, np.uint32)


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return ""


@cache
def _ranges() -> tuple[list[str], np.ndarray, np.ndarray]:
    try:
        from fontTools.unicodedata import Scripts, script_name
    except ImportError as error:
        raise MissingExtra("The script of a token", "words") from error
    codes = sorted(set(Scripts.VALUES) | set(SHARED))
    index = {code: i for i, code in enumerate(codes)}
    values = np.array([index[v] for v in Scripts.VALUES], np.int64)
    return [script_name(code) for code in codes], np.array(Scripts.RANGES, np.uint32), values


def script_of(raw: bytes) -> str:
    """The script of one token's bytes; empty where the Unicode table is not installed."""
    try:
        return str(scripts(Vocabulary.of_words([raw]))[0])
    except MissingExtra:
        return ""
