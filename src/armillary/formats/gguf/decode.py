"""Stored numbers to float32: plain types by numpy, block types by the `gguf` package, which holds the definitions.

Q8_0, the type of most stored tables, is decoded here as well, in the same order of operations and so to the same
bits, at ten times the speed. The package is imported only when it is needed.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float32, Integer, UInt8

from armillary.errors import UnreadableError
from armillary.formats.gguf.types import PLAIN, TensorType

_CHUNK = 1 << 20  # bytes decoded at a time: the package makes several copies of what it is given


def check_decodable(kind: TensorType, order: str, tensor: str) -> None:
    """UnreadableError, by name, for a type that cannot be decoded; imports the package only for block types."""
    if kind.name in PLAIN or (kind.name == "Q8_0" and order == "<"):
        return
    if order == ">":
        raise UnreadableError(
            f"expected tensor {tensor!r} of a big-endian file in plain numbers, found it quantised ({kind.name})",
            "convert the file to little-endian with gguf-convert-endian",
        )
    try:
        _decode_by_package(np.zeros(kind.bytes, np.uint8), kind)
    except NotImplementedError as error:
        raise UnreadableError(
            f"expected tensor {tensor!r} in a type the gguf package can decode, found {kind.name}",
            "convert the model to another quantisation, such as Q8_0",
        ) from error


def decode(raw: UInt8[np.ndarray, "b"], kind: TensorType, order: str = "<") -> Float32[np.ndarray, "n"]:
    """The numbers stored in these bytes, a whole number of blocks of `kind`, as a new array."""
    if kind.name == "BF16":
        return (raw.view(order + "u2").astype(np.uint32) << 16).view(np.float32)
    if kind.name in PLAIN:
        with np.errstate(over="ignore"):  # a float64 beyond float32 becomes inf, and is reported as non-finite
            return raw.view(order + PLAIN[kind.name]).astype(np.float32)
    out = np.empty(len(raw) // kind.bytes * kind.elements, np.float32)
    step = max(1, _CHUNK // kind.bytes)
    for first in range(0, len(raw) // kind.bytes, step):
        block = raw[first * kind.bytes : (first + step) * kind.bytes]
        part = out[first * kind.elements :][: len(block) // kind.bytes * kind.elements]
        if kind.name == "Q8_0":
            _decode_q8_0(block, part)
        else:
            part[:] = _decode_by_package(block, kind)
    return out


def _decode_q8_0(raw: UInt8[np.ndarray, "b"], out: Float32[np.ndarray, "n"]) -> None:
    """y = d·q: a float16 step d, then 32 signed bytes q."""
    blocks = raw.reshape(-1, 34)
    rows = out.reshape(-1, 32)
    rows[...] = blocks[:, 2:].view(np.int8)
    rows *= np.ascontiguousarray(blocks[:, :2]).view("<f2").astype(np.float32)


def _decode_by_package(raw: UInt8[np.ndarray, "b"], kind: TensorType) -> Float32[np.ndarray, "n"]:
    from gguf import GGMLQuantizationType
    from gguf.quants import dequantize

    with np.errstate(all="ignore"):  # hostile scales may be infinite; such rows are reported as non-finite
        return dequantize(raw.reshape(1, -1), GGMLQuantizationType[kind.name]).reshape(-1)


class GGUFRows:
    """Row decoder of a two-dimensional tensor: decodes the rows asked for, straight from the mapped bytes."""

    def __init__(self, raw: UInt8[np.ndarray, "V b"], kind: TensorType, width: int, order: str = "<") -> None:
        self._raw = raw
        self._kind = kind
        self._order = order
        self.shape: tuple[int, int] = (raw.shape[0], width)

    @property
    def raw(self) -> UInt8[np.ndarray, "V b"]:
        """The bytes as stored, one row of the table a row; read-only."""
        return self._raw

    def block(self, start: int, stop: int) -> Float32[np.ndarray, "n d"]:
        if self._kind.name == "F32" and self._order == "<" and self._raw.ctypes.data % 4 == 0:
            return self._raw[start:stop].view("<f4")
        return self._decode(self._raw[start:stop])

    def take(self, ids: Integer[np.ndarray, "n"]) -> Float32[np.ndarray, "n d"]:
        return self._decode(self._raw[ids])

    def _decode(self, rows: UInt8[np.ndarray, "n b"]) -> Float32[np.ndarray, "n d"]:
        return decode(rows.reshape(-1), self._kind, self._order).reshape(len(rows), self.shape[1])
