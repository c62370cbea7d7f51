"""What a scan will do, computed before it does it: tiles, lists, memory. Pure data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

ROWS = 512
"""Rows of a full tile."""
COLUMNS = 2048
FIRST_ROWS = 16
"""The first tiles are low: each new block of rows at most doubles the rows seen, so that thresholds rise early."""
CALL_FLOPS = 1e9
"""Work of one kernel call: under 100 ms at 10 Gflop/s, so that an interruption is noticed in time."""
SPARE = 12
"""Places of a screened list beyond k, for values within the screen's error of the k-th."""
FAST_K = 100
SMALL = 2000
"""Below this many distinct rows nothing is compiled."""
LOWS = 1 << 16
"""Room for pairs that may be the farthest."""
DENSE = 1 << 21
"""Entries of a dense tile."""

Tile = tuple[int, int, int, int]


@dataclass(frozen=True)
class Plan:
    """n distinct rows of d coordinates, k screened neighbours a row, tiles of at most rows × columns, threads."""

    n: int
    d: int
    k: int
    rows: int
    columns: int
    threads: int

    @classmethod
    def of(cls, n: int, d: int, k: int, threads: int) -> Plan:
        """Tiles of one kernel call each."""
        columns = int(CALL_FLOPS / (2 * ROWS * d))
        return cls(n, d, k, min(ROWS, n), max(64, min(COLUMNS, columns, n)), threads)

    @property
    def dense(self) -> bool:
        """Whether the plain path is taken: few rows, or lists too long to keep by insertion."""
        return self.n < SMALL or self.k > FAST_K

    @property
    def room(self) -> int:
        """Length of a screened list."""
        return self.k + SPARE

    @property
    def bytes(self) -> int:
        """Memory beyond the raw rows, bounded in advance: one float32 copy, lists, a tile and its pairs a thread."""
        copy = 4 * self.n * self.d
        lists = self.n * (8 * self.room + 16 * self.k + 40)
        tiles = self.threads * max(self.rows * self.columns * 16, DENSE * 24)
        return copy + lists + tiles

    def row_blocks(self) -> Iterator[tuple[int, int]]:
        """(start, stop) of row blocks: low ones first, then full ones."""
        start, size = 0, FIRST_ROWS
        while start < self.n:
            stop = min(start + min(size, self.rows), self.n)
            yield start, stop
            start, size = stop, stop

    def tiles(self) -> Iterator[Tile]:
        """(i0, i1, j0, j1) of the tiles on and above the diagonal, row block by row block."""
        for i0, i1 in self.row_blocks():
            for j0 in range(i0, self.n, self.columns):
                yield i0, i1, j0, min(j0 + self.columns, self.n)


def pairs_of(tile: Tile) -> int:
    """How many pairs i < j a tile holds."""
    i0, i1, j0, j1 = tile
    whole = (i1 - i0) * (j1 - j0)
    below = sum(max(0, min(i + 1, j1) - j0) for i in range(i0, i1)) if j0 < i1 else 0
    return whole - below
