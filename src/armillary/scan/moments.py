"""Moments of the cosine over all pairs, without visiting pairs where a formula knows better."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armillary.errors import UsageError
from armillary.scan.crew import Crew
from armillary.scan.result import Moments, Rows
from armillary.scan.rows import Distinct, distinct, read_rows
from armillary.shapes import Float64

_BLOCK = 1024
_PARTS = 8
_HELD = 1 << 23
"""Numbers of the Gram matrices that are summed side by side: 64 MiB, or one matrix."""
_FEW = 64
_TILE = 512
"""Rows and columns of a tile of powers: it and its square stay in the cache."""


def moments(rows: Distinct, crew: Crew | None = None) -> Moments | None:
    """Mean and mean square of cos over pairs i < j, from Σu and the Gram matrix; None for a single row.

    mean = (‖Σu‖² − n) / (n(n−1)); mean square = (‖UᵀU‖²_F − n) / (n(n−1)), ‖UᵀU‖_F = ‖UUᵀ‖_F. In float64, in blocks.
    Shared by a crew if there is one; the sums and their order do not depend on it.
    """
    n, weight = len(rows.group), np.bincount(rows.group).astype(np.float64)
    if n == 1:
        return None
    m, d = rows.shape
    if m < d:
        return _of_few(n, rows.unit(0, m, np.float64) * np.sqrt(weight)[:, None], np.sqrt(weight))
    parts = max(1, min(_PARTS, _HELD // d**2))
    totals, grams = np.zeros((parts, d)), np.zeros((parts, d, d))

    def work(part: int, _worker: int) -> None:
        for a in range(part * _BLOCK, m, parts * _BLOCK):
            if crew and crew.stopping:
                return
            unit = rows.unit(a, min(a + _BLOCK, m), np.float64)
            totals[part] += weight[a : a + _BLOCK] @ unit
            unit *= np.sqrt(weight[a : a + _BLOCK])[:, None]
            grams[part] += unit.T @ unit

    if crew:
        crew.each(work, range(parts))
    else:
        for part in range(parts):
            work(part, 0)
    gram = grams.sum(axis=0)
    return _of_sums(n, totals.sum(axis=0), float(np.vdot(gram, gram)))


def _of_few(n: int, unit: np.ndarray, weight: np.ndarray) -> Moments:
    """From UUᵀ, a few rows of it at a time; rows and their weights come multiplied by the root of the weight."""
    potential = 0.0
    for a in range(0, len(unit), _FEW):
        some = unit[a : a + _FEW] @ unit.T
        potential += float(np.vdot(some, some))
    return _of_sums(n, unit.T @ weight, potential)


def _of_sums(n: int, total: np.ndarray, potential: float) -> Moments:
    ordered = n * (n - 1)
    return Moments(float(total @ total - n) / ordered, float(potential - n) / ordered)


def even_moments(rows: Rows, orders: Sequence[int]) -> Float64[np.ndarray, "o"]:
    """Mean of cos^{2k} over all n² ordered pairs (i = j counted), for each k of `orders`, in float64 by blocks.

    For a spherical t-design it equals Π_{i<k}(2i+1)/(d+2i) whenever 2k ≤ t. UsageError for an order below 1.
    """
    if not len(orders) or min(orders) < 1:
        raise UsageError(f"expected orders of at least 1, found {list(orders)}")
    merged = distinct(read_rows(rows))
    m, weight = len(merged), np.bincount(merged.group).astype(np.float64)
    sums = np.zeros(max(orders))
    for a in range(0, m, _TILE):
        left = merged.unit(a, min(a + _TILE, m), np.float64)
        for c in range(a, m, _TILE):
            right = left if c == a else merged.unit(c, min(c + _TILE, m), np.float64)
            twice = 1 if c == a else 2  # the tile below the diagonal has the same powers
            sums += twice * _powers(left @ right.T, weight[a : a + _TILE], weight[c : c + _TILE], len(sums))
    return sums[np.asarray(orders) - 1] / len(merged.group) ** 2


def _powers(tile: np.ndarray, left: np.ndarray, right: np.ndarray, count: int) -> np.ndarray:
    """Σ w_i·w_j·c_ij^{2k} of a tile, for k = 1 … count."""
    tile *= tile
    power, sums = tile.copy(), np.empty(count)
    for at in range(count):
        if at:
            power *= tile
        sums[at] = left @ power @ right
    return sums
