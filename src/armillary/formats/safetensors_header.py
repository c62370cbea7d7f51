"""The header of a safetensors file, checked before anything is allocated.

Layout: eight bytes, the length of the header (little-endian); the header, JSON, name → {dtype, shape, data_offsets};
the numbers, back to back without gaps. Everything in the header is a claim: lengths, offsets and overlaps are tested
against the size of the file.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeGuard

from armillary.errors import UnreadableError
from armillary.formats.choice import Tensor
from armillary.formats.numbers import BITS

LARGEST_HEADER = 100_000_000  # bytes; the limit of the reference implementation


@dataclass(frozen=True)
class Entry(Tensor):
    """A tensor of the file: where its bytes begin and end, counted from the start of the file.

    `strides`: bytes from one number to the next along each dimension, empty where rows lie one after the other.
    """

    begin: int = 0
    end: int = 0
    strides: tuple[int, ...] = ()


@dataclass(frozen=True)
class Header:
    """What the header says: tensors by name, and the free-text metadata."""

    tensors: dict[str, Entry]
    metadata: dict[str, Any]


def recognises_head(head: bytes, size: int) -> bool:
    """Whether the first bytes are a length and the beginning of a JSON object."""
    return size >= 9 and re.match(rb"[\s\S]{8}\s*\{\s*(\"|\})", head) is not None and head[7] == 0


def read_header(path: Path, name: str) -> Header:
    """Read and check the header of a file. UnreadableError names what is wrong, with byte counts."""
    size = path.stat().st_size
    with path.open("rb") as file:
        prefix = file.read(8)
        if len(prefix) < 8:
            _refuse(name, f"expected 8 bytes of header length, found {len(prefix)}")
        length = int.from_bytes(prefix, "little")
        if length > LARGEST_HEADER:
            _refuse(name, f"its header claims {length:,} bytes, more than the {LARGEST_HEADER:,} that are allowed")
        if length > size - 8:
            _refuse(name, f"its header claims {length:,} bytes, and {size - 8:,} are there", cut=True)
        return parse_header(file.read(length), size, name)


def parse_header(raw: bytes, size: int, name: str) -> Header:
    """Check the bytes of a header against the size of the whole file."""
    fields = _json_object(raw, name)
    metadata = fields.pop("__metadata__", None) or {}
    start = 8 + len(raw)
    tensors = {key: _entry(key, value, start, name) for key, value in fields.items()}
    _check_layout(tensors, start, size, name)
    return Header(tensors, metadata if isinstance(metadata, dict) else {})


def _json_object(raw: bytes, name: str) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = dict(pairs)
        if len(keys) != len(pairs):
            seen: set[str] = set()
            twice = next(k for k, _ in pairs if k in seen or seen.add(k))
            _refuse(name, f"its header has the key {twice[:80]!r} twice")
        return keys

    try:
        fields = json.loads(raw.decode("utf-8"), object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        _refuse(name, f"its header is no JSON: {str(error)[:100]}")
    if not isinstance(fields, dict):
        _refuse(name, "its header is no JSON object")
    return fields


def _entry(key: str, value: Any, start: int, name: str) -> Entry:
    shown = repr(key[:80])
    if not isinstance(value, dict):
        _refuse(name, f"the header of {shown} is no object")
    dtype, shape, offsets = value.get("dtype"), value.get("shape"), value.get("data_offsets")
    if not isinstance(dtype, str):
        _refuse(name, f"{shown} has no dtype")
    if not _naturals(shape) or not _naturals(offsets) or len(offsets) != 2:
        _refuse(name, f"the shape or the offsets of {shown} are not lists of whole numbers from 0 up")
    begin, end = offsets
    entry = Entry(key, tuple(shape), dtype, start + begin, start + end)
    if end < begin:
        _refuse(name, f"{shown} ends at byte {end:,} before it begins at {begin:,}")
    bits = BITS.get(dtype)
    if bits is not None and entry.count * bits != 8 * (end - begin):
        need = -(-entry.count * bits // 8)
        _refuse(name, f"{shown} of shape {_shape(shape)} and type {dtype} needs {need:,} bytes, has {end - begin:,}")
    return entry


def _check_layout(tensors: dict[str, Entry], start: int, size: int, name: str) -> None:
    at = start
    for entry in sorted(tensors.values(), key=lambda e: (e.begin, e.end)):
        if entry.begin < at:
            _refuse(name, f"{entry.name[:80]!r} begins at byte {entry.begin:,} inside the tensor before it")
        if entry.begin > at:
            _refuse(name, f"bytes {at:,} to {entry.begin:,} before {entry.name[:80]!r} belong to no tensor")
        at = entry.end
    if at > size:
        _refuse(name, f"its tensors need {at:,} bytes, and {size:,} are there ({at - size:,} missing)", cut=True)
    if at < size:
        _refuse(name, f"its tensors end at byte {at:,}, and {size - at:,} bytes follow", trailing=True)


def _naturals(value: Any) -> TypeGuard[list[int]]:
    return isinstance(value, list) and all(type(n) is int and 0 <= n < 1 << 63 for n in value)


def _shape(shape: list[int]) -> str:
    return "×".join(f"{n:,}" for n in shape) or "a single number"


def _refuse(name: str, what: str, cut: bool = False, trailing: bool = False) -> NoReturn:
    if cut:
        raise UnreadableError(f"the safetensors file {name} is cut: {what}", "download it again")
    if trailing:
        raise UnreadableError(f"the safetensors file {name} has trailing bytes: {what}", "download it again")
    raise UnreadableError(f"the safetensors file {name} is corrupt: {what}", "download it again")
