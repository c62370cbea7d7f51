"""Exact lists of all rows, one dense tile of a few rows against all columns at a time.

The plain path of small tables and long lists, without compiled code. It needs no symmetry and holds any number of
ties: memory is one tile, whatever the rows.

Proof. Let v be the screened values of a row and β their bound, v_k the k-th largest. At least k rows have
c ≥ v_k − β, so each of the k nearest has c ≥ v_k − β and v ≥ v_k − 2β. Exactly those are scored by the definition and
sorted by (value descending, position ascending). The tile of rows on a grid (`grid.py`) holds the cosines: β = 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armillary.scan.bound import screen_bound
from armillary.scan.cosine import cosines, row_products
from armillary.scan.plan import CALL, DENSE
from armillary.scan.rows import Distinct
from armillary.shapes import Float64, Int64

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
    rows: Distinct, k: int, tick: Callable[[int], None] | None = None
) -> tuple[Int64[np.ndarray, "m k"], Float64[np.ndarray, "m k"], tuple[float, int, int]]:
    """(positions, cosines, lowest pair) of all distinct rows, a row itself left out; k < number of rows.

    `tick` is told how many rows were done, several times a second. The lowest pair is (value, i, j), i < j, the first
    by (i, j) of a tie.
    """
    n = len(rows)
    ids, best = np.empty((n, k), np.int64), np.empty((n, k), np.float64)
    lowest = (2.0, -1, -1)
    step = tile_rows(rows)
    for a in range(0, n, step):
        group = np.arange(a, min(a + step, n))
        tile, margin = _tile(rows, group)
        lowest = min(lowest, _lowest(rows, group, tile, margin))
        ids[group], best[group] = _nearest(rows, group, tile, k, margin)
        if tick:
            tick(len(group))
    return ids, best, lowest


def tile_rows(rows: Distinct) -> int:
    """Rows of a dense tile: in memory a few MB, in time a fraction of a second."""
    return max(1, min(DENSE // len(rows), int(CALL / (len(rows) * rows.x.shape[1]))))


def exact_tile(rows: Distinct, group: np.ndarray) -> Float64[np.ndarray, "g m"]:
    """The cosines, as defined, of rows `group` with all; the rows lie on a grid."""
    assert rows.grid is not None
    return cosines(rows.grid.products(group, slice(None)), rows.squared[group, None], rows.squared)


def _tile(rows: Distinct, group: np.ndarray) -> tuple[np.ndarray, np.floating]:
    """(values of rows `group` with all, margin): the cosine of an entry lies within half the margin of its value."""
    if rows.grid is not None:
        return exact_tile(rows, group), np.float64(0)
    margin = np.nextafter(np.float32(2 * screen_bound(rows.x.shape[1]) + 2.0**-22), np.float32(1))
    return rows.units[group] @ rows.units.T, margin


def _scored(rows: Distinct, group: np.ndarray, tile: np.ndarray, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    return tile[row, column] if rows.grid is not None else pair_cosines(rows, group[row], column)


def _nearest(
    rows: Distinct, group: np.ndarray, tile: np.ndarray, k: int, margin: np.floating
) -> tuple[np.ndarray, np.ndarray]:
    tile[np.arange(len(group)), group] = -np.inf
    kth = np.partition(tile, tile.shape[1] - k, axis=1)[:, tile.shape[1] - k, None]
    row, column = np.nonzero(_first_ties(tile, kth, k) if rows.grid is not None else tile >= kth - margin)
    value = _scored(rows, group, tile, row, column)
    order = np.lexsort((column, -value, row))
    starts = np.searchsorted(row, np.arange(len(group)))  # row is ascending, and sorting keeps it so
    chosen = order[starts[:, None] + np.arange(k)]
    return column[chosen], value[chosen]


def _first_ties(tile: np.ndarray, kth: np.ndarray, k: int) -> np.ndarray:
    """The k largest of each row, of those that tie for the last places the first."""
    above, ties = tile > kth, tile == kth
    return above | (ties & (np.cumsum(ties, axis=1) <= k - above.sum(axis=1, keepdims=True)))


def _lowest(rows: Distinct, group: np.ndarray, tile: np.ndarray, margin: np.floating) -> tuple[float, int, int]:
    """The lowest pair i < j of a tile. A lower one with j < i is of an earlier tile, so that it may hide what is here."""
    row, column = np.nonzero(tile <= tile.min() + margin)
    upper = column > group[row]
    row, column = row[upper], column[upper]
    if not len(row):
        return 2.0, -1, -1
    value = _scored(rows, group, tile, row, column)
    first = int(np.argmin(value))  # entries come by (i, j)
    return float(value[first]), int(group[row[first]]), int(column[first])
