"""Zip archives as containers: members by name, where the bytes of a stored one lie, and what zipfile calls damage."""

from __future__ import annotations

import struct
import zipfile
import zlib
from pathlib import Path

_LOCAL_HEADER = 30  # bytes of a member's own header before its name
DEFLATE_RATIO = 1032  # no deflated byte unpacks to more (zlib's technical notes)
# what zipfile raises on a damaged or encrypted archive
DAMAGE: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    struct.error,
    IndexError,  # a member without a name
)


def first_member(head: bytes) -> bytes:
    """The name of the first member of a zip, from the first bytes of the file; b"" for anything else."""
    if head[:4] != b"PK\x03\x04":
        return b""
    return head[_LOCAL_HEADER : _LOCAL_HEADER + int.from_bytes(head[26:28], "little")]


def is_mapped(info: zipfile.ZipInfo) -> bool:
    """Whether a member's bytes lie in the file as they are: not deflated, not encrypted."""
    return info.compress_type == zipfile.ZIP_STORED and not info.flag_bits & 1 and info.file_size == info.compress_size


def check_method(info: zipfile.ZipInfo) -> None:
    """ValueError for a member packed with anything but deflate: LZMA may ask for gigabytes of memory at once."""
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"the member {info.filename[:80]!r} is packed by method {info.compress_type}, not by deflate")


def cannot_unpack(info: zipfile.ZipInfo) -> bool:
    """Whether a deflated member claims more than its bytes can unpack to."""
    return info.compress_type != zipfile.ZIP_STORED and info.file_size > DEFLATE_RATIO * info.compress_size + 64


def data_offset(path: Path, info: zipfile.ZipInfo) -> int:
    """The byte at which a member's own bytes begin. ValueError where they would not lie in the file."""
    with path.open("rb") as file:
        file.seek(info.header_offset)
        local = file.read(_LOCAL_HEADER)
    begin = info.header_offset + _LOCAL_HEADER + sum(int.from_bytes(local[i : i + 2], "little") for i in (26, 28))
    if begin + info.compress_size > path.stat().st_size:
        raise ValueError(f"the member {info.filename[:80]!r} lies beyond the end of the file")
    return begin
