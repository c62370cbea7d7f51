"""The header of a NumPy array file, read without numpy's loader: no pickle can hide behind it.

Layout: `\\x93NUMPY`, two bytes of version, the length of the header (2 bytes in version 1, 4 after), a Python literal
{descr, fortran_order, shape}, the numbers. The same bytes are a member of an npz.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from armillary.errors import UnreadableError

MAGIC = b"\x93NUMPY"
LARGEST_HEADER = 10_000  # bytes, the limit of numpy's own reader
_PLAIN = re.compile(r"[<>|=]?[fiubcSUVO][0-9]{0,6}")  # one plain type, in the spelling that numpy writes


@dataclass(frozen=True)
class ArrayHeader:
    """dtype, shape, order, and at which byte the numbers begin."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool
    begin: int

    @property
    def bytes(self) -> int:
        """How many bytes the numbers take."""
        return prod(self.shape) * self.dtype.itemsize

    @property
    def stored(self) -> str:
        """The type as load reports spell it: F32, I8, or numpy's name."""
        return {"f": "F", "i": "I", "u": "U"}.get(self.dtype.kind, "") + str(8 * self.dtype.itemsize)

    def is_table(self) -> bool:
        """Whether it can be a table: two dimensions of plain numbers."""
        return len(self.shape) == 2 and self.shape[1] > 0 and self.dtype.kind in "fiu"


def parse_header(head: bytes, name: str) -> ArrayHeader:
    """The header at the start of these bytes. UnreadableError if it is cut, no literal, or of objects."""
    start = 10 if head[6:7] == b"\x01" else 12
    length = int.from_bytes(head[8:start], "little")
    if not head.startswith(MAGIC) or head[6:7] not in (b"\x01", b"\x02", b"\x03") or len(head) < start:
        raise UnreadableError(f"expected an npy header of version 1 to 3 in {name}, found {head[:8]!r}")
    if length > LARGEST_HEADER:
        raise UnreadableError(f"the npy header of {name} claims {length:,} bytes; {LARGEST_HEADER:,} are allowed")
    if len(head) < start + length:
        raise UnreadableError(f"the npy file {name} is cut: its header claims {length:,} bytes, {len(head)} are there")
    return _from_literal(head[start : start + length], start + length, name)


def _from_literal(raw: bytes, begin: int, name: str) -> ArrayHeader:
    try:
        fields = ast.literal_eval(raw.decode("utf-8" if raw.isascii() else "latin1").strip())
        shape, fortran = fields["shape"], fields["fortran_order"]
        descr = fields["descr"]
        if not (isinstance(descr, str) and _PLAIN.fullmatch(descr)):
            raise UnreadableError(f"expected plain numbers in {name}, found dtype {str(descr)[:60]}", "save one array")
        dtype = np.dtype(descr)
        if not isinstance(shape, tuple) or not all(type(n) is int and 0 <= n < 1 << 48 for n in shape):
            raise ValueError("its shape is no tuple of whole numbers")
    except (ValueError, SyntaxError, KeyError, TypeError, IndexError, MemoryError, RecursionError) as error:
        raise UnreadableError(f"the npy header of {name} is corrupt: {str(error)[:80]}") from error
    if dtype.hasobject:
        raise UnreadableError(
            f"expected numbers in {name}, found Python objects (dtype object)",
            "objects are pickled and never loaded; save the array with a number type",
        )
    return ArrayHeader(dtype, shape, bool(fortran), begin)


def check_table(header: ArrayHeader, name: str) -> None:
    """UnreadableError unless the array is a table of plain numbers."""
    if header.dtype.kind not in "fiu":
        hint = "bfloat16 has no name in npy: save it as float32" if header.dtype.kind == "V" else "save it as float32"
        raise UnreadableError(f"expected plain numbers in {name}, found dtype {header.dtype}", hint)
    if not header.is_table():
        raise UnreadableError(
            f"expected a two-dimensional array in {name}, found shape {header.shape}", "one row per token: (V, d)"
        )
