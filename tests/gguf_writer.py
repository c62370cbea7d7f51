"""A small GGUF writer for tests: any version, either byte order, and lies where a test asks for them."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

U32, I32, F32, BOOL, STRING, ARRAY, U64 = 4, 5, 6, 7, 8, 9, 10


class Writer:
    """Bytes of a GGUF file, field by field."""

    def __init__(self, version: int = 3, order: str = "<") -> None:
        self.order = order
        self.wide = "Q" if version > 1 else "I"
        self.version = version

    def pack(self, code: str, *values: Any) -> bytes:
        return struct.pack(self.order + code, *values)

    def string(self, text: str | bytes) -> bytes:
        raw = text.encode() if isinstance(text, str) else text
        return self.pack(self.wide, len(raw)) + raw

    def value(self, value: Any) -> bytes:
        """Type and value of a key."""
        if isinstance(value, bool):
            return self.pack("I?", BOOL, value)
        if isinstance(value, int):
            return self.pack("II", U32, value)
        if isinstance(value, float):
            return self.pack("If", F32, value)
        if isinstance(value, str | bytes):
            return self.pack("I", STRING) + self.string(value)
        return self.pack("I", ARRAY) + self.items(value)

    def items(self, values: Sequence[Any]) -> bytes:
        count = self.pack(self.wide, len(values))
        if all(isinstance(v, str | bytes) for v in values):
            return self.pack("I", STRING) + count + b"".join(map(self.string, values))
        if all(isinstance(v, list) for v in values):
            return self.pack("I", ARRAY) + count + b"".join(map(self.items, values))
        code, kind = ("f", F32) if any(isinstance(v, float) for v in values) else ("i", I32)
        return self.pack("I", kind) + count + b"".join(self.pack(code, v) for v in values)

    def head(self, tensors: int, keys: int) -> bytes:
        return b"GGUF" + self.pack("I", self.version) + self.pack(self.wide * 2, tensors, keys)

    def info(self, name: str | bytes, shape: Sequence[int], kind: int, offset: int) -> bytes:
        dims = self.pack("I" + self.wide * len(shape), len(shape), *reversed(shape))
        return self.string(name) + dims + self.pack("IQ", kind, offset)


def gguf_bytes(
    keys: Mapping[str, Any],
    tensors: Mapping[str, tuple[Sequence[int], int, bytes]] = {},
    *,
    version: int = 3,
    order: str = "<",
    alignment: int = 32,
) -> bytes:
    """A whole file: keys, then tensors as name → (shape slowest first, type number, stored bytes)."""
    writer = Writer(version, order)
    if alignment != 32:
        keys = {**keys, "general.alignment": alignment}
    head = writer.head(len(tensors), len(keys))
    head += b"".join(writer.string(key) + writer.value(value) for key, value in keys.items())
    data = b""
    for name, (shape, kind, raw) in tensors.items():
        head += writer.info(name, shape, kind, len(data))
        data += raw + b"\0" * (-len(raw) % alignment)
    return head + b"\0" * (-len(head) % alignment) + data
