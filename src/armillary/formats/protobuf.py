"""The wire format of protocol buffers, as far as ONNX and sentencepiece files need it: fields of a message, in order.

Nothing is copied or built: a field that has a length is handed out as the place of its bytes, and every length is held
against the bytes that are there.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import NamedTuple

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5


class Field(NamedTuple):
    """One field: its number, wire type, value (of a varint, else 0), and where its bytes begin and end."""

    number: int
    wire: int
    value: int
    begin: int
    end: int


class Malformed(ValueError):
    """Bytes that are no message; the text says where."""


def fields(data: bytes | mmap.mmap, begin: int, end: int) -> Iterator[Field]:
    """The fields of the message in data[begin:end]. Malformed where a length does not fit."""
    at = begin
    while at < end:
        key, at = varint(data, at, end)
        number, wire = key >> 3, key & 7
        if wire == VARINT:
            start = at
            value, at = varint(data, at, end)
            yield Field(number, wire, value, start, at)
            continue
        size = 8 if wire == FIXED64 else 4 if wire == FIXED32 else -1
        if wire == LENGTH:
            size, at = varint(data, at, end)
        if number == 0 or not 0 <= size <= end - at:
            raise Malformed(f"no field of a message at byte {at:,}")
        yield Field(number, wire, 0, at, at + size)
        at += size


def varint(data: bytes | mmap.mmap, at: int, end: int) -> tuple[int, int]:
    """(value, next byte) of a base-128 number of at most 64 bits."""
    value = shift = 0
    while at < end and shift < 70:
        byte = data[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value & (1 << 64) - 1, at
        shift += 7
    raise Malformed(f"a number without end at byte {at:,}")


def numbers(data: bytes | mmap.mmap, field: Field) -> list[int]:
    """The numbers of a repeated field, one or packed."""
    if field.wire == VARINT:
        return [field.value]
    found: list[int] = []
    at = field.begin
    while at < field.end:
        value, at = varint(data, at, field.end)
        found.append(value)
    return found


def text(data: bytes | mmap.mmap, field: Field) -> str:
    """A string field; bytes that are no UTF-8 are kept as surrogates."""
    return bytes(data[field.begin : field.end]).decode("utf-8", "surrogateescape")
