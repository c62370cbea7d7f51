"""The compiled sweep of a block of rows over a run of column panels, tile by tile, with a place to stop and go on.

One function for every rung: the rung's name is a constant of its compilation, and the tile of that rung is inlined.
numba's cache looks only at the file of a function, so that a stamp of the other files it is made of is a constant too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from armillary.scan.kernels.microkernel import Builder, Dot, Value, emit_tile

_DOTS: dict[str, Dot] = {}
_f4, _i4, _i8 = types.float32, types.int32, types.int64
_intrinsic: Any = intrinsic  # numba supplies the first argument, which a type checker would miss
_HIGH = 1 << 32
"""A cursor is panel · 2³² + row."""
_BLOCK = 256
"""Steps of a float32 panel taken at a time, so that it stays in the first cache (48 columns: 48 KB)."""

Sweep = Callable[..., tuple[int, int]]


def _array(kind: types.Type, dimensions: int) -> types.Array:
    return types.Array(kind, dimensions, "C", readonly=True)


_TERMS = types.Tuple([_array(_f4, 2), _array(_f4, 2), _array(_f4, 1), _array(_f4, 1), _f4, _f4])
"""What a tile is tested against: terms of rows and of columns, keep of both, floor, spread."""


@_intrinsic(prefer_literal=True)
def _tile(_context, rung, terms, i, j, row, stride, panel, steps, start, start_stride, partial, masks):
    """The tile at (i, j) of the named rung (`microkernel.ARGUMENTS`; addresses); nonzero where it left hits in masks."""
    dot = _DOTS[rung.literal_value]

    def generate(context: Any, builder: Builder, _signature: Any, values: Any) -> Value:
        *arrays, floor, spread = (builder.extract_value(values[1], at) for at in range(6))
        i, j = values[2:4]
        row, column, row_keep, column_keep = (
            _places(context, builder, *given) for given in zip(terms.types[:4], arrays, (i, j, i, j), strict=True)
        )
        return emit_tile(
            builder, dot, [*values[4:11], *row, *row_keep, *column, *column_keep, floor, spread, values[11]]
        )

    return types.int64(rung, _TERMS, *[_i8] * 10), generate


def _places(context: Any, builder: Builder, kind: types.Array, array: Value, at: Value) -> list[Value]:
    """The addresses of entry `at` of each row of a float32 array."""
    held = context.make_array(kind)(context, builder, array)
    first = builder.add(builder.ptrtoint(held.data, at.type), builder.shl(at, ir.Constant(at.type, 2)))
    if kind.ndim == 1:
        return [first]
    return [first, builder.add(first, builder.extract_value(held.strides, 0))]


@_intrinsic
def _first_bit(_context: Any, word: Any) -> Any:
    """The position of the lowest bit set in an int64 that is not 0."""

    def generate(_target: Any, builder: Builder, _signature: Any, values: Any) -> Value:
        return builder.cttz(values[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@njit(_i8(types.Array(types.int16, 1, "C"), *[_i8] * 7, *[types.Array(_i4, 1, "C")] * 2, _i8), nogil=True, cache=True)
def _push(masks, rows, width, i0, j0, stop_i, stop_j, offset, out_i, out_j, found):
    """Append the pairs of a tile's masks with i < stop_i, j < stop_j and j > i + offset; returns how many there are."""
    vectors = masks.shape[0] // rows
    for at in range(masks.shape[0]):
        word = np.int64(masks[at]) & 0xFFFF
        i = i0 + at // vectors
        while word:
            j = j0 + at % vectors * width + _first_bit(word)
            word &= word - 1
            if i < stop_i and j < stop_j and j > i + offset:
                out_i[found], out_j[found] = i, j
                found += 1
    return found


def _stamp() -> int:
    """A number that changes with the text of what is compiled; numba's cache compares the constants of a function."""
    parts = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    return int.from_bytes(hashlib.blake2b(b"\0".join(parts), digest_size=6).digest(), "big")


_WHERE = (*[_i8] * 6, *[types.Array(_i4, 1, "C")] * 2)
_INTEGER = types.UniTuple(_i8, 2)(_array(types.uint8, 2), _array(types.int8, 2), _array(_i4, 1), _TERMS, *_WHERE)
_FLOAT = types.UniTuple(_i8, 2)(_array(_f4, 2), _array(_f4, 2), *[types.Array(_f4, 1, "C")] * 2, _TERMS, *_WHERE)


