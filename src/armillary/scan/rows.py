"""What is scanned, made ready: byte-equal rows merged, each distinct row known by its first position."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from armillary.errors import UsageError
from armillary.scan.cosine import squared_norms
from armillary.scan.grid import Grid, grid_of
from armillary.scan.result import Rows
from armillary.shapes import Float32, Float64, Int64, Integer, UInt64

BLOCK = 4096


class ArrayRows:
    """A float32 array as rows to scan."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = np.ascontiguousarray(array, np.float32)

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)"""
        return self._array.shape[0], self._array.shape[1]

    def block(self, start: int, stop: int) -> Float32[np.ndarray, "m d"]:
        """Rows at positions start … stop−1."""
        return self._array[start:stop]

    def take(self, positions: Integer[np.ndarray, "m"]) -> Float32[np.ndarray, "m d"]:
        """Rows at these positions, as a new array."""
        return self._array[positions]


@dataclass(frozen=True, eq=False)
class Distinct:
    """The rows and which of them are equal.

    `x` (n, d): the raw rows, a view where the source allows it. `first` (m): the first position of each distinct row,
    ascending. `group` (n): the distinct row of each position. `squared` (m): s_ii. `fingerprint`: of all rows, in order.
    """

    x: Float32[np.ndarray, "n d"]
    first: Int64[np.ndarray, "m"]
    group: Int64[np.ndarray, "n"]
    squared: Float64[np.ndarray, "m"]
    fingerprint: bytes = b""

    def __len__(self) -> int:
        return len(self.first)

    @property
    def shape(self) -> tuple[int, int]:
        """(m, d)"""
        return len(self.first), self.x.shape[1]

    @cached_property
    def units(self) -> Float32[np.ndarray, "m d"]:
        """All distinct rows as float32 units, made once: the one copy of the table a scan keeps."""
        out = np.empty((len(self), self.x.shape[1]), np.float32)
        for a in range(0, len(self), BLOCK):
            out[a : a + BLOCK] = self.unit(a, min(a + BLOCK, len(self)))
        return out

    @cached_property
    def grid(self) -> Grid | None:
        """All distinct rows as whole numbers, where their products are exact in float32; else None."""
        return grid_of(self.x, self.first)

    def unit(
        self, start: int, stop: int, dtype: type[np.float32] | type[np.float64] = np.float32
    ) -> Float32[np.ndarray, "m d"]:
        """Distinct rows start … stop−1 divided by their norms in float64, then rounded to `dtype`."""
        return self.unit_of(np.arange(start, stop), dtype)

    def unit_of(
        self, rows: Int64[np.ndarray, "m"], dtype: type[np.float32] | type[np.float64] = np.float32
    ) -> Float32[np.ndarray, "m d"]:
        """These distinct rows divided by their norms in float64, then rounded to `dtype`."""
        raw = self.x[self.first[rows]].astype(np.float64)
        raw /= np.sqrt(self.squared[rows])[:, None]
        return raw.astype(dtype, copy=False)


def read_rows(rows: Rows) -> Float32[np.ndarray, "n d"]:
    """All rows as one C-ordered float32 array, a view where the source allows it; UsageError for none."""
    n, d = rows.shape
    if n < 1 or d < 1:
        raise UsageError(f"expected at least one row and one coordinate, found {n:,} × {d:,}")
    return np.ascontiguousarray(rows.block(0, n), np.float32)


def row_hashes(x: Float32[np.ndarray, "m d"]) -> UInt64[np.ndarray, "m"]:
    """A 64-bit hash of each row's decoded values; equal rows agree, −0.0 and 0.0 being equal."""
    bits = (x + np.float32(0)).view(np.uint32)
    total = np.zeros(len(x), np.uint64)
    for q in range(bits.shape[1]):
        total = total * np.uint64(0x9E3779B97F4A7C15) + bits[:, q]
        total ^= total >> np.uint64(29)
    return total


def merge(x: Float32[np.ndarray, "n d"], hashes: UInt64[np.ndarray, "n"]) -> tuple[np.ndarray, np.ndarray]:
    """(first, group) of rows with equal values; a hash only proposes, values decide."""
    order = np.argsort(hashes, kind="stable")
    same = hashes[order[1:]] == hashes[order[:-1]]
    leader = np.arange(len(x))
    edges = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]])))
    for a, b in edges.reshape(-1, 2):
        _lead(x, order[a : b + 1], leader)
    first, group = np.unique(leader, return_inverse=True)
    return first.astype(np.int64), group.astype(np.int64)


def _lead(x: np.ndarray, members: np.ndarray, leader: np.ndarray) -> None:
    """Write the first equal position for positions of one hash, ascending."""
    while len(members):
        equal = (x[members] == x[members[0]]).all(axis=1)
        leader[members[equal]] = members[0]
        members = members[~equal]


def distinct(x: Float32[np.ndarray, "n d"]) -> Distinct:
    """Merge equal rows; the small, uncompiled way."""
    hashes = np.concatenate([row_hashes(x[a : a + BLOCK]) for a in range(0, len(x), BLOCK)])
    first, group = merge(x, hashes)
    squared = np.concatenate([squared_norms(x[first[a : a + BLOCK]]) for a in range(0, len(first), BLOCK)])
    return Distinct(x, first, group, squared)
