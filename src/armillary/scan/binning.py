"""The compiled loops of the histogram: bins of drawn pairs, and of all pairs of a tile.

Imports the defining loop from `loops.py`; who changes that file touches this one, or numba's cache keeps the old loop.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from armillary.scan.loops import FIRST, ROWS, SQUARED, array, cosine, product

_f8, _i8 = types.float64, types.int64
_AHEAD = 4  # pairs
_LINE = 16  # float32 numbers of a cache line


@intrinsic
def _prefetch(_context, address):
    """Ask for the cache line at an address (llvm.prefetch, for reading, to be kept); a hint on every processor."""

    def generate(_target, builder, _signature, arguments):
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        name = "llvm.prefetch.p0i8"
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        read, keep, data = (ir.Constant(number, value) for value in (0, 3, 1))
        builder.call(function, [builder.inttoptr(arguments[0], pointer), read, keep, data])

    return types.void(address), generate


@njit(_i8(_f8), nogil=True, cache=True)
def _bin(value):
    """The left-closed bin of width 1/1024 on [−1, 1]; value·1024 is exact."""
    return min(2047, np.int64(np.floor(value * 1024.0)) + 1024)


@njit(_f8(ROWS, _i8, _i8), nogil=True, cache=True, fastmath={"reassoc"}, inline="never")
def _fast_product(x, a, b):
    """The same sum in whatever order is fastest; within γ_d·‖x‖·‖y‖ of it."""
    row, other = x[a], x[b]
    total = 0.0
    for q in range(row.shape[0]):
        total += np.float64(row[q]) * np.float64(other[q])
    return total


@njit(types.void(ROWS, FIRST, SQUARED, FIRST, FIRST, _f8, array(_i8, 1)), nogil=True, cache=True)
def bin_pairs(x, first, squared, left, right, bound, counts):
    """Count the bin of each pair's cosine; within `bound` of an edge the defining loop decides.

    The rows lie anywhere in memory, and waiting for them would be most of the time: they are asked for in advance.
    """
    for a in range(left.shape[0]):
        ahead = min(a + _AHEAD, left.shape[0] - 1)
        for q in range(0, x.shape[1], _LINE):
            _prefetch(x.ctypes.data + 4 * (first[right[ahead]] * x.shape[1] + q))  # pyright: ignore[reportCallIssue]  # numba supplies the context
        i, j = left[a], right[a]
        value = cosine(_fast_product(x, first[i], first[j]), squared[i], squared[j])
        low, high = _bin(max(-1.0, value - bound)), _bin(min(1.0, value + bound))
        if low != high:
            low = _bin(cosine(product(x, first[i], first[j]), squared[i], squared[j]))
        counts[low] += 1


@njit(
    types.void(array(_f8, 2), _i8, _i8, _f8, ROWS, FIRST, SQUARED, FIRST, array(_i8, 1)),
    nogil=True,
    cache=True,
)
def bin_tile(tile, i0, j0, bound, x, first, squared, weight, counts):
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
