"""How the cosines of all pairs are spread: counts in left-closed bins, sampled or exact.

A cosine is binned as defined: floor(c·1024) is exact arithmetic, and a value screened within its bound of an edge is
computed again by the defining loop.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Int64

from armillary.scan.bound import FLOAT64_ROUNDOFF, cosine_bound, screen_bound
from armillary.scan.crew import Crew
from armillary.scan.dense import exact_tile, pair_cosines, tile_rows
from armillary.scan.plan import Plan, Tile, pairs_of
from armillary.scan.result import Histogram
from armillary.scan.rows import Distinct

BINS = 2048
_DRAW = 1 << 16


def bins_of(cosines: np.ndarray) -> np.ndarray:
    """The bin of each cosine: ⌊c·1024⌋ + 1024, and 2047 for 1."""
    return np.minimum(np.floor(cosines * (BINS // 2)).astype(np.int64) + BINS // 2, BINS - 1)


def sampled_histogram(rows: Distinct, pairs: int, seed: int, crew: Crew) -> Histogram:
    """The bins of `pairs` seeded random pairs, drawn uniformly with replacement from the pairs i < j.

    The draw is made in pieces with generators of their own, so that it does not depend on the threads.
    """
    from armillary.scan import binning

    n = len(rows.group)
    counts = [np.zeros(BINS, np.int64) for _ in range(crew.threads)]
    bound = 4 * cosine_bound(rows.x.shape[1])  # two loops, each within it of cos, and the rounding of value ± bound

    def work(piece: int, worker: int) -> None:
        random = np.random.default_rng([seed, piece])
        count = min(_DRAW, pairs - piece * _DRAW)
        i, j = np.sort(random.integers(0, n, count)), random.integers(0, n - 1, count)  # sorted: rows stay in cache
        j += j >= i
        binning.bin_pairs(rows.x, rows.first, rows.squared, rows.group[i], rows.group[j], bound, counts[worker])

    crew.each(work, range(-(-pairs // _DRAW)))
    return Histogram(np.sum(counts, axis=0), pairs, "estimate")


def _equal_pairs(rows: Distinct) -> Int64[np.ndarray, "b"]:
    """Pairs of equal rows: cosine 1."""
    weight = np.bincount(rows.group)
    counts = np.zeros(BINS, np.int64)
    counts[-1] = int((weight * (weight - 1) // 2).sum())
    return counts


def exact_histogram(
    rows: Distinct, plan: Plan, crew: Crew, done: Callable[[int], None], tick: Callable[[], None]
) -> Histogram:
    """The bins of all pairs, by float64 tiles."""
    from armillary.scan import binning

    weight = np.bincount(rows.group)
    counts = [np.zeros(BINS, np.int64) for _ in range(crew.threads)]
    bound = screen_bound(rows.x.shape[1], FLOAT64_ROUNDOFF) + FLOAT64_ROUNDOFF

    def work(tile: Tile, worker: int) -> None:
        i0, i1, j0, j1 = tile
        values = rows.unit(i0, i1, np.float64) @ rows.unit(j0, j1, np.float64).T
        binning.bin_tile(values, i0, j0, bound, rows.x, rows.first, rows.squared, weight, counts[worker])
        done(pairs_of(tile))

    crew.each(work, plan.tiles(), tick)
    n = len(rows.group)
    return Histogram(np.sum(counts, axis=0) + _equal_pairs(rows), n * (n - 1) // 2, "exact")


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
