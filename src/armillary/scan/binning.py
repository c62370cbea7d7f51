"""The compiled loops of the histogram: bins of drawn pairs, and of all pairs of a tile.

Imports the defining loop from `loops.py`; who changes that file touches this one, or numba's cache keeps the old loop.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

from armillary.scan.loops import FIRST, ROWS, SQUARED, array, cosine, fast_product, product

_f8, _i8 = types.float64, types.int64


@njit(_i8(_f8), nogil=True, cache=True)
def _bin(value):
    """The left-closed bin of width 1/1024 on [−1, 1]; value·1024 is exact."""
    return min(2047, np.int64(np.floor(value * 1024.0)) + 1024)


@njit(types.void(ROWS, FIRST, FIRST, SQUARED, FIRST, FIRST, types.boolean, _f8, array(_i8, 1)), nogil=True, cache=True)
def bin_pairs(
    x: np.ndarray,
    first: np.ndarray,
    group: np.ndarray,
    squared: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    single: bool,
    bound: float,
    counts: np.ndarray,
) -> None:
    """Count the bin of the cosine of each pair of positions; within `bound` of an edge the defining loop decides."""
    for a in range(left.shape[0]):
        i, j = group[left[a]], group[right[a]]
        value = cosine(fast_product(x, first[i], x, first[j], single), squared[i], squared[j])
        low, high = _bin(max(-1.0, value - bound)), _bin(min(1.0, value + bound))
        if low != high:
            low = _bin(cosine(product(x, first[i], first[j]), squared[i], squared[j]))
        counts[low] += 1


@njit(
    types.void(array(_f8, 2), _i8, _i8, _f8, ROWS, FIRST, SQUARED, FIRST, array(_i8, 1)),
    nogil=True,
    cache=True,
)
def bin_tile(
    tile: np.ndarray,
    i0: int,
    j0: int,
    bound: float,
    x: np.ndarray,
    first: np.ndarray,
    squared: np.ndarray,
    weight: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Count the pairs i < j of a float64 tile, weighted; within `bound` of an edge the defining loop decides."""
    for r in range(tile.shape[0]):
        i = i0 + r
        for c in range(max(0, i + 1 - j0), tile.shape[1]):
            j = j0 + c
            value = tile[r, c]
            low, high = _bin(max(-1.0, value - bound)), _bin(min(1.0, max(-1.0, value + bound)))
            if low != high:
                low = _bin(cosine(product(x, first[i], first[j]), squared[i], squared[j]))
            counts[low] += weight[i] * weight[j]
