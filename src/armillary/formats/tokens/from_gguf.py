"""The vocabulary inside a GGUF file: tokens, types and scores, and the tokenizer its model name calls for.

`tokenizer.ggml.model` is `gpt2` (byte-level BPE), `llama` (sentencepiece BPE), `gemma4` (BPE with merges over marked
spaces), `t5` (unigram) or `bert` (WordPiece); any other keeps look-up by text and refuses to encode, by name. Whether `<0x0A>` is a byte is for the token's type
to say; runs of spaces are stored as they are; padding that a converter invented is no token.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from armillary.errors import UnreadableError
from armillary.formats.tokens.bytelevel import PRE_TOKENIZERS, byte_level_tokenizer
from armillary.formats.tokens.library import LibraryTokenizer, Spelled
from armillary.formats.tokens.marked import MARKED, marked_tokenizer
from armillary.formats.tokens.sentencepiece import SentencePieceBPE
from armillary.formats.tokens.spelling import SPACE_MARK, byte_level, byte_of, kind_by_name, plain, wordpiece
from armillary.formats.tokens.tokenlist import TokenList
from armillary.formats.tokens.unigram import unigram_tokenizer
from armillary.formats.tokens.wordpiece import looks_lowercase, wordpiece_tokenizer
from armillary.shapes import Float32, UInt8
from armillary.table import Kind, Tokenizer

_PREFIX = "tokenizer.ggml."
_KINDS = {
    1: Kind.NORMAL,
    2: Kind.CONTROL,  # the unknown token
    3: Kind.CONTROL,
    4: Kind.USER_DEFINED,
    5: Kind.UNUSED,
    6: Kind.BYTE,
}
_UNUSED_TYPE = 5
_WITH_MARKS = ("llama", "t5", MARKED)  # spaces are written ▁
_BERT_MARK = "▁"


def tokens_of_gguf(keys: Mapping[str, Any]) -> TokenList | None:
    """The token list that the keys of a GGUF file hold, None where they hold none.

    UnreadableError where the columns do not fit one another.
    """
    if _PREFIX + "tokens" not in keys:
        return None
    stored = list(_strings(keys[_PREFIX + "tokens"], "tokens"))
    model = str(keys.get(_PREFIX + "model", ""))
    names = [name.decode("utf-8", "surrogateescape") for name in stored]
    types = _column(keys, "token_type", len(names))
    kinds = _kinds(names, types)
    if model == "bert":
        names = _wordpiece_names(names, kinds)
    raw = [name.replace(SPACE_MARK, b" ") for name in stored] if model in _WITH_MARKS else _spelled(names, model)
    _mend(raw, names, kinds)
    scores = _column(keys, "scores", len(names))
    scores = None if scores is None else scores.astype(np.float32)
    tokenizer, refusal = _tokenizer(model, keys, names, kinds, raw, scores)
    return TokenList(raw, names, kinds, None, scores, tokenizer, refusal)


def _spelled(names: Sequence[str], model: str) -> list[bytes]:
    spell = {"gpt2": byte_level, "bert": wordpiece}.get(model, plain)
    return [spell(name) for name in names]


def _strings(value: Any, key: str) -> Sequence[bytes]:
    listed = isinstance(value, Sequence) and not isinstance(value, str)
    if not listed or not all(isinstance(first, bytes) for first in value[:1]):
        raise UnreadableError(
            f"expected strings in {_PREFIX}{key}, found {type(value).__name__}", "the file is damaged"
        )
    return value


def _column(keys: Mapping[str, Any], key: str, count: int) -> np.ndarray | None:
    values = keys.get(_PREFIX + key)
    if values is None:
        return None
    if not isinstance(values, np.ndarray) or len(values) != count:
        found = f"{len(values):,}" if isinstance(values, Sequence | np.ndarray) else type(values).__name__
        raise UnreadableError(
            f"expected {count:,} numbers in {_PREFIX}{key}, one a token, found {found}", "the file is damaged"
        )
    return values


def _kinds(names: Sequence[str], types: np.ndarray | None) -> UInt8[np.ndarray, "n"]:
    """Kinds from types, except where the name says unused, no byte, or a row that a converter padded."""
    codes = np.ones(len(names), np.int64) if types is None else types.astype(np.int64)
    kinds = np.zeros(len(names), np.uint8)
    for code, kind in _KINDS.items():
        kinds[codes == code] = kind
    for i in [i for i, name in enumerate(names) if name.startswith(("<", "["))]:
        padded = codes[i] == _UNUSED_TYPE and names[i] == f"[PAD{i}]"
        kinds[i] = Kind.NO_TOKEN if padded else kind_by_name(names[i], Kind(int(kinds[i])))
    for i in np.flatnonzero(kinds == Kind.BYTE).tolist():
        if byte_of(names[i]) is None:
            kinds[i] = Kind.NORMAL
    return kinds


def _mend(raw: list[bytes], names: Sequence[str], kinds: UInt8[np.ndarray, "n"]) -> None:
    """Bytes of the tokens that their vocabulary does not spell in its own way."""
    for i in np.flatnonzero(kinds != Kind.NORMAL).tolist():  # added tokens are plain text
        raw[i] = plain(names[i])
    for i in np.flatnonzero(kinds == Kind.BYTE).tolist():
        raw[i] = byte_of(names[i]) or b""
    for i in np.flatnonzero(kinds == Kind.NO_TOKEN).tolist():
        raw[i] = b""


def _wordpiece_names(names: Sequence[str], kinds: UInt8[np.ndarray, "n"]) -> list[str]:
    """BERT's own names: GGUF writes `▁king` and `ing` for what every other file calls `king` and `##ing`."""
    if not any(name.startswith(_BERT_MARK) for name in names):
        return list(names)
    restored: list[str] = []
    for name, kind in zip(names, kinds.tolist(), strict=True):
        if kind != Kind.NORMAL or name[:1] == "[":
            restored.append(name)
        else:
            restored.append(name[1:] if name.startswith(_BERT_MARK) else "##" + name)
    return restored


