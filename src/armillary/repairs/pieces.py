"""What a token is made of: the fewest other tokens whose bytes, one after the other, are its own."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from armillary.table import Kind, Vocabulary

_LONGEST = 512  # bytes of a token that is taken apart


class Pieces:
    """The tokens of a vocabulary that others may be made of; those in `without` are left out.

    A WordPiece `##ing` stands only inside a word, and the first piece of a word only at its beginning.
    """

    def __init__(self, vocabulary: Vocabulary, without: Collection[int] = ()) -> None:
        left_out = frozenset(without)
        usable = np.flatnonzero(np.isin(vocabulary.kinds, (Kind.NORMAL, Kind.BYTE))).tolist()
        self._inside: dict[bytes, int] = {}
        self._first: dict[bytes, int] = {}
        self._marked = any(vocabulary.names[i].startswith("##") for i in usable)
        for id in usable:
            raw = vocabulary.raw[id]
            if id in left_out or not raw:
                continue
            inside = self._marked and vocabulary.names[id].startswith("##") and vocabulary.names[id] != "##"
            (self._inside if inside else self._first).setdefault(raw, id)

    def of(self, raw: bytes, *, inside: bool = False, not_itself: int | None = None) -> tuple[int, ...]:
        """Ids of the fewest pieces of some bytes, the longest first among as few; empty where there are none.

        `inside`: whether the bytes continue a word (WordPiece). `not_itself`: an id that may not be a piece.
        """
        if not raw or len(raw) > _LONGEST:
            return ()
        best: list[tuple[int, tuple[int, ...]] | None] = [None] * (len(raw) + 1)
        best[-1] = (0, ())
        for start in range(len(raw) - 1, -1, -1):
            known = self._inside if self._marked and (start or inside) else self._first
            for stop in range(len(raw), start, -1):
                rest, id = best[stop], known.get(raw[start:stop])
                if rest is None or id is None or id == not_itself:
                    continue
                here = best[start]
                if here is None or rest[0] + 1 < here[0]:
                    best[start] = (rest[0] + 1, (id, *rest[1]))
        return best[0][1] if best[0] else ()
