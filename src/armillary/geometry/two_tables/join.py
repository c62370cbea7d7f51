"""Which row of one table is the same token as which row of another.

A token is its bytes, and what it is where bytes do not tell: a byte token `<0x41>` is not the letter A, and a WordPiece
that continues a word (`##ing`) is not the word `ing`. Of a WordPiece and another vocabulary, a piece that begins a word
is joined to the token with a leading space. Tokens that a vocabulary holds more than once are paired in order of id.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from armillary.shapes import Int64
from armillary.table import Kind, Vocabulary

_Key = tuple[bytes, str, int]


@dataclass(frozen=True, eq=False)
class Join:
    """`a`, `b` (n): ids of the same token, ascending in a; `only_a`, `only_b`: ids without a partner, ascending."""

    a: Int64[np.ndarray, "n"]
    b: Int64[np.ndarray, "n"]
    only_a: Int64[np.ndarray, "m"]
    only_b: Int64[np.ndarray, "m"]

    def __len__(self) -> int:
        return len(self.a)

    @property
    def relation(self) -> str:
        """`equal`, `subset` (a within b), `superset`, `overlap` or `disjoint`, as sets of tokens."""
        if not len(self):
            return "disjoint"
        return {
            (0, 0): "equal",
            (0, 1): "subset",
            (1, 0): "superset",
        }.get((int(len(self.only_a) > 0), int(len(self.only_b) > 0)), "overlap")


def join(a: Vocabulary, b: Vocabulary) -> Join:
    """Join two vocabularies by their tokens; rows without a token take no part."""
    pieces_a, pieces_b = _is_wordpiece(a), _is_wordpiece(b)
    mixed = pieces_a != pieces_b
    keys_a = _keys(a, pieces_a, spaced=mixed and pieces_a)
    keys_b = _keys(b, pieces_b, spaced=mixed and pieces_b)
    pairs = [(i, keys_b[key]) for key, i in keys_a.items() if key in keys_b]
    pairs.sort()
    left = np.array([i for i, _ in pairs], np.int64)
    right = np.array([j for _, j in pairs], np.int64)
    return Join(left, right, _rest(keys_a, left), _rest(keys_b, right))


def _rest(keys: dict[_Key, int], joined: np.ndarray) -> np.ndarray:
    return np.setdiff1d(np.fromiter(keys.values(), np.int64, len(keys)), joined)


def _keys(vocabulary: Vocabulary, pieces: bool, spaced: bool) -> dict[_Key, int]:
    """Token, its class and how often it came before -> id."""
    seen: Counter[tuple[bytes, str]] = Counter()
    keys: dict[_Key, int] = {}
    codes: list[int] = vocabulary.kinds.tolist()  # plain numbers: comparing numpy's with an enum costs microseconds
    for id in np.flatnonzero(vocabulary.kinds != Kind.NO_TOKEN).tolist():
        raw = vocabulary.raw[id]
        kind = "byte" if codes[id] == Kind.BYTE else "continues" if pieces and _continues(vocabulary, id) else ""
        if spaced and not kind and codes[id] == Kind.NORMAL:
            raw = b" " + raw
        token = (raw, "" if spaced and kind == "continues" else kind)
        keys[*token, seen[token]] = id
        seen[token] += 1
    return keys


def _is_wordpiece(vocabulary: Vocabulary) -> bool:
    """Whether any token is spelled `##…` and stands for what follows the mark."""
    return any(_continues(vocabulary, id) for id in range(len(vocabulary)))


def _continues(vocabulary: Vocabulary, id: int) -> bool:
    name, raw = vocabulary.names[id], vocabulary.raw[id]
    return name.startswith("##") and len(name) > 2 and not raw.startswith(b"##")
