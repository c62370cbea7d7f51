"""The compiled loops of the scan: the defining cosine, the selection from a screened tile, the lists.

All in one file, but for those of the histogram, because numba's cache looks only at the file of a function and would
miss a change elsewhere. Imported only by what scans large tables; signatures are stated, so that each loop is compiled once, on import, and cached.
Arrays of rows may be read-only and memory-mapped. `first` maps a distinct row to its position in `x`.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

_f4, _f8, _i4, _i8 = types.float32, types.float64, types.int32, types.int64


def array(dtype: types.Type, dimensions: int, readonly: bool = False) -> types.Array:
    return types.Array(dtype, dimensions, "C", readonly=readonly)


ROWS = array(_f4, 2, readonly=True)
FIRST = array(_i8, 1, readonly=True)
SQUARED = array(_f8, 1, readonly=True)
_NEGATIVE_ZERO = np.uint32(1 << 31)
_GROUP = 64  # columns tested together; a constant, so that the loop over them becomes vector code


@njit(_f8(ROWS, _i8, _i8), nogil=True, cache=True, inline="never")
def product(x: np.ndarray, a: int, b: int) -> float:
    total = 0.0
    for q in range(x.shape[1]):
        total += np.float64(x[a, q]) * np.float64(x[b, q])
    return total


@njit(_f8(_f8, _f8, _f8), nogil=True, cache=True)
def cosine(total: float, left: float, right: float) -> float:
    value = total / np.sqrt(left * right)
    return min(1.0, max(-1.0, value))


@njit(types.void(ROWS, FIRST, _i8, _i8, array(_f8, 1)), nogil=True, cache=True)
def squared_norms(x: np.ndarray, first: np.ndarray, start: int, stop: int, out: np.ndarray) -> None:
    """s_ii of distinct rows start … stop−1 into `out`."""
    for i in range(start, stop):
        out[i] = product(x, first[i], first[i])


@njit(types.void(ROWS, _i8, _i8, array(types.uint64, 1)), nogil=True, cache=True)
def row_hashes(x: np.ndarray, start: int, stop: int, out: np.ndarray) -> None:
    """`rows.row_hashes` of rows start … stop−1 into `out`; equal rows agree, −0.0 and 0.0 being equal."""
    for i in range(start, stop):
        row = x[i].view(np.uint32)
        total = np.uint64(0)
        for q in range(row.shape[0]):
            bits = row[q] if row[q] != _NEGATIVE_ZERO else np.uint32(0)
            total = total * np.uint64(0x9E3779B97F4A7C15) + np.uint64(bits)
            total ^= total >> np.uint64(29)
        out[i] = total


_ANY_ORDER = {"reassoc", "nsz", "contract"}


@njit(_f4(ROWS, _i8, ROWS, _i8), nogil=True, cache=True, fastmath=_ANY_ORDER, inline="never")
def _single_product(x, a, y, b):
    row, other = x[a], y[b]
    total = np.float32(0)
    for q in range(row.shape[0]):
        total += row[q] * other[q]
    return total


@njit(_f8(ROWS, _i8, ROWS, _i8), nogil=True, cache=True, fastmath=_ANY_ORDER, inline="never")
def _double_product(x, a, y, b):
    row, other = x[a], y[b]
    total = 0.0
    for q in range(row.shape[0]):
        total += np.float64(row[q]) * np.float64(other[q])
    return total


@njit(_f8(ROWS, _i8, ROWS, _i8, types.boolean), nogil=True, cache=True)
def fast_product(x: np.ndarray, a: int, y: np.ndarray, b: int, single: bool) -> float:
    """The sum of a row with a row in whatever order is fastest, in float32 where that is safe; see `raw_bound`."""
    return np.float64(_single_product(x, a, y, b)) if single else _double_product(x, a, y, b)


@njit(
    types.UniTuple(_i8, 2)(
        *(array(_f4, 2), _i8, _i8, _i8, array(_f4, 1, True), array(_f4, 1, True), _f4, _f4),
        *(array(_i4, 1), array(_i4, 1)),
    ),
    nogil=True,
    cache=True,
    error_model="numpy",
)
def select(
    tile: np.ndarray,
    i0: int,
    j0: int,
    offset: int,
    keep: np.ndarray,
    column_keep: np.ndarray,
    margin: float,
    floor: float,
    out_i: np.ndarray,
    out_j: np.ndarray,
) -> tuple[int, int]:
    """Pairs j > i + offset of a tile with v + margin ≥ keep_i or keep_j, or v − margin ≤ floor.

    Returns (how many, rows done): it stops before a row for which the outputs may have no room.
    """
    found, low = 0, floor + margin
    columns = column_keep[j0 : j0 + tile.shape[1]] - margin
    for r in range(tile.shape[0]):
        if found + tile.shape[1] > out_i.shape[0]:
            return found, r
        i = i0 + r
        own = keep[i] - margin
        row = tile[r]
        start = min(max(0, i + offset + 1 - j0), row.shape[0])
        stop = start + (row.shape[0] - start) // _GROUP * _GROUP
        for c in range(start, stop, _GROUP):
            values, limits = row[c : c + _GROUP], columns[c : c + _GROUP]
            hits = np.int32(0)
            for q in range(_GROUP):
                v, limit = values[q], limits[q]
                limit = own if own < limit else limit
                hits |= np.int32(v >= limit) | np.int32(v <= low)
            if hits:
                for q in range(c, c + _GROUP):
                    v = row[q]
                    if v >= own or v >= columns[q] or v <= low:
                        out_i[found], out_j[found] = i, j0 + q
                        found += 1
        for q in range(stop, row.shape[0]):
            v = row[q]
            if v >= own or v >= columns[q] or v <= low:
                out_i[found], out_j[found] = i, j0 + q
                found += 1
    return found, tile.shape[0]


_PAIRS = (array(_i4, 1), array(_i4, 1), array(_f8, 1), _i8)


@njit(types.void(ROWS, FIRST, ROWS, FIRST, *_PAIRS), nogil=True, cache=True)
def products(
    x: np.ndarray,
    first: np.ndarray,
    y: np.ndarray,
    y_first: np.ndarray,
    pi: np.ndarray,
    pj: np.ndarray,
    out: np.ndarray,
    count: int,
) -> None:
    """The defining sums of `count` pairs; four run side by side, each in its own fixed order."""
    whole = count - count % 4
    for a in range(0, whole, 4):
        x0, y0 = x[first[pi[a]]], y[y_first[pj[a]]]
        x1, y1 = x[first[pi[a + 1]]], y[y_first[pj[a + 1]]]
        x2, y2 = x[first[pi[a + 2]]], y[y_first[pj[a + 2]]]
        x3, y3 = x[first[pi[a + 3]]], y[y_first[pj[a + 3]]]
        s0 = s1 = s2 = s3 = 0.0
        for q in range(x0.shape[0]):
            s0 += np.float64(x0[q]) * np.float64(y0[q])
            s1 += np.float64(x1[q]) * np.float64(y1[q])
            s2 += np.float64(x2[q]) * np.float64(y2[q])
            s3 += np.float64(x3[q]) * np.float64(y3[q])
        out[a], out[a + 1], out[a + 2], out[a + 3] = s0, s1, s2, s3
    for a in range(whole, count):
        row, other, total = x[first[pi[a]]], y[y_first[pj[a]]], 0.0
        for q in range(row.shape[0]):
            total += np.float64(row[q]) * np.float64(other[q])
        out[a] = total


@njit(
    _i8(ROWS, FIRST, SQUARED, ROWS, FIRST, SQUARED, SQUARED, SQUARED, _f8, types.boolean, _f8, *_PAIRS),
    nogil=True,
    cache=True,
)
def score(
    x: np.ndarray,
    first: np.ndarray,
    squared: np.ndarray,
    y: np.ndarray,
    y_first: np.ndarray,
    y_squared: np.ndarray,
    keep: np.ndarray,
    y_keep: np.ndarray,
    floor: float,
    single: bool,
    bound: float,
    pi: np.ndarray,
    pj: np.ndarray,
    value: np.ndarray,
    count: int,
) -> int:
    """The cosine, as defined, of those of `count` pairs that reach keep_i, keep_j or the floor; they move to the front.

    Returns how many. A pair is first summed in the fastest order, within `bound` of the cosine, and most end there.
    Where `bound` is 0 that sum is the defining one, to the last bit.
    """
    alive = 0
    for a in range(count):
        i, j = np.int64(pi[a]), np.int64(pj[a])
        v = cosine(fast_product(x, first[i], y, y_first[j], single), squared[i], y_squared[j])
        if v + bound >= min(keep[i], y_keep[j]) or v - bound <= floor:
            pi[alive], pj[alive], value[alive] = i, j, v
            alive += 1
    if bound == 0:
        return alive
    products(x, first, y, y_first, pi, pj, value, alive)
    kept = 0
    for a in range(alive):
        i, j = np.int64(pi[a]), np.int64(pj[a])
        v = cosine(value[a], squared[i], y_squared[j])
        if v >= min(keep[i], y_keep[j]) or v <= floor:
            pi[kept], pj[kept], value[kept] = i, j, v
            kept += 1
    return kept


_LISTS = (array(_f8, 2), array(_i4, 2), array(_f8, 1), array(_f4, 1))


@njit(types.void(*_LISTS, _i8, _i8, _f8), nogil=True, cache=True)
def _insert(values, others, keep, rounded, i, j, v):
    """Put (v, j) into the list of row i by (value descending, position ascending), unless it is there."""
    last = values.shape[1] - 1
    if v < values[i, last] or (v == values[i, last] and j > others[i, last]):
        return
    place = last + 1
    while place > 0 and (values[i, place - 1] < v or (values[i, place - 1] == v and others[i, place - 1] > j)):
        place -= 1
    if place > 0 and values[i, place - 1] == v and others[i, place - 1] == j:
        return
    for b in range(last, place, -1):
        values[i, b], others[i, b] = values[i, b - 1], others[i, b - 1]
    values[i, place], others[i, place] = v, j
    if values[i, last] > keep[i]:
        keep[i] = values[i, last]
        rounded[i] = np.float32(keep[i] - 2.0**-24)  # of size at most 1, so that rounding adds at most 2⁻²⁵


@njit(types.void(*_LISTS, array(_f8, 1), array(_i8, 1), types.boolean, *_PAIRS), nogil=True, cache=True)
def insert(
    values: np.ndarray,
    others: np.ndarray,
    keep: np.ndarray,
    rounded: np.ndarray,
    least: np.ndarray,
    pair: np.ndarray,
    both: bool,
    pi: np.ndarray,
    pj: np.ndarray,
    value: np.ndarray,
    count: int,
) -> None:
    """Put `count` pairs into the lists of their rows (and columns, if `both`) and lower the least pair (value, i, j)."""
    for a in range(count):
        i, j, v = np.int64(pi[a]), np.int64(pj[a]), value[a]
        _insert(values, others, keep, rounded, i, j, v)
        if both:
            _insert(values, others, keep, rounded, j, i, v)
        if v < least[0] or (v == least[0] and (i < pair[0] or (i == pair[0] and j < pair[1]))):
            least[0], pair[0], pair[1] = v, i, j
