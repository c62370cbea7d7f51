"""The compiled loops of the scan: the defining cosine, the selection from a screened tile, the lists.

All in one file, but for those of the histogram, because numba's cache looks only at the file of a function and would
miss a change elsewhere. Imported
only by what scans large tables; signatures are stated, so that each loop is compiled once, on import, and cached.
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
_GROUP = 64  # columns tested together; a constant, so that the loop over them becomes vector code


@njit(_f8(ROWS, _i8, _i8), nogil=True, cache=True, inline="never")
def product(x, a, b):
    total = 0.0
    for q in range(x.shape[1]):
        total += np.float64(x[a, q]) * np.float64(x[b, q])
    return total


@njit(types.void(ROWS, _i8, array(_i8, 1), _i8, array(_f8, 1)), nogil=True, cache=True)
def products_of(x, a, others, count, out):
    """Products of row a with `count` others; four sums run side by side, each in its own fixed order."""
    row = x[a]
    whole = count - count % 4
    for c in range(0, whole, 4):
        r0, r1, r2, r3 = x[others[c]], x[others[c + 1]], x[others[c + 2]], x[others[c + 3]]
        s0 = s1 = s2 = s3 = 0.0
        for q in range(row.shape[0]):
            v = np.float64(row[q])
            s0 += v * np.float64(r0[q])
            s1 += v * np.float64(r1[q])
            s2 += v * np.float64(r2[q])
            s3 += v * np.float64(r3[q])
        out[c], out[c + 1], out[c + 2], out[c + 3] = s0, s1, s2, s3
    for c in range(whole, count):
        out[c] = product(x, a, others[c])


@njit(_f8(_f8, _f8, _f8), nogil=True, cache=True)
def cosine(total, left, right):
    value = total / np.sqrt(left * right)
    return min(1.0, max(-1.0, value))


@njit(types.void(ROWS, FIRST, _i8, _i8, array(_f8, 1)), nogil=True, cache=True)
def squared_norms(x, first, start, stop, out):
    """s_ii of distinct rows start … stop−1 into `out`."""
    for i in range(start, stop):
        out[i] = product(x, first[i], first[i])


@njit(
    _i8(ROWS, _i8, _i8, array(_f4, 1, True), _f4, array(_i4, 1), array(_i4, 1), array(_f4, 1)),
    nogil=True,
    cache=True,
    error_model="numpy",
)
def select(tile, i0, j0, keep, floor, out_i, out_j, out_v):
    """Pairs i < j of a tile with v ≥ keep_i, v ≥ keep_j or v ≤ floor; returns how many.

    The outputs hold as many entries as the tile, so that they cannot overflow.
    """
    found = 0
    columns = keep[j0 : j0 + tile.shape[1]]
    for r in range(tile.shape[0]):
        i = i0 + r
        own = keep[i]
        start = max(0, i + 1 - j0)
        row = tile[r]
        stop = start + (row.shape[0] - start) // _GROUP * _GROUP
        for c in range(start, stop, _GROUP):
            values, limits = row[c : c + _GROUP], columns[c : c + _GROUP]
            hits = np.int32(0)
            for q in range(_GROUP):
                v, limit = values[q], limits[q]
                limit = own if own < limit else limit
                hits |= np.int32(v >= limit) | np.int32(v <= floor)
            if hits:
                for q in range(c, c + _GROUP):
                    v = row[q]
                    if v >= own or v >= columns[q] or v <= floor:
                        out_i[found], out_j[found], out_v[found] = i, j0 + q, v
                        found += 1
        for q in range(max(start, stop), row.shape[0]):
            v = row[q]
            if v >= own or v >= columns[q] or v <= floor:
                out_i[found], out_j[found], out_v[found] = i, j0 + q, v
                found += 1
    return found


@njit(
    types.void(array(_f4, 2), array(_i4, 2), array(_f4, 1), array(_f4, 1), _i8, _f4, _i8, _i8, _f4),
    nogil=True,
    cache=True,
)
def _insert(values, others, dropped, keep, k, margin, i, j, v):
    if v < keep[i]:
        return
    last = values.shape[1] - 1
    if v <= values[i, last]:
        dropped[i] = max(dropped[i], v)
        return
    dropped[i] = max(dropped[i], values[i, last])
    place = last
    while place > 0 and values[i, place - 1] < v:
        values[i, place], others[i, place] = values[i, place - 1], others[i, place - 1]
        place -= 1
    values[i, place], others[i, place] = v, j
    keep[i] = max(keep[i], values[i, k - 1] - margin)


@njit(
    _i8(
        *(array(_i4, 1), array(_i4, 1), array(_f4, 1), _i8),
        *(array(_f4, 2), array(_i4, 2), array(_f4, 1), array(_f4, 1), _i8, _f4),
        *(_f4, array(_i4, 2), array(_f4, 1), _i8),
    ),
    nogil=True,
    cache=True,
)
def insert(pi, pj, pv, count, values, others, dropped, keep, k, margin, floor, low, low_v, lows):
    """Put `count` candidate pairs into the lists of both rows, and those at or below `floor` among the low pairs.

    Returns the number of low pairs; one beyond their room is counted and not stored.
    """
    for a in range(count):
        i, j, v = pi[a], pj[a], pv[a]
        _insert(values, others, dropped, keep, k, margin, i, j, v)
        _insert(values, others, dropped, keep, k, margin, j, i, v)
        if v <= floor:
            if lows < low_v.shape[0]:
                low[lows, 0], low[lows, 1], low_v[lows] = i, j, v
            lows += 1
    return lows


@njit(_i8(array(_f8, 1), array(_i8, 1), _i8, _f8, _i8), nogil=True, cache=True)
def _place(best, ids, count, value, j):
    """Insert (value, j) into a list by (value descending, id ascending) of fixed room; returns its new length."""
    room = best.shape[0]
    if count == room:
        if value < best[room - 1] or (value == best[room - 1] and j > ids[room - 1]):
            return count
        count -= 1
    place = count
    while place > 0 and (best[place - 1] < value or (best[place - 1] == value and ids[place - 1] > j)):
        best[place], ids[place] = best[place - 1], ids[place - 1]
        place -= 1
    best[place], ids[place] = value, j
    return count + 1


@njit(
    types.void(
        *(ROWS, FIRST, SQUARED, array(_f4, 2), array(_i4, 2), array(_f4, 1), _f4, _i8, _i8),
        *(array(_f8, 2), array(_i8, 2), array(types.boolean, 1)),
    ),
    nogil=True,
    cache=True,
)
def finish_lists(x, first, squared, values, others, dropped, margin, start, stop, best, ids, flooded):
    """Exact lists of rows start … stop−1 from their screened lists; rows whose list overflowed are marked flooded."""
    room = values.shape[1]
    k = best.shape[1]
    positions, products = np.empty(room, np.int64), np.empty(room, np.float64)
    for i in range(start, stop):
        cut = values[i, k - 1] - margin
        if dropped[i] >= cut:
            flooded[i] = True
            continue
        count = 0
        while count < room and values[i, count] >= cut:
            positions[count] = first[others[i, count]]
            count += 1
        products_of(x, first[i], positions, count, products)
        held = 0
        for c in range(count):
            j = np.int64(others[i, c])
            held = _place(best[i], ids[i], held, cosine(products[c], squared[i], squared[j]), j)


@njit(
    types.void(
        *(ROWS, FIRST, _i8, array(_f8, 1), _f8, ROWS, FIRST, SQUARED),
        *(array(_f8, 2), array(_i8, 2), array(_i8, 1)),
    ),
    nogil=True,
    cache=True,
)
def finish_tile(tile, rows, j0, cut, bound, x, first, squared, best, ids, held):
    """Fold a screened tile of flooded `rows` against columns j0 … into their exact lists, columns ascending.

    Row r takes every column with v ≥ cut_r; once its list is full, a cosine must exceed the last one to enter, so
    that cut_r rises to it less the bound.
    """
    k = best.shape[1]
    batch, positions, products = np.empty(64, np.int64), np.empty(64, np.int64), np.empty(64, np.float64)
    for r in range(tile.shape[0]):
        i = rows[r]
        waiting = 0
        limit = cut[r]
        for c in range(tile.shape[1]):
            if np.float64(tile[r, c]) >= limit and j0 + c != i:
                batch[waiting] = j0 + c
                positions[waiting] = first[j0 + c]
                waiting += 1
            if waiting == 64 or (waiting > 0 and c == tile.shape[1] - 1):
                products_of(x, first[i], positions, waiting, products)
                for b in range(waiting):
                    j = batch[b]
                    held[r] = _place(best[r], ids[r], held[r], cosine(products[b], squared[i], squared[j]), j)
                waiting = 0
                if held[r] == k:
                    limit = max(limit, best[r, k - 1] - bound)
        cut[r] = limit


@njit(
    types.void(ROWS, _i8, _i8, _f8, ROWS, FIRST, SQUARED, array(_f8, 1), array(_i8, 1)),
    nogil=True,
    cache=True,
)
def lowest(tile, i0, j0, bound, x, first, squared, value, pair):
    """Lower (value, pair) to the least (cosine, i, j) among the pairs i < j of a screened tile."""
    for r in range(tile.shape[0]):
        i = i0 + r
        for c in range(max(0, i + 1 - j0), tile.shape[1]):
            if np.float64(tile[r, c]) <= value[0] + bound:
                j = j0 + c
                exact = cosine(product(x, first[i], first[j]), squared[i], squared[j])
                if exact < value[0] or (exact == value[0] and (i < pair[0] or (i == pair[0] and j < pair[1]))):
                    value[0], pair[0], pair[1] = exact, i, j
