"""Exact lists of chosen rows, one dense tile of a few rows against all columns at a time.

The plain path of small tables and long lists, without compiled code. It needs no symmetry and holds any number of
ties: memory is one tile, whatever the rows.

Proof. Let v be the screened values of a row and β their bound, v_k the k-th largest. At least k rows have
c ≥ v_k − β, so each of the k nearest has c ≥ v_k − β and v ≥ v_k − 2β. Exactly those are scored by the definition and
sorted by (value descending, position ascending).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Float64, Int64

from armillary.scan.bound import screen_bound
from armillary.scan.cosine import cosines, row_products
from armillary.scan.plan import DENSE
from armillary.scan.rows import Distinct

_PAIRS = 1 << 18


def pair_cosines(rows: Distinct, i: Int64[np.ndarray, "p"], j: Int64[np.ndarray, "p"]) -> Float64[np.ndarray, "p"]:
    """The cosine, as defined, of each pair of distinct rows."""
    step = max(1, _PAIRS // rows.x.shape[1])
    out = np.empty(len(i), np.float64)
    for a in range(0, len(i), step):
        left, right = i[a : a + step], j[a : a + step]
        products = row_products(rows.x[rows.first[left]], rows.x[rows.first[right]])
        out[a : a + step] = cosines(products, rows.squared[left], rows.squared[right])
    return out


def dense_rows(
    rows: Distinct, which: Int64[np.ndarray, "m"], k: int, tick: Callable[[int], None] | None = None
) -> tuple[Int64[np.ndarray, "m k"], Float64[np.ndarray, "m k"], tuple[float, int, int]]:
    """(positions, cosines, lowest pair) of these distinct rows against all, themselves left out; k < number of rows.

    `tick` is told of each group of rows done. The lowest pair is (value, i, j), i < j, the first by (i, j) of a tie.
    """
    n = len(rows)
    unit = rows.units
    margin = np.nextafter(np.float32(2 * screen_bound(unit.shape[1]) + 2.0**-22), np.float32(1))
    ids, best = np.empty((len(which), k), np.int64), np.empty((len(which), k), np.float64)
    lowest = (2.0, -1, -1)
    step = max(1, DENSE // n)
    for a in range(0, len(which), step):
        group = which[a : a + step]
        tile = unit[group] @ unit.T
        lowest = min(lowest, _lowest(rows, group, tile, margin))
        ids[a : a + step], best[a : a + step] = _nearest(rows, group, tile, k, margin)
        if tick:
            tick(len(group))
    return ids, best, lowest


def _nearest(
    rows: Distinct, group: np.ndarray, tile: np.ndarray, k: int, margin: np.float32
) -> tuple[np.ndarray, np.ndarray]:
    tile[np.arange(len(group)), group] = -np.inf
    kth = np.partition(tile, tile.shape[1] - k, axis=1)[:, tile.shape[1] - k]
    row, column = np.nonzero(tile >= (kth - margin)[:, None])
    value = pair_cosines(rows, group[row], column)
    order = np.lexsort((column, -value, row))
    starts = np.searchsorted(row, np.arange(len(group)))  # row is ascending, and sorting keeps it so
    chosen = order[starts[:, None] + np.arange(k)]
    return column[chosen], value[chosen]


def _lowest(rows: Distinct, group: np.ndarray, tile: np.ndarray, margin: np.float32) -> tuple[float, int, int]:
    row, column = np.nonzero(tile <= tile.min() + margin)
    upper = column > group[row]
    if not upper.any():
        return 2.0, -1, -1
    i, j = group[row[upper]], column[upper]
    value = pair_cosines(rows, i, j)
    first = np.lexsort((j, i, value))[0]
    return float(value[first]), int(i[first]), int(j[first])