def _tokenizer(
    model: str,
    keys: Mapping[str, Any],
    names: Sequence[str],
    kinds: UInt8[np.ndarray, "n"],
    raw: Sequence[bytes],
    scores: Float32[np.ndarray, "n"] | None,
) -> tuple[Tokenizer | None, str]:
    """The tokenizer, or None and why there is none."""
    if model == "gpt2":
        return _gpt2(keys, names, kinds, raw)
    if model == MARKED:
        return _marked(keys, names, kinds, raw)
    if model == "bert":
        return _bert(names, kinds, raw), ""
    if model in ("llama", "t5") and scores is None:
        return None, f"the file has no scores, which its tokenizer model {model!r} needs"
    if model == "llama" and scores is not None:
        prefix = bool(keys.get(_PREFIX + "add_space_prefix", True))
        spelled = Spelled(raw, prefixed=prefix)
        unknown = _unknown(keys, len(names))
        return SentencePieceBPE(names, kinds, scores, spelled, prefix_space=prefix, unknown=unknown), ""
    if model == "t5" and scores is not None:
        return _t5(keys, names, kinds, raw, scores), ""
    return None, f"the tokenizer model {model!r} of this file is not known"


def _gpt2(
    keys: Mapping[str, Any], names: Sequence[str], kinds: UInt8[np.ndarray, "n"], raw: Sequence[bytes]
) -> tuple[Tokenizer | None, str]:
    pre_tokenizer = str(keys.get(_PREFIX + "pre", "default"))
    if pre_tokenizer not in PRE_TOKENIZERS:
        return None, f"the pre-tokenizer {pre_tokenizer!r} of this file is not known, and a guess would give wrong ids"
    if _PREFIX + "merges" not in keys:
        return None, "the file has no merges, which byte-level BPE needs"
    merges = _strings(keys[_PREFIX + "merges"], "merges")

    def make() -> Any:
        return byte_level_tokenizer(_ids(names), [*map(_pair, merges)], pre_tokenizer, _added(names, kinds))

    return LibraryTokenizer(make, Spelled(raw), "the GGUF header"), ""


def _marked(
    keys: Mapping[str, Any], names: Sequence[str], kinds: UInt8[np.ndarray, "n"], raw: Sequence[bytes]
) -> tuple[Tokenizer | None, str]:
    if _PREFIX + "merges" not in keys:
        return None, f"the file has no merges, which the tokenizer model {MARKED!r} needs"
    merges = _strings(keys[_PREFIX + "merges"], "merges")
    unknown = _unknown(keys, len(names))

    def make() -> Any:
        word = None if unknown is None else names[unknown]
        return marked_tokenizer(_ids(names), [*map(_pair, merges)], _added(names, kinds), word)

    return LibraryTokenizer(make, Spelled(raw), "the GGUF header"), ""


def _t5(
    keys: Mapping[str, Any],
    names: Sequence[str],
    kinds: UInt8[np.ndarray, "n"],
    raw: Sequence[bytes],
    scores: Float32[np.ndarray, "n"],
) -> Tokenizer:
    prefix = bool(keys.get(_PREFIX + "add_space_prefix", True))
    charsmap = keys.get(_PREFIX + "precompiled_charsmap")

    def make() -> Any:
        return unigram_tokenizer(
            [(name if _is_text(name) else "", score) for name, score in zip(names, scores.tolist(), strict=True)],
            unknown=_unknown(keys, len(names)),
            byte_fallback=bool(np.any(kinds == Kind.BYTE)),
            prefix_space=prefix,
            charsmap=b"" if charsmap is None else np.asarray(charsmap).astype(np.uint8).tobytes(),
            squeeze=bool(keys.get(_PREFIX + "remove_extra_whitespaces", False)),
            added=_added(names, kinds),
        )

    return LibraryTokenizer(make, Spelled(raw, prefixed=prefix), "the GGUF header")


def _bert(names: Sequence[str], kinds: UInt8[np.ndarray, "n"], raw: Sequence[bytes]) -> Tokenizer:
    def make() -> Any:
        return wordpiece_tokenizer(names, lowercase=looks_lowercase(names), added=_added(names, kinds))

    return LibraryTokenizer(make, Spelled(raw, continues=lambda i: names[i].startswith("##")), "the GGUF header")


def _pair(merge: bytes) -> tuple[str, str]:
    left, _, right = merge.decode("utf-8", "replace").partition(" ")
    return left, right


def _ids(names: Sequence[str]) -> dict[str, int]:
    """Id by name, the first of equals; names that are no Unicode cannot be reached from a text."""
    return {name: i for i, name in reversed(list(enumerate(names))) if _is_text(name)}


def _added(names: Sequence[str], kinds: UInt8[np.ndarray, "n"]) -> list[str]:
    chosen = np.flatnonzero(np.isin(kinds, (Kind.CONTROL, Kind.USER_DEFINED, Kind.UNUSED)))
    return [names[i] for i in chosen.tolist() if _is_text(names[i])]


def _is_text(name: str) -> bool:
    return name.isascii() or not any("\udc80" <= c <= "\udcff" for c in name)


def _unknown(keys: Mapping[str, Any], count: int) -> int | None:
    id = keys.get(_PREFIX + "unknown_token_id")
    return id if isinstance(id, int) and 0 <= id < count else None
