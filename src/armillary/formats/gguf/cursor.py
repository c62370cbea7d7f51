"""Reading forward over mapped bytes, where every length is checked against the bytes left before it is believed.

A GGUF header is a chain of lengths, each of which a hostile or damaged file may set to anything up to 2⁶⁴−1. Python
integers cannot overflow, so it is enough that nothing is read, allocated or looped over before `need` has agreed.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from armillary.errors import UnreadableError


class CutShort(UnreadableError):
    """The bytes end before what they announce: of a file on the hub, more may be to come."""


class Cursor:
    """A position in the bytes of one file; `order` is "<" or ">", `wide` whether counts take eight bytes."""

    def __init__(self, data: mmap.mmap | bytes, name: str) -> None:
        self.data = data
        self.name = name
        self.at = 0
        self.order = "<"
        self.wide = True

    def need(self, size: int, what: str) -> None:
        """UnreadableError unless `size` more bytes are there."""
        left = len(self.data) - self.at
        if size > left:
            raise CutShort(
                f"{self.name}: expected {size:,} bytes for {what} at byte {self.at:,}, found {left:,} left",
                "the file is cut short or damaged; fetch it again",
            )

    def number(self, code: str, what: str) -> int | float | bool:
        """One number of the struct code `code`."""
        form = self.order + code
        self.need(struct.calcsize(form), what)
        (value,) = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return value

    def integer(self, what: str) -> int:
        """An unsigned integer of four bytes."""
        return int(self.number("I", what))

    def count(self, what: str, least: int) -> int:
        """A count of things that take `least` bytes each or more, so many that they fit the bytes left."""
        value = int(self.number("Q" if self.wide else "I", f"the number of {what}"))
        self.need(value * least, f"{value:,} {what}")
        return value

    def string(self, what: str) -> bytes:
        """A string with its length before it."""
        length = self.count(f"bytes of {what}", 1)
        start, self.at = self.at, self.at + length
        return self.data[start : self.at]

    def array(self, code: str, what: str) -> NDArray[np.generic]:
        """An array of numbers with its length before it; a read-only view of the mapped bytes."""
        dtype = np.dtype(self.order + code)
        count = self.count(what, dtype.itemsize)
        values = np.frombuffer(self.data, dtype, count, self.at)
        self.at += values.nbytes
        return values

    def strings(self, what: str) -> Strings:
        """An array of strings with its length before it: one pass over the lengths, nothing decoded."""
        form = struct.Struct(self.order + ("Q" if self.wide else "I"))
        count = self.count(what, form.size)
        data, end, unpack, head = self.data, len(self.data), form.unpack_from, form.size
        starts, at, last = [0] * count, self.at, len(self.data) - form.size
        for i in range(count):
            if at > last:
                break
            starts[i] = at + head
            at += head + unpack(data, at)[0]
        self._check_strings(starts, at, end, what)
        self.at: int = at
        return Strings(data, starts, at, head)

    def _check_strings(self, starts: list[int], at: int, end: int, what: str) -> None:
        if at > end or (starts and starts[-1] == 0):
            whole = next((i for i, start in enumerate(starts) if start == 0), len(starts))
            raise CutShort(
                f"{self.name}: expected {len(starts):,} {what}, found that number {whole:,} runs past the end of the file "
                f"({end:,} bytes)",
                "the file is cut short or damaged; fetch it again",
            )


class Strings(Sequence[bytes]):
    """Strings of an array inside the mapped bytes, cut out when they are asked for."""

    def __init__(self, data: mmap.mmap | bytes, starts: list[int], end: int, head: int) -> None:
        self._data = data
        self._starts = starts
        self._end = end + head  # as though one more string began where the last one ends
        self._head = head

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, i: int) -> bytes: ...
    @overload
    def __getitem__(self, i: slice) -> list[bytes]: ...
    def __getitem__(self, i: int | slice) -> bytes | list[bytes]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        i = range(len(self))[i]
        stop = self._starts[i + 1] if i + 1 < len(self) else self._end
        return self._data[self._starts[i] : stop - self._head]

    def __iter__(self) -> Iterator[bytes]:
        data, head, starts = self._data, self._head, self._starts
        for start, stop in zip(starts, [*starts[1:], self._end], strict=False):
            yield data[start : stop - head]

    def __repr__(self) -> str:
        return f"Strings({len(self):,})"
