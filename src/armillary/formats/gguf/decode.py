"""Stored numbers of GGUF to float32: plain types as everywhere, block types by the `gguf` package, which defines them.

Q8_0, the type of most stored tables, is decoded here as well, in the same order of operations and so to the same
bits, at several times the speed. The package is imported only when it is needed.
"""

from __future__ import annotations

import numpy as np

from armillary.errors import UnreadableError
from armillary.formats.gguf.types import TensorType
from armillary.formats.numbers import Decode, decoder
from armillary.shapes import Float32, UInt8

_CHUNK = 1 << 20  # bytes decoded at a time: the package makes several copies of what it is given


def decoder_of(kind: TensorType, order: str, tensor: str) -> Decode:
    """The function that turns rows of bytes (n, row bytes) into float32 (n, d).

    UnreadableError, by name, for a type that the package cannot decode and for quantised tensors that are big-endian.
    """
    plain = decoder(kind.name)
    if plain is not None:
        return plain if order == "<" else lambda raw: plain(_swapped(raw, kind.bytes))
    if order == ">":
        raise UnreadableError(
            f"expected tensor {tensor!r} of a big-endian file in plain numbers, found it quantised ({kind.name})",
            "convert the file to little-endian with gguf-convert-endian",
        )
    if kind.name != "Q8_0":
        _check_package(kind, tensor)
    return lambda raw: _decode_blocks(raw, kind)


def _swapped(raw: UInt8[np.ndarray, "n b"], size: int) -> UInt8[np.ndarray, "n b"]:
    return np.ascontiguousarray(raw).view(f"u{size}").byteswap().view(np.uint8)


def _check_package(kind: TensorType, tensor: str) -> None:
    try:
        _decode_by_package(np.zeros(kind.bytes, np.uint8), kind)
    except NotImplementedError as error:
        raise UnreadableError(
            f"expected tensor {tensor!r} in a type the gguf package can decode, found {kind.name}",
            "convert the model to another quantisation, such as Q8_0",
        ) from error


def _decode_blocks(raw: UInt8[np.ndarray, "n b"], kind: TensorType) -> Float32[np.ndarray, "n d"]:
    blocks = raw.reshape(-1, kind.bytes)
    out = np.empty((len(blocks), kind.elements), np.float32)
    step = max(1, _CHUNK // kind.bytes)
    for first in range(0, len(blocks), step):
        part = out[first : first + step]
        if kind.name == "Q8_0":
            _decode_q8_0(blocks[first : first + step], part)
        else:
            part[...] = _decode_by_package(blocks[first : first + step], kind).reshape(part.shape)
    return out.reshape(len(raw), raw.shape[1] // kind.bytes * kind.elements)


def _decode_q8_0(blocks: UInt8[np.ndarray, "n 34"], out: Float32[np.ndarray, "n 32"]) -> None:
    """y = d·q: a float16 step d, then 32 signed bytes q."""
    out[...] = blocks[:, 2:].view(np.int8)
    with np.errstate(invalid="ignore"):  # a hostile step may be infinite; such rows are reported as non-finite
        out *= np.ascontiguousarray(blocks[:, :2]).view("<f2").astype(np.float32)


def _decode_by_package(raw: UInt8[np.ndarray, "..."], kind: TensorType) -> Float32[np.ndarray, "..."]:
    from gguf import GGMLQuantizationType
    from gguf.quants import dequantize

    with np.errstate(all="ignore"):
        return dequantize(raw.reshape(1, -1), GGMLQuantizationType[kind.name])  # one row: the package loops over rows
