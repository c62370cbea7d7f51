"""The vocabulary: for every row of a table its token, and the way from a text to ids.

Columns rather than a list of objects: a vocabulary of 262,144 tokens must open in well under a second, so tokens
are made when they are asked for and the reverse index is built on the first look-up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Generic, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from armillary.errors import UsageError
from armillary.table.token import Kind, Token, to_bytes

_T = TypeVar("_T")

_READ_THROUGH = 16  # look-ups before an index is worth its making


@runtime_checkable
class Tokenizer(Protocol):
    """Text to ids and back, without special tokens, padding or truncation."""

    def encode(self, text: str) -> list[int]:
        """Ids of the text's tokens, no special token added."""
        ...

    def decode(self, ids: Sequence[int]) -> bytes:
        """Bytes that the ids stand for; may be cut UTF-8."""
        ...


class Vocabulary:
    """Tokens by row: row i of the table is token i. Immutable.

    `raw`: bytes of each token, one per row (b"" where `kinds` says no-token). `names`: the vocabulary's own
    spelling. `kinds`: uint8 codes of `Kind`. `scores`: the tokenizer's own scores or log-probabilities, where it
    has them. `beyond`: tokens whose id has no row. `encode_refusal`: why `encode` cannot be had, in one line.
    """

    def __init__(
        self,
        raw: Sequence[bytes],
        names: Sequence[str],
        kinds: NDArray[np.uint8],
        *,
        tokenizer: Tokenizer | None = None,
        scores: NDArray[np.float32] | None = None,
        beyond: Sequence[Token] = (),
        encode_refusal: str = "this vocabulary has no tokenizer",
        named_by_id: bool = False,
    ) -> None:
        if not len(raw) == len(names) == len(kinds):
            raise UsageError(
                f"a vocabulary needs as many bytes as names and kinds, found {len(raw)}, {len(names)}, {len(kinds)}"
            )
        self.raw = raw
        self.names = names
        self.kinds = kinds
        self.tokenizer = tokenizer
        self.scores = scores
        self.beyond: tuple[Token, ...] = tuple(beyond)
        self.encode_refusal = encode_refusal
        self.named_by_id = named_by_id

    @classmethod
    def of_ids(cls, rows: int) -> Vocabulary:
        """A vocabulary for rows without tokens: each is named by its id, and shown as #ID."""
        names = [str(i) for i in range(rows)]
        return cls([n.encode() for n in names], names, np.zeros(rows, np.uint8), named_by_id=True)

    @classmethod
    def of_words(cls, words: Sequence[str | bytes]) -> Vocabulary:
        """A plain list of words, one per row; duplicates keep every row."""
        raw = [w if isinstance(w, bytes) else to_bytes(w) for w in words]
        names = [w.decode("utf-8", "surrogateescape") if isinstance(w, bytes) else w for w in words]
        return cls(raw, names, np.array([unused_or_normal(n) for n in names], np.uint8))

    def __len__(self) -> int:
        return len(self.raw)

    def __getitem__(self, id: int) -> Token:
        """The token of row `id`; IndexError outside 0 … len−1."""
        if not 0 <= id < len(self.raw):
            raise IndexError(f"no token {id}: ids run from 0 to {len(self.raw) - 1}")
        kind = Kind(int(self.kinds[id]))
        if self.named_by_id and kind is Kind.NORMAL:  # shown as it is asked for, so that no number is read as a count
            return Token(id, self.raw[id], f"#{id}", self.names[id], kind)
        return Token.of(id, self.raw[id], self.names[id], kind)

    def __iter__(self) -> Iterator[Token]:
        return (self[i] for i in range(len(self)))

    @cached_property
    def _ids_by_bytes(self) -> _Index[bytes]:
        return _Index(self.raw, self.kinds)

    @cached_property
    def _ids_by_name(self) -> _Index[str]:
        return _Index(self.names, self.kinds)

    def find(self, text: str | bytes) -> list[int]:
        """All ids that spell `text`: with a leading space first, then without, then by the vocabulary's own name.

        Empty when there is none. Never splits the text; see `encode` for that.
        """
        raw = text if isinstance(text, bytes) else to_bytes(text)
        found = [*self._ids_by_bytes.get(b" " + raw), *self._ids_by_bytes.get(raw)]
        if isinstance(text, str):
            found += self._ids_by_name.get(text)
            found += self._ids_by_bytes.get(raw.replace("▁".encode(), b" "))  # as the display string shows it
        return list(dict.fromkeys(found))

    def near(self, text: str, n: int = 3) -> list[str]:
        """At most n words spelled nearly as `text`, nearest first: for the cure of an error about an unknown word."""
        from armillary.table.near import near_spellings

        return near_spellings(text, self.raw, n)

    def nearest(self, text: str, n: int = 3) -> list[str]:
        """As `near`, without those that are farther from `text` than its nearest."""
        from armillary.table.near import nearest_spellings

        return nearest_spellings(text, self.raw, n)

    def encode(self, text: str) -> list[int]:
        """Ids of a text's tokens, no special token added; UsageError where there is no tokenizer."""
        if self.tokenizer is None:
            raise UsageError(f"cannot split {text!r} into tokens: {self.encode_refusal}")
        return self.tokenizer.encode(text)

    def decode(self, ids: Sequence[int]) -> bytes:
        """Bytes the ids stand for, one after the other."""
        if self.tokenizer is not None:
            return self.tokenizer.decode(ids)
        return b"".join(self.raw[i] for i in ids)


def unused_or_normal(name: str) -> Kind:
    """Kind by name: `<unused…>`, `[unused…]` and `reserved…` are unused whatever a file's type says."""
    if not name.startswith(("<", "[")):
        return Kind.NORMAL
    return Kind.UNUSED if name.strip("<>[]|").lower().startswith(("unused", "reserved")) else Kind.NORMAL


class _Index(Generic[_T]):
    """Ids by value, ascending. The first few questions read through the values, which is quicker than to index them."""

    def __init__(self, values: Sequence[_T], kinds: NDArray[np.uint8]) -> None:
        self._values, self._kinds = values, kinds
        self._asked = 0

    def get(self, value: _T) -> list[int]:
        """All ids of a value; empty where there is none."""
        self._asked += 1
        if self._asked <= _READ_THROUGH:
            return [id for id in _places(self._values, value) if self._kinds[id] != Kind.NO_TOKEN]
        last, repeated = self._index
        return [*repeated.get(value, ()), last[value]] if value in last else []

    @cached_property
    def _index(self) -> tuple[dict[_T, int], dict[_T, list[int]]]:
        """The last id of each value, and the ones before it where a value occurs more than once."""
        kept = np.flatnonzero(self._kinds != Kind.NO_TOKEN).tolist()
        present = self._values if len(kept) == len(self._values) else [self._values[i] for i in kept]
        last = dict(zip(present, kept, strict=True))
        repeated: dict[_T, list[int]] = {}
        if len(last) < len(kept):
            for value, id in zip(present, kept, strict=True):
                if id != last[value]:
                    repeated.setdefault(value, []).append(id)
        return last, repeated


def _places(values: Sequence[_T], value: _T) -> list[int]:
    found: list[int] = []
    try:
        while True:
            found.append(values.index(value, found[-1] + 1 if found else 0))
    except ValueError:
        return found
