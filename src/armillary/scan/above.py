"""All pairs at or above a cosine, streamed: near-duplicate search in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from armillary.errors import UsageError
from armillary.scan.bound import screen_bound
from armillary.scan.crew import Crew
from armillary.scan.dense import pair_cosines
from armillary.scan.kernels import Sides, check_kernel
from armillary.scan.plan import SMALL, pairs_of
from armillary.scan.progress import Count, Progress
from armillary.scan.result import Rows
from armillary.scan.rows import Distinct, distinct, read_rows
from armillary.shapes import Float64, Int64

_PAIRS = 1 << 20
"""Pairs of a block, at most."""


@dataclass(frozen=True, eq=False)
class PairBlock:
    """Pairs of positions i < j with their cosines, by (i, j) within the block."""

    i: Int64[np.ndarray, "p"]
    j: Int64[np.ndarray, "p"]
    value: Float64[np.ndarray, "p"]


def pairs_above(
    rows: Rows,
    threshold: float,
    *,
    kernel: str = "auto",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Iterator[PairBlock]:
    """All pairs i < j with cosine ≥ threshold, exact at the threshold, in blocks of at most 2²⁰ pairs.

    Equal rows are compared once and expanded. The blocks, and their order, depend on the rows alone and not on the
    threads. `kernel`, `threads` and `progress` as in `scan`. Memory is that of a scan's plan and a few blocks, however
    many pairs there are. UsageError for a threshold that is not a number.
    """
    if not np.isfinite(threshold):
        raise UsageError(f"expected a threshold that is a finite number, found {threshold}")
    check_kernel(kernel)
    x = read_rows(rows)
    return (
        _plain(distinct(x), threshold, progress)
        if small(len(x), kernel)
        else _swept(x, threshold, kernel, threads, progress)
    )


def small(n: int, kernel: str) -> bool:
    """Whether so few rows are compared without compiled code."""
    return n < SMALL and kernel == "auto"


def _plain(rows: Distinct, threshold: float, progress: Progress | None) -> Iterator[PairBlock]:
    m, unit = len(rows), rows.units
    members = _Members(rows)
    count = Count(m * (m - 1) // 2, progress)
    if threshold <= 1:
        yield from members.equal()
    cut = np.nextafter(np.float32(threshold - screen_bound(unit.shape[1])), np.float32(-np.inf))
    step = max(1, _PAIRS // (m * 4))
    for a in range(0, m, step):
        row, column = np.nonzero(unit[a : a + step] @ unit[a:].T >= cut)
        upper = column > row
        i, j = a + row[upper], a + column[upper]
        value = pair_cosines(rows, i, j)
        keep = value >= threshold
        yield from members.expanded(i[keep], j[keep], value[keep])
        count.add(pairs_of((a, min(a + step, m), a, m)))
        count.tell()


def _swept(
    x: np.ndarray, threshold: float, kernel: str, threads: int | None, progress: Progress | None
) -> Iterator[PairBlock]:
    """Tiles through a kernel, some at a time; a tile with more pairs than there is room for is swept in parts."""
    from armillary.scan.merging import merge_rows
    from armillary.scan.screen import plan_of, reach

    with Crew(threads) as crew:
        rows = merge_rows(x, crew)
        sides, members = Sides(rows, rows), _Members(rows)
        plan = plan_of(kernel, sides, 1, crew.threads)
        count = Count(len(rows) * (len(rows) - 1) // 2, progress)
        if threshold <= 1:
            yield from members.equal()
        for i, j, value in reach(sides, plan, kernel, threshold, crew, count):
            yield from members.expanded(i, j, value)


@dataclass(frozen=True, eq=False)
class _Members:
    """The positions of each distinct row: `order` sorted by distinct row, `offsets` where each begins."""

    order: Int64[np.ndarray, "n"]
    offsets: Int64[np.ndarray, "m+1"]

    def __init__(self, rows: Distinct) -> None:
        object.__setattr__(self, "order", np.argsort(rows.group, kind="stable"))
        object.__setattr__(self, "offsets", np.concatenate([[0], np.cumsum(np.bincount(rows.group))]))

    def equal(self) -> Iterator[PairBlock]:
        """The pairs of equal rows, one member against its later fellows at a time."""
        for start in np.flatnonzero(np.diff(self.offsets) > 1).tolist():
            for at in range(self.offsets[start], self.offsets[start + 1] - 1):
                j = self.order[at + 1 : self.offsets[start + 1]]
                yield PairBlock(np.full(len(j), self.order[at]), j, np.ones(len(j)))

    def expanded(self, i: np.ndarray, j: np.ndarray, value: np.ndarray) -> Iterator[PairBlock]:
        """Pairs of distinct rows to pairs of their members, a bounded number at a time."""
        size = np.diff(self.offsets)
        times = size[i] * size[j]
        start = 0
        while start < len(i):
            held = np.cumsum(times[start : start + _PAIRS])
            stop = start + max(1, int(np.searchsorted(held, _PAIRS, "right")))
            yield from self._block(i[start:stop], j[start:stop], value[start:stop])
            start = stop

    def _block(self, i: np.ndarray, j: np.ndarray, value: np.ndarray) -> Iterator[PairBlock]:
        wide, high = (self.offsets[side + 1] - self.offsets[side] for side in (j, i))
        if len(i) == 1 and wide[0] * high[0] > _PAIRS:  # two rows, each many times over
            right = self.order[self.offsets[j[0]] : self.offsets[j[0] + 1]]
            for left in self.order[self.offsets[i[0]] : self.offsets[i[0] + 1]]:
                yield PairBlock(np.minimum(left, right), np.maximum(left, right), np.full(len(right), value[0]))
            return
        times = wide * high
        pair = np.repeat(np.arange(len(i)), times)
        within = np.arange(len(pair)) - np.repeat(np.cumsum(times) - times, times)
        left = self.order[self.offsets[i][pair] + within // wide[pair]]
        right = self.order[self.offsets[j][pair] + within % wide[pair]]
        low, high = np.minimum(left, right), np.maximum(left, right)
        order = np.lexsort((high, low))
        yield PairBlock(low[order], high[order], value[pair][order])
