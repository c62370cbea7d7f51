"""The header of one GGUF file: its keys, and where each tensor lies. One pass, nothing decoded.

The layout (specification of ggml, versions 1 to 3): magic, version, counts; keys, each a string, a type and a value;
tensors, each a string, its dimensions fastest first, a type and an offset into the data, which begins at the next
multiple of the alignment. Version 1 counts in four bytes; a file is big-endian if its version only makes sense so.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from math import prod
from typing import Any

from armillary.errors import UnreadableError
from armillary.formats.gguf.cursor import Cursor
from armillary.formats.gguf.types import TensorType, tensor_type

_NUMBER = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_ARRAY = {0: "u1", 1: "i1", 2: "u2", 3: "i2", 4: "u4", 5: "i4", 6: "f4", 7: "u1", 10: "u8", 11: "i8", 12: "f8"}
_STRING, _LIST = 8, 9
_DEEPEST = 4  # arrays within arrays; real files have none
_MOST_DIMENSIONS = 4  # the limit of ggml itself
_DAMAGED = "the file is damaged; fetch it again"


@dataclass(frozen=True)
class TensorInfo:
    """One tensor of a header: shape slowest first, so (rows, dim); `start` is its first byte in its file."""

    name: str
    shape: tuple[int, ...]
    type: TensorType
    start: int
    file: int = 0

    @property
    def stored(self) -> str:
        """The name of its type, `Q8_0`."""
        return self.type.name

    @property
    def parameters(self) -> int:
        """How many numbers it holds."""
        return prod(self.shape)

    @property
    def stop(self) -> int:
        """The byte after its last."""
        return self.start + self.type.size(self.parameters)


@dataclass(frozen=True)
class Header:
    """What one file says before its data: `trailing` bytes follow the last tensor and its padding."""

    version: int
    order: str
    keys: dict[str, Any]
    tensors: dict[str, TensorInfo]
    data_start: int
    trailing: int


def read_header(data: mmap.mmap | bytes, name: str, file: int = 0, size: int | None = None) -> Header:
    """The header of the file whose bytes are `data`; UnreadableError, with the byte, for anything amiss.

    `size` is that of the whole file where `data` is only its beginning; CutShort if the header goes on beyond it.
    """
    size = len(data) if size is None else size
    cursor = Cursor(data, name)
    version = _begin(cursor)
    tensor_count = cursor.count("tensors", 24 if cursor.wide else 16)
    key_count = cursor.count("keys", 13 if cursor.wide else 9)
    keys: dict[str, Any] = {}
    for _ in range(key_count):
        key = cursor.string("a key").decode("utf-8", "surrogateescape")
        _once(key, keys, "key", name)
        keys[key] = _value(cursor, cursor.integer(f"the type of {key!r}"), key, 0)
    raw = [_tensor(cursor) for _ in range(tensor_count)]
    data_start = _aligned(cursor.at, alignment := _alignment(keys, name))
    tensors: dict[str, TensorInfo] = {}
    for tensor, shape, kind, offset in raw:
        _once(tensor, tensors, "tensor", name)
        if offset % alignment:
            raise UnreadableError(f"{name}: expected tensor {tensor!r} at a multiple of {alignment}, found {offset:,}")
        tensors[tensor] = TensorInfo(tensor, shape, kind, data_start + offset, file)
    end = _check_extents(tensors, data_start, size, name)
    return Header(version, cursor.order, keys, tensors, data_start, max(0, size - _aligned(end, alignment)))


def _begin(cursor: Cursor) -> int:
    """Magic and version; sets the byte order and the width of counts."""
    cursor.need(8, "the magic and the version")
    if cursor.data[:4] != b"GGUF":
        raise UnreadableError(f"{cursor.name}: expected the magic GGUF, found {cursor.data[:4]!r}")
    (version,) = struct.unpack_from("<I", cursor.data, 4)
    if version and version & 0xFFFF == 0:
        cursor.order = ">"
        (version,) = struct.unpack_from(">I", cursor.data, 4)
    if version not in (1, 2, 3):
        raise UnreadableError(f"{cursor.name}: expected GGUF version 1, 2 or 3, found {version}")
    cursor.at, cursor.wide = 8, version > 1
    return version


def _value(cursor: Cursor, kind: int, key: str, depth: int) -> Any:
    if kind == _STRING:
        return cursor.string(f"the value of {key!r}").decode("utf-8", "surrogateescape")
    if kind == _LIST:
        return _list(cursor, key, depth)
    if kind not in _NUMBER:
        raise UnreadableError(
            f"{cursor.name}: expected a known type for key {key!r} before byte {cursor.at:,}, found {kind}", _DAMAGED
        )
    return cursor.number(_NUMBER[kind], f"the value of {key!r}")


def _list(cursor: Cursor, key: str, depth: int) -> Any:
    kind = cursor.integer(f"the type of the items of {key!r}")
    if kind == _STRING:
        return cursor.strings(f"strings of {key!r}")
    if kind in _ARRAY:
        return cursor.array(_ARRAY[kind], f"items of {key!r}")
    if kind != _LIST or depth == _DEEPEST:
        found = f"type {kind}" if kind != _LIST else f"more than {_DEEPEST} arrays within one another"
        raise UnreadableError(f"{cursor.name}: expected items of a known type in {key!r}, found {found}", _DAMAGED)
    count = cursor.count(f"arrays of {key!r}", 12 if cursor.wide else 8)
    return [_list(cursor, key, depth + 1) for _ in range(count)]


def _tensor(cursor: Cursor) -> tuple[str, tuple[int, ...], TensorType, int]:
    name = cursor.string("the name of a tensor").decode("utf-8", "surrogateescape")
    dimensions = cursor.integer(f"the dimensions of {name!r}")
    if not 1 <= dimensions <= _MOST_DIMENSIONS:
        raise UnreadableError(
            f"{cursor.name}: expected 1 to {_MOST_DIMENSIONS} dimensions of tensor {name!r}, found {dimensions:,}",
            _DAMAGED,
        )
    width = "Q" if cursor.wide else "I"
    shape = tuple(int(cursor.number(width, f"the shape of {name!r}")) for _ in range(dimensions))[::-1]
    kind = tensor_type(cursor.integer(f"the type of {name!r}"), name)
    if shape[-1] % kind.elements:
        raise UnreadableError(
            f"{cursor.name}: expected rows of {name!r} in whole blocks of {kind.elements} ({kind.name}), "
            f"found rows of {shape[-1]:,}",
            _DAMAGED,
        )
    return name, shape, kind, int(cursor.number("Q", f"the offset of {name!r}"))


def _alignment(keys: dict[str, Any], name: str) -> int:
    alignment = keys.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1):
        raise UnreadableError(f"{name}: expected an alignment that is a power of two, found {alignment!r}", _DAMAGED)
    return alignment


def _check_extents(tensors: dict[str, TensorInfo], data_start: int, size: int, name: str) -> int:
    """The end of the last tensor; UnreadableError if tensors overlap or the file ends before."""
    end, before = data_start, ""
    for tensor in sorted(tensors.values(), key=lambda t: (t.start, t.stop)):
        if tensor.start < end:
            raise UnreadableError(
                f"{name}: expected tensors apart, found that {tensor.name!r} at byte {tensor.start:,} "
                f"overlaps {before!r}, which ends at byte {end:,}",
                _DAMAGED,
            )
        end, before = tensor.stop, tensor.name
    if tensors and end > size:
        raise UnreadableError(
            f"{name}: expected {end:,} bytes up to the end of tensor {before!r}, found {size:,}: "
            f"{end - size:,} bytes are missing",
            "the file is cut short; fetch it again",
        )
    return end


def _once(key: str, seen: dict[str, Any], what: str, name: str) -> None:
    if key in seen:
        raise UnreadableError(f"{name}: expected each {what} once, found {key!r} twice", _DAMAGED)


def _aligned(at: int, alignment: int) -> int:
    return -(-at // alignment) * alignment
