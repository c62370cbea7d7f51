"""Thresholds before the scan: what a sample of columns already says about every row.

Let v be float32 products of a row with S sampled columns (itself left out), within β = `screen_bound` of the cosines.
The columns are dealt into groups. The k largest group maxima belong to k columns, so at least k cosines of the row are
at or above the k-th group maximum less β: a lower bound of the k-th largest. Every v less or more β also bounds the
least cosine of all, from above. Both only ever spare work; nothing of a sample is a result.
"""

from __future__ import annotations

import numpy as np

from armillary.scan.bound import screen_bound
from armillary.scan.crew import Crew
from armillary.scan.kernels import Sides
from armillary.scan.lists import Lists
from armillary.shapes import Float32, Float64, Int64

GROUPS = 256
_BLOCK = 512
_PAYING = 1 << 16
"""Coordinates of a sample that pays, about: 0.4 µs times 11 lists times the products of a second."""


def sample_of(n: int, d: int, k: int, seed: int = 0) -> Int64[np.ndarray, "s"]:
    """Sampled columns, ascending: none if they could not bound a k-th value, else a whole number of groups.

    Twice the sample spares a row k·ln 2 insertions (about 0.4 µs each) and costs it another product of S·d, so that the
    longer the rows, the fewer pay.
    """
    if n < 2 * GROUPS or k > GROUPS // 2:
        return np.zeros(0, np.int64)
    size = max(1, min(_PAYING // d, n // 8) // GROUPS) * GROUPS
    return np.sort(np.random.default_rng(seed).choice(n, size, replace=False))


def warm_up(lists: Lists, sides: Sides, k: int, crew: Crew) -> None:
    """Raise `keep` of all rows, and lower the floor, from a sample."""
    sample = sample_of(*sides.right.shape, k)
    if not len(sample):
        return
    columns = np.ascontiguousarray(sides.right.unit_of(sample).T)
    bound = screen_bound(sides.right.x.shape[1])

    def work(a: int, _worker: int) -> None:
        tile = sides.left.unit(a, min(a + _BLOCK, len(sides.left))) @ columns
        lists.warm(a, *_of_tile(tile, sample - a if sides.same else None, k, bound))

    crew.each(work, range(0, len(sides.left), _BLOCK))


def _of_tile(
    tile: Float32[np.ndarray, "m s"], own: Int64[np.ndarray, "s"] | None, k: int, bound: float
) -> tuple[Float64[np.ndarray, "m"], float]:
    """(lower bound of the k-th cosine of each row, upper bound of the least of all); `own` is each column's own row."""
    floor = float(tile.min()) + bound
    if own is not None:
        at = np.flatnonzero((own >= 0) & (own < len(tile)))
        tile[own[at], at] = -2
    best = tile.reshape(len(tile), -1, GROUPS).max(axis=1)
    kth = np.partition(best, GROUPS - k, axis=1)[:, GROUPS - k]
    return kth.astype(np.float64) - bound, floor
