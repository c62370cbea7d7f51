"""The protocol of a row decoder, and the two that need no file.

A row decoder hands out float32 rows of a table that is stored in some other way, in blocks or by id, so that
opening a table never needs more than the table as stored plus one block.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from armillary.shapes import Bool, Float32, Integer


class RowDecoder(Protocol):
    """Rows as stored, decoded to float32 on demand. Never writes to what is stored."""

    @property
    def shape(self) -> tuple[int, int]:
        """(V, d)"""
        ...

    def block(self, start: int, stop: int) -> Float32[np.ndarray, "n d"]:
        """Rows start … stop−1, C order; may be a read-only view of what is stored."""
        ...

    def take(self, ids: Integer[np.ndarray, "n"]) -> Float32[np.ndarray, "n d"]:
        """The rows of these ids, in this order, as a new array."""
        ...


@runtime_checkable
class LossyRows(Protocol):
    """Rows that may be stored more precisely than float32 can hold."""

    def relative_loss(self, start: int, stop: int) -> float:
        """The largest relative error of float32 in rows start … stop−1; 0 where nothing is lost."""
        ...

    def outside(self, start: int, stop: int) -> Bool[np.ndarray, "n"]:
        """Which of the rows start … stop−1 float32 cannot hold: infinite or zero only because they were decoded."""
        ...


def relative_loss(exact: NDArray[np.generic], rounded: Float32[np.ndarray, "n d"]) -> float:
    """max |x − float32(x)| / |x| over the finite non-zero x whose float32 is finite, computed in float64."""
    wide = exact.astype(np.float64)
    counted = (wide != 0) & np.isfinite(rounded)
    return float(np.max(np.abs(wide[counted] - rounded[counted]) / np.abs(wide[counted]), initial=0.0))


def outside_float32(exact: NDArray[np.generic], rounded: Float32[np.ndarray, "n d"]) -> Bool[np.ndarray, "n"]:
    """Rows with a finite number whose float32 is infinite, and rows that are not zero but whose float32 is."""
    overflown = (np.isfinite(exact) & ~np.isfinite(rounded)).any(axis=1)
    with np.errstate(invalid="ignore"):  # a NaN that signals
        return overflown | ((exact != 0).any(axis=1) & (rounded == 0).all(axis=1))


class ArrayRows:
    """Rows of any two-dimensional numeric array, mapped or in memory; float64 and float16 are cast by block."""

    def __init__(self, array: NDArray[np.generic]) -> None:
        self._array = array
        self.shape: tuple[int, int] = (int(array.shape[0]), int(array.shape[1]))

    def block(self, start: int, stop: int) -> Float32[np.ndarray, "n d"]:
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # a float64 beyond float32 becomes inf, and is reported as non-finite
            return np.ascontiguousarray(self._array[start:stop], dtype=np.float32)

    def take(self, ids: Integer[np.ndarray, "n"] | Sequence[int]) -> Float32[np.ndarray, "n d"]:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.array(self._array[np.asarray(ids, np.int64)], dtype=np.float32, order="C")

    def relative_loss(self, start: int, stop: int) -> float:
        """The largest relative error of float32 in rows start … stop−1; 0 for types that float32 holds."""
        return 0.0 if self._exact else relative_loss(self._array[start:stop], self.block(start, stop))

    def outside(self, start: int, stop: int) -> Bool[np.ndarray, "n"]:
        """Which of the rows start … stop−1 float32 cannot hold."""
        if self._exact:
            return np.zeros(stop - start, bool)
        return outside_float32(self._array[start:stop], self.block(start, stop))

    @property
    def _exact(self) -> bool:
        return self._array.dtype.itemsize <= 2 or self._array.dtype == np.float32
