"""Moments of the cosine over all pairs, without visiting pairs where a formula knows better."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64

from armillary.errors import UsageError
from armillary.scan.result import Moments, Rows
from armillary.scan.rows import Distinct, distinct, read_rows

_BLOCK = 1024
_FEW = 64
_TILE = 512
"""Rows and columns of a tile of powers: it and its square stay in the cache."""


def moments(rows: Distinct) -> Moments | None:
    """Mean and mean square of cos over pairs i < j, from Σu and the Gram matrix; None for a single row.

    mean = (‖Σu‖² − n) / (n(n−1)); mean square = (‖UᵀU‖²_F − n) / (n(n−1)), ‖UᵀU‖_F = ‖UUᵀ‖_F. In float64, in blocks.
    """
    n, weight = len(rows.group), np.bincount(rows.group).astype(np.float64)
    if n == 1:
        return None
    d = rows.x.shape[1]
    if len(rows) < d:
        return _of_few(n, rows.unit(0, len(rows), np.float64) * np.sqrt(weight)[:, None], np.sqrt(weight))
    total, gram = np.zeros(d), np.zeros((d, d))
    for a in range(0, len(rows), _BLOCK):
        b = min(a + _BLOCK, len(rows))
        unit = rows.unit(a, b, np.float64)
        total += weight[a:b] @ unit
        unit *= np.sqrt(weight[a:b])[:, None]
        gram += unit.T @ unit
    return _of_sums(n, total, float(np.vdot(gram, gram)))


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
