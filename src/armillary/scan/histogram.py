"""How the cosines of all pairs are spread: counts in left-closed bins, sampled or exact.

A cosine is binned as defined: floor(c·1024) is exact arithmetic, and a value screened within its bound of an edge is
computed again by the defining loop.
"""

from __future__ import annotations

import threading

import numpy as np

from armillary.scan.bound import FLOAT64_ROUNDOFF, screen_bound
from armillary.scan.cosine import cosines
from armillary.scan.crew import Crew
from armillary.scan.dense import exact_tile, pair_cosines, tile_rows
from armillary.scan.plan import Plan, pairs_of
from armillary.scan.progress import Count
from armillary.scan.quick import quick_sum
from armillary.scan.result import Histogram
from armillary.scan.rows import Distinct
from armillary.scan.state import State, kept
from armillary.shapes import Float64, Int64

BINS = 2048
_WIDEST = 42 * 48
"""Columns of a float64 tile."""
_CACHED = 512
"""Rows of a block, at least: two of them fit a second cache."""
_SIDE = 24
"""Blocks, at most: with more, each two would hold too few pairs to be worth a call."""


def bins_of(cosines: np.ndarray) -> np.ndarray:
    """The bin of each cosine: ⌊c·1024⌋ + 1024, and 2047 for 1."""
    return np.minimum(np.floor(cosines * (BINS // 2)).astype(np.int64) + BINS // 2, BINS - 1)


def sampled_histogram(rows: Distinct, pairs: int, seed: int, crew: Crew) -> Histogram:
    """The bins of `pairs` seeded random pairs, drawn uniformly with replacement from the pairs i < j.

    Rows are cut into blocks that stay in cache. How many pairs fall to each two blocks is drawn first (multinomial),
    then the pairs within, each two blocks with a generator of their own: the same law as drawing pair after pair, and
    a sample that does not depend on the threads.
    """
    from armillary.scan import binning

    n = len(rows.group)
    edges = np.linspace(0, n, max(1, min(_SIDE, n // _CACHED)) + 1).astype(np.int64)
    shares = _shares(edges)
    drawn = np.random.default_rng(seed).multinomial(pairs, [share for *_, share in shares])
    counts = [np.zeros(BINS, np.int64) for _ in range(crew.threads)]
    single, bound = quick_sum(rows, rows)

    def work(at: int, worker: int) -> None:
        i, j = _draw(np.random.default_rng([seed, at]), int(drawn[at]), edges, *shares[at][:2])
        binning.bin_pairs(rows.x, rows.first, rows.group, rows.squared, i, j, single, bound, counts[worker])

    crew.each(work, np.flatnonzero(drawn).tolist())
    return Histogram(np.sum(counts, axis=0), pairs, "estimate")


def _shares(edges: np.ndarray) -> list[tuple[int, int, float]]:
    """(block, block, share of all pairs) for each two blocks a ≤ b."""
    size, n = np.diff(edges), int(edges[-1])
    return [
        (a, b, float(size[a] * (size[a] - 1) if a == b else 2 * size[a] * size[b]) / (n * (n - 1)))
        for a in range(len(size))
        for b in range(a, len(size))
    ]


def _draw(
    random: np.random.Generator, count: int, edges: np.ndarray, a: int, b: int
) -> tuple[Int64[np.ndarray, "p"], Int64[np.ndarray, "p"]]:
    """Pairs of different positions, one of block a and one of block b."""
    i = random.integers(edges[a], edges[a + 1], count)
    j = random.integers(edges[b], edges[b + 1] - (a == b), count)
    return (i, j + (j >= i)) if a == b else (i, j)


def _equal_pairs(rows: Distinct) -> Int64[np.ndarray, "b"]:
    """Pairs of equal rows: cosine 1."""
    weight = np.bincount(rows.group)
    counts = np.zeros(BINS, np.int64)
    counts[-1] = int((weight * (weight - 1) // 2).sum())
    return counts


def exact_histogram(rows: Distinct, crew: Crew, count: Count, state: State) -> Histogram:
    """The bins of all pairs, by float64 tiles, each counted once whatever interrupted the pass."""
    from armillary.scan import binning

    m, n, d = len(rows), len(rows.group), rows.x.shape[1]
    tiles, weight = Plan.of(m, m, d, 1, crew.threads, _WIDEST).tiles(), np.bincount(rows.group)
    total, done, lock = np.zeros(BINS, np.int64), np.zeros(len(tiles), np.bool_), threading.Lock()
    state.register("histogram", {"total": total, "done": done}, lock)
    bound = 0.0 if rows.grid else screen_bound(d, FLOAT64_ROUNDOFF) + FLOAT64_ROUNDOFF

    def work(at: int, _worker: int) -> None:
        i0, _, j0, _ = tiles[at]
        values, counts = _tile(rows, *tiles[at]), np.zeros(BINS, np.int64)
        binning.bin_tile(values, i0, j0, bound, rows.x, rows.first, rows.squared, weight, counts)
        with lock:
            total[:] += counts
            done[at] = True
        count.add(pairs_of(tiles[at]))

    def tick() -> None:
        state.tick()
        count.tell()

    count.add(sum(pairs_of(tiles[at]) for at in np.flatnonzero(done)))
    with kept(state):
        crew.each(work, np.flatnonzero(~done).tolist(), tick)
    return Histogram(total + _equal_pairs(rows), n * (n - 1) // 2, "exact")


def _tile(rows: Distinct, i0: int, i1: int, j0: int, j1: int) -> Float64[np.ndarray, "r c"]:
    """Cosines to float64 rounding; of rows on a grid, as defined."""
    if rows.grid:
        return cosines(rows.grid.products(slice(i0, i1), slice(j0, j1)), rows.squared[i0:i1, None], rows.squared[j0:j1])
    return rows.unit(i0, i1, np.float64) @ rows.unit(j0, j1, np.float64).T


def small_histogram(rows: Distinct) -> Histogram:
    """The bins of all pairs of a small table, without compiled code."""
    m, weight = len(rows), np.bincount(rows.group)
    counts = _equal_pairs(rows).astype(np.float64)  # exact below 2⁵³ pairs
    step = tile_rows(rows)
    for a in range(0, m, step):
        group = np.arange(a, min(a + step, m))
        row, column = np.nonzero(np.arange(m) > group[:, None])
        value = exact_tile(rows, group)[row, column] if rows.grid else _computed(rows, group, row, column)
        counts += np.bincount(bins_of(value), weight[a + row] * weight[column], BINS)
    n = len(rows.group)
    return Histogram(counts.astype(np.int64), n * (n - 1) // 2, "exact")


def _computed(rows: Distinct, group: np.ndarray, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Cosines to float64 rounding, and as defined where that could change the bin."""
    tile = rows.unit_of(group, np.float64) @ rows.unit(0, len(rows), np.float64).T
    value = np.clip(tile[row, column], -1, 1)
    bound = screen_bound(rows.x.shape[1], FLOAT64_ROUNDOFF) + FLOAT64_ROUNDOFF
    near = bins_of(np.maximum(value - bound, -1)) != bins_of(np.minimum(value + bound, 1))
    value[near] = pair_cosines(rows, group[row[near]], column[near])
    return value
