"""Stored number types and how each becomes float32, exactly where float32 can hold it.

bfloat16 is the upper half of a float32; the two 8-bit floats have 256 values each, listed once in a table.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from armillary.shapes import Bool, Float32, Integer, UInt8
from armillary.table import outside_float32, relative_loss

Decode = Callable[[UInt8[np.ndarray, "n bytes"]], Float32[np.ndarray, "n d"]]

BITS: dict[str, int] = {
    "BOOL": 8, "U8": 8, "I8": 8, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "I16": 16, "U16": 16, "F16": 16,
    "BF16": 16, "I32": 32, "U32": 32, "F32": 32, "I64": 64, "U64": 64, "F64": 64, "C64": 64,
    "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
}  # fmt: skip
FLOATS: frozenset[str] = frozenset({"F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2"})
_NUMPY = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I8": "i1", "U8": "u1", "I16": "<i2", "U16": "<u2", "I32": "<i4",
          "U32": "<u4", "I64": "<i8", "U64": "<u8"}  # fmt: skip
_WIDE = frozenset({"F64", "I32", "U32", "I64", "U64"})  # more precise than float32
PRECISE = "stored as F64: decoded to float32, and the largest relative loss is among the row facts"


def decoder(stored: str) -> Decode | None:
    """The function that turns contiguous rows of bytes (n, row bytes) into float32 (n, d); None if there is none."""
    if stored in _NUMPY:
        dtype = np.dtype(_NUMPY[stored])
        return lambda raw: _as_float32(raw.view(dtype))
    if stored == "BF16":
        return lambda raw: (raw.view("<u2").astype(np.uint32) << 16).view(np.float32)
    if stored == "F8_E4M3":
        return lambda raw: float8_values(exponent_bits=4)[raw]
    if stored == "F8_E5M2":
        return lambda raw: float8_values(exponent_bits=5)[raw]
    return None


def _as_float32(values: NDArray[np.generic]) -> Float32[np.ndarray, "n d"]:
    with np.errstate(
        over="ignore", invalid="ignore"
    ):  # a float64 beyond float32 becomes inf, and is reported as non-finite
        return np.require(values, np.float32, ["C", "A"])


@cache
def float8_values(exponent_bits: int) -> Float32[np.ndarray, "256"]:
    """All 256 values of an 8-bit float: sign, 4 or 5 exponent bits, the rest fraction.

    Exponent all ones: in E5M2 infinity and NaN as in IEEE 754; in E4M3 ordinary numbers, and only 0x7F and 0xFF are
    NaN (Micikevicius et al. 2022, FP8 formats for deep learning).
    """
    code = np.arange(256)
    fraction_bits = 7 - exponent_bits
    exponent = (code & 0x7F) >> fraction_bits
    fraction = (code & ((1 << fraction_bits) - 1)) / (1 << fraction_bits)
    bias = (1 << (exponent_bits - 1)) - 1
    values = np.where(exponent == 0, np.ldexp(fraction, 1 - bias), np.ldexp(1 + fraction, exponent - bias))
    if exponent_bits == 5:
        values = np.where(exponent == 31, np.where(fraction == 0, np.inf, np.nan), values)
    else:
        values = np.where((code & 0x7F) == 0x7F, np.nan, values)
    table = np.where(code & 0x80, -values, values).astype(np.float32)
    table.flags.writeable = False
    return table


class MappedRows:
    """Rows of a mapped file, decoded by block. Only the rows asked for are read, and the map is never written."""

    def __init__(self, raw: UInt8[np.ndarray, "V ..."], width: int, decode: Decode, stored: str = "F32") -> None:
        self._raw = raw
        self._decode = decode
        self._stored = stored
        self.shape: tuple[int, int] = (int(raw.shape[0]), width)

    def block(self, start: int, stop: int) -> Float32[np.ndarray, "n d"]:
        return self._decode(_in_order(self._raw[start:stop]))

    def take(self, ids: Integer[np.ndarray, "n"]) -> Float32[np.ndarray, "n d"]:
        rows = self._decode(_in_order(self._raw[np.asarray(ids, np.int64)]))
        return rows if rows.flags.writeable else rows.copy()

    def relative_loss(self, start: int, stop: int) -> float:
        """The largest relative error of float32 in rows start … stop−1; 0 for types that float32 holds."""
        return (
            0.0 if self._stored not in _WIDE else relative_loss(self._as_stored(start, stop), self.block(start, stop))
        )

    def outside(self, start: int, stop: int) -> Bool[np.ndarray, "n"]:
        """Which of the rows start … stop−1 float32 cannot hold."""
        if self._stored not in _WIDE:
            return np.zeros(stop - start, bool)
        return outside_float32(self._as_stored(start, stop), self.block(start, stop))

    def _as_stored(self, start: int, stop: int) -> NDArray[np.generic]:
        return _in_order(self._raw[start:stop]).view(_NUMPY[self._stored])


def times(rows: Float32[np.ndarray, "n d"], factors: Float32[np.ndarray, "n"]) -> Float32[np.ndarray, "n d"]:
    """Each row times its factor. Hostile factors may be infinite or NaN: such rows are reported as non-finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return rows * factors[:, None]


class ScaledRows:
    """Rows stored as integers, each times a factor of its own."""

    def __init__(self, rows: MappedRows, factors: Float32[np.ndarray, "V"]) -> None:
        self._rows = rows
        self._factors = factors
        self.shape: tuple[int, int] = rows.shape

    def block(self, start: int, stop: int) -> Float32[np.ndarray, "n d"]:
        return times(self._rows.block(start, stop), self._factors[start:stop])

    def take(self, ids: Integer[np.ndarray, "n"]) -> Float32[np.ndarray, "n d"]:
        return times(self._rows.take(ids), self._factors[np.asarray(ids, np.int64)])


def map_rows(path: str, offset: int, rows: int, row_bytes: int) -> UInt8[np.ndarray, "V bytes"]:
    """The bytes of a table, mapped read-only: shape (rows, row_bytes)."""
    if rows == 0:
        return np.zeros((0, row_bytes), np.uint8)
    return np.memmap(path, np.uint8, "r", offset, (rows, row_bytes))


def plain_numbers(path: str, offset: int, count: int, stored: str) -> NDArray[np.generic]:
    """A column of numbers of one of numpy's own types, read whole: integers stay integers, floats become float32."""
    dtype = np.dtype(_NUMPY[stored])
    numbers = np.fromfile(path, dtype, count, offset=offset)
    return numbers if dtype.kind in "iu" else _as_float32(numbers)


def map_strided(
    path: str, begin: int, end: int, shape: tuple[int, int], strides: tuple[int, int], size: int
) -> UInt8[np.ndarray, "V d bytes"]:
    """The numbers of a table whose rows do not lie one after the other, mapped read-only; `strides` are in bytes."""
    V, d = shape
    if V == 0:
        return np.zeros((0, d, size), np.uint8)
    flat = np.memmap(path, np.uint8, "r", begin, (end - begin,))
    return np.lib.stride_tricks.as_strided(flat, (V, d, size), (*strides, 1), writeable=False)


def _in_order(raw: UInt8[np.ndarray, "n ..."]) -> UInt8[np.ndarray, "n bytes"]:
    """Rows whose bytes lie one after the other; a copy only where they do not."""
    return np.ascontiguousarray(raw).reshape(len(raw), -1) if raw.ndim > 2 else raw
