"""Rows that are whole numbers times one power of two: their products are exact, so that a tile holds cosines, not guesses.

One-hot rows, lattice vectors, ±1 codes, int8 tables of one scale: codes whose cosines tie by the thousand. A screen
with an error must rescore every tie; here there is nothing to rescore.

Proof. Let every coordinate be a whole number times g, a power of two, and M the largest of them in size, with
d·(M/g)² ≤ 2²⁴. Products of the whole numbers, and every partial sum of d of them in any order, with or without fused
multiply-add, are whole numbers of size at most 2²⁴: float32 holds them all. Times g² the sum is s_xy as the defining
loop finds it, since that loop adds the same numbers, exactly as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from armillary.shapes import Float32, Float64, Int64

_EXACT = 2.0**24
_BLOCK = 4096


@dataclass(frozen=True, eq=False)
class Grid:
    """`whole` (n, d): the rows divided by `unit`, a power of two; whole numbers as float32."""

    whole: Float32[np.ndarray, "n d"]
    unit: float

    def products(self, left: np.ndarray | slice, right: np.ndarray | slice) -> Float64[np.ndarray, "l r"]:
        """s_xy of the rows `left` with the rows `right`, to the last bit."""
        return (self.whole[left] @ self.whole[right].T).astype(np.float64) * self.unit**2


def grid_of(x: Float32[np.ndarray, "n d"], which: Int64[np.ndarray, "m"]) -> Grid | None:
    """The grid on which rows `which` of x lie; None where there is none, or one too fine for float32."""
    unit = grid_unit(x, which)
    if unit is None:
        return None
    whole = np.empty((len(which), x.shape[1]), np.float32)
    for a in range(0, len(which), _BLOCK):
        whole[a : a + _BLOCK] = x[which[a : a + _BLOCK]].astype(np.float64) / unit
    return Grid(whole, unit)


def grid_unit(x: Float32[np.ndarray, "n d"], which: Int64[np.ndarray, "m"]) -> float | None:
    """The g of that grid.

    A power of two divides all rows and leaves d·(M/g)² ≤ 2²⁴ only if the least g with that bound divides them too.
    """
    d = x.shape[1]
    largest = max(float(np.abs(x[which[a : a + _BLOCK]]).max()) for a in range(0, len(which), _BLOCK))
    if not 0 < largest < math.inf:
        return None
    unit = 2.0 ** (math.frexp(largest)[1] - 14)  # too fine: (largest/unit)² ≥ 2²⁶
    while d * (largest / unit) ** 2 > _EXACT:
        unit *= 2
    for a in range(0, len(which), _BLOCK):
        exact = x[which[a : a + _BLOCK]].astype(np.float64) / unit
        if (exact != np.rint(exact)).any():
            return None
    return unit
