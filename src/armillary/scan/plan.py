"""What a scan will do, computed before it does it: tiles, lists, memory. Pure data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

ROWS = 512
"""Rows of a tile."""
PANEL = 48
"""Tiles begin at a multiple of this column: of the panels of every kernel."""
COLUMNS = 168 * PANEL
CALL = 5e8
"""Products of one kernel call: under 100 ms at 5 billion a second, so that an interruption is noticed in time."""
SCORED = 4e7
"""Coordinates of candidates scored in one call, likewise."""
FAST_K = 101
"""The longest list kept by insertion: 100 neighbours, and one more for the certificate."""
SMALL = 2000
"""Below this many distinct rows nothing is compiled."""
DENSE = 1 << 21
"""Entries of a dense tile."""

Tile = tuple[int, int, int, int]


@dataclass(frozen=True)
class Plan:
    """m rows meet n columns of d coordinates, k neighbours a row, in tiles of at most rows × columns, on some threads.

    `same`: rows and columns are one table, and each pair is visited once.
    """

    m: int
    n: int
    d: int
    k: int
    rows: int
    columns: int
    threads: int
    same: bool = True

    @classmethod
    def of(cls, m: int, n: int, d: int, k: int, threads: int, widest: int = COLUMNS, same: bool = True) -> Plan:
        """Tiles of one kernel call each."""
        panels = int(min(CALL / (ROWS * d), widest, n + PANEL)) // PANEL
        return cls(m, n, d, k, ROWS, max(1, panels) * PANEL, threads, same)

    @property
    def dense(self) -> bool:
        """Whether the plain path is taken: few rows, or lists too long to keep by insertion."""
        return self.n < SMALL or self.k > FAST_K

    @property
    def candidates(self) -> int:
        """Pairs a worker can hold: at least those of one row of a tile."""
        return max(COLUMNS, min(1 << 16, int(SCORED / self.d)))

    @property
    def bytes(self) -> int:
        """Memory beyond the raw rows, bounded in advance: one float32 copy, lists, tiles and candidates a thread."""
        copy = 4 * (self.n if self.same else self.n + self.m) * self.d
        lists = self.m * (28 * self.k + 64)
        gram = 8 * max(1 << 23, 2 * self.d**2)
        tiles = gram + self.threads * (16 * self.rows * max(self.columns, self.d) + 16 * self.candidates + 24 * DENSE)
        return copy + lists + tiles

    def tiles(self) -> list[Tile]:
        """(i0, i1, j0, j1), row block by row block; of one table, those on and above the diagonal."""
        return [tile for i0 in range(0, self.m, self.rows) for tile in self._across(i0)]

    def _across(self, i0: int) -> Iterator[Tile]:
        start = i0 // PANEL * PANEL if self.same else 0
        for j0 in range(start // self.columns * self.columns, self.n, self.columns):
            yield i0, min(i0 + self.rows, self.m), max(j0, start), min(j0 + self.columns, self.n)


def pairs_of(tile: Tile, same: bool = True) -> int:
    """How many pairs a tile holds; of one table, pairs i < j."""
    i0, i1, j0, j1 = tile
    whole = (i1 - i0) * (j1 - j0)
    below = sum(max(0, min(i + 1, j1) - j0) for i in range(i0, i1)) if same and j0 < i1 else 0
    return whole - below
