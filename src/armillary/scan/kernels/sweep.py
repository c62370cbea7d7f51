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

from armillary.scan.kernels.microkernel import ARGUMENTS, FLOATS, Builder, Dot, Value, emit_tile

_DOTS: dict[str, Dot] = {}
_f4, _i4, _i8 = types.float32, types.int32, types.int64
_MASKS = tuple(_f4 if name in FLOATS else _i8 for name in ARGUMENTS)
_HIGH = 1 << 32
"""A cursor is panel · 2³² + row."""
_BLOCK = 256
"""Steps of a float32 panel taken at a time, so that it stays in the first cache (48 columns: 48 KB)."""

Sweep = Callable[..., tuple[int, int]]


def _array(kind: types.Type, dimensions: int) -> types.Array:
    return types.Array(kind, dimensions, "C", readonly=True)


@intrinsic(prefer_literal=True)
def _tile(
    _context,
    rung,
    row,
    stride,
    panel,
    steps,
    start,
    start_stride,
    partial,
    row_scale,
    row_slack,
    row_keep,
    column_scale,
    column_slack,
    column_keep,
    floor,
    spread,
    masks,
):
    """The tile of the named rung (`ARGUMENTS`); returns nonzero where it left hits in the masks."""
    dot = _DOTS[rung.literal_value]

    def generate(_target: Any, builder: Builder, _signature: Any, values: Any) -> Value:
        return emit_tile(builder, dot, values[1:])

    return types.int64(rung, *_MASKS), generate


@intrinsic
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
            j = j0 + at % vectors * width + _first_bit(word)  # pyright: ignore[reportCallIssue]  # numba supplies the context
            word &= word - 1
            if i < stop_i and j < stop_j and j > i + offset:
                out_i[found], out_j[found] = i, j
                found += 1
    return found


def _stamp() -> int:
    """A number that changes with the text of what is compiled; numba's cache compares the constants of a function."""
    parts = [path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))]
    return int.from_bytes(hashlib.blake2b(b"\0".join(parts), digest_size=6).digest(), "big")


_OUT = [types.Array(_i4, 1, "C")] * 2
_TERMS = [_array(_f4, 2), _array(_f4, 2), _array(_f4, 1), _array(_f4, 1), _f4, _f4]
_WHERE = [*[_i8] * 6, *_OUT]
_INTEGER = types.UniTuple(_i8, 2)(_array(types.uint8, 2), _array(types.int8, 2), _array(_i4, 1), *_TERMS, *_WHERE)
_FLOAT = types.UniTuple(_i8, 2)(
    *(_array(_f4, 2), _array(_f4, 2), types.Array(_f4, 1, "C"), types.Array(_f4, 1, "C")),
    *_TERMS,
    *_WHERE,
)


def integer_sweep(dot: Dot) -> Sweep:
    """The sweep of an integer rung: (found, cursor) of

    (rows (m, steps·4) uint8, panels (p, steps·columns·4) int8, start (p·columns) int32, row terms and column terms
    (2, m): scale and slack, keep of rows and of columns, floor, spread, i0, i1, j0, j1, cursor, offset, out_i, out_j).

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
    def sweep(
        rows, panels, start, row, column, row_keep, column_keep, floor, spread, i0, i1, j0, j1, cursor, offset, oi, oj
    ):
        found, steps, masks = 0, rows.shape[1] // 4, np.zeros(height * vectors, np.int16)
        first, i = max(cursor, j0 // columns * _HIGH + i0) // _HIGH, max(i0, cursor % _HIGH)
        for p in range(first, (j1 + columns - 1) // columns):
            j = p * columns
            last = min(i1, j + columns - offset)
            while i < last:
                if found + height * columns > oi.shape[0]:
                    return found, p * _HIGH + i
                hit = _tile(  # pyright: ignore[reportCallIssue]  # numba supplies the context
                    rung,
                    rows.ctypes.data + i * rows.shape[1],
                    rows.shape[1],
                    panels.ctypes.data + p * panels.shape[1],
                    steps,
                    start.ctypes.data + 4 * j,
                    0,
                    0,
                    row[0].ctypes.data + 4 * i,
                    row[1].ctypes.data + 4 * i,
                    row_keep.ctypes.data + 4 * i,
                    column[0].ctypes.data + 4 * j,
                    column[1].ctypes.data + 4 * j,
                    column_keep.ctypes.data + 4 * j,
                    floor,
                    spread,
                    masks.ctypes.data,
                )
                if hit:
                    found = _push(masks, height, width, i, j, i1, j1, offset, oi, oj, found)
                i += height
            i = i0
        return found, -1 if stamp else 0

    return sweep


def _float(rung: str, height: int, vectors: int, width: int, stamp: int) -> Sweep:
    columns = vectors * width

    @njit(_FLOAT, nogil=True, cache=True)
    def sweep(
        rows,
        units,
        panel,
        sums,
        row,
        column,
        row_keep,
        column_keep,
        floor,
        spread,
        i0,
        i1,
        j0,
        j1,
        cursor,
        offset,
        oi,
        oj,
    ):
        found, d, masks = 0, units.shape[1], np.zeros(height * vectors, np.int16)
        first, resume = max(cursor, j0 // columns * _HIGH + i0) // _HIGH, max(i0, cursor % _HIGH)
        for p in range(first, (j1 + columns - 1) // columns):
            j = p * columns
            last = min(i1, j + columns - offset)
            _pack(units, j, columns, panel)
            sums[:] = 0
            for q in range(0, d, _BLOCK):
                ends = q + _BLOCK >= d
                for i in range(resume, last, height):
                    if ends and found + height * columns > oi.shape[0]:
                        return found, p * _HIGH + i
                    part = sums.ctypes.data + 4 * columns * (i - i0)
                    hit = _tile(  # pyright: ignore[reportCallIssue]  # numba supplies the context
                        rung,
                        rows.ctypes.data + 4 * (d * (i - i0) + q),
                        4 * d,
                        panel.ctypes.data + 4 * columns * q,
                        min(_BLOCK, d - q),
                        part,
                        4 * columns,
                        0 if ends else part,
                        row[0].ctypes.data + 4 * i,
                        row[1].ctypes.data + 4 * i,
                        row_keep.ctypes.data + 4 * i,
                        column[0].ctypes.data + 4 * j,
                        column[1].ctypes.data + 4 * j,
                        column_keep.ctypes.data + 4 * j,
                        floor,
                        spread,
                        masks.ctypes.data,
                    )
                    if hit:
                        found = _push(masks, height, width, i, j, i1, j1, offset, oi, oj, found)
            resume = i0
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