def integer_sweep(dot: Dot) -> Sweep:
    """The sweep of an integer rung: (found, cursor) of

    (rows (m, steps·4) uint8, panels (p, steps·columns·4) int8, start (p·columns) int32, terms, i0, i1, j0, j1, cursor,
    offset, out_i, out_j), terms being (row terms and column terms (2, m): scale and slack, keep of rows and of columns,
    floor, spread).

    Rows i0 … i1−1 meet columns j0 … j1−1, i0 and j0 at the start of a tile; pairs with j > i + offset are handed out.
    Where the outputs are full the sweep stops; it goes on from the cursor it returned, and −1 means it is done.
    """
    _DOTS[dot.name] = dot
    return _integer(dot.name, dot.rows, dot.vectors, dot.width, _stamp())


def float_sweep(dot: Dot) -> Sweep:
    """The sweep of a float32 rung: as above, but for (rows (m, d), units (n, d), and two scratch arrays: a panel
    (d·columns) and the sums of all tiles of the rows with a panel, (m·columns)) in the place of the first three.

    The rows are those of the block itself, i0 … in order, padded to whole tiles.
    """
    _DOTS[dot.name] = dot
    return _float(dot.name, dot.rows, dot.vectors, dot.width, _stamp())


def _integer(rung: str, height: int, vectors: int, width: int, stamp: int) -> Sweep:
    columns = vectors * width

    @njit(_INTEGER, nogil=True, cache=True)
    def sweep(rows, panels, start, terms, i0, i1, j0, j1, cursor, offset, oi, oj):
        found, stride, masks = 0, rows.shape[1], np.zeros(height * vectors, np.int16)
        first, i = max(cursor, j0 // columns * _HIGH + i0) // _HIGH, max(i0, cursor % _HIGH)
        for p in range(first, (j1 + columns - 1) // columns):
            j = p * columns
            panel, begin = panels.ctypes.data + p * panels.shape[1], start.ctypes.data + 4 * j
            for at in range(i, min(i1, j + columns - offset), height):
                if found + height * columns > oi.shape[0]:
                    return found, p * _HIGH + at
                row = rows.ctypes.data + at * stride
                if _tile(rung, terms, at, j, row, stride, panel, stride // 4, begin, 0, 0, masks.ctypes.data):
                    found = _push(masks, height, width, at, j, i1, j1, offset, oi, oj, found)
            i = i0
        return found, -1 if stamp else 0

    return sweep


def _float(rung: str, height: int, vectors: int, width: int, stamp: int) -> Sweep:
    columns = vectors * width

    @njit(_FLOAT, nogil=True, cache=True)
    def sweep(rows, units, panel, sums, terms, i0, i1, j0, j1, cursor, offset, oi, oj):
        found, d, masks = 0, units.shape[1], np.zeros(height * vectors, np.int16)
        first, i = max(cursor, j0 // columns * _HIGH + i0) // _HIGH, max(i0, cursor % _HIGH)
        for p in range(first, (j1 + columns - 1) // columns):
            j = p * columns
            _pack(units, j, columns, panel)
            sums[:] = 0
            for q in range(0, d, _BLOCK):
                steps, ends, block = min(_BLOCK, d - q), q + _BLOCK >= d, panel.ctypes.data + 4 * columns * q
                for at in range(i, min(i1, j + columns - offset), height):
                    if ends and found + height * columns > oi.shape[0]:
                        return found, p * _HIGH + at
                    row, part = rows.ctypes.data + 4 * (d * (at - i0) + q), sums.ctypes.data + 4 * columns * (at - i0)
                    into = 0 if ends else part
                    if _tile(rung, terms, at, j, row, 4 * d, block, steps, part, 4 * columns, into, masks.ctypes.data):
                        found = _push(masks, height, width, at, j, i1, j1, offset, oi, oj, found)
            i = i0
        return found, -1 if stamp else 0

    return sweep


@njit(types.void(_array(_f4, 2), _i8, _i8, types.Array(_f4, 1, "C")), nogil=True, cache=True)
def _pack(units, j0, columns, panel):
    """Columns j0 … j0+columns−1 of the table's transpose, step by step; zeros beyond the last row."""
    for c in range(columns):
        if j0 + c < units.shape[0]:
            for q in range(units.shape[1]):
                panel[q * columns + c] = units[j0 + c, q]
        else:
            for q in range(units.shape[1]):
                panel[q * columns + c] = 0
