"""Rows of a quantised table, decoded once into the user's cache as float32 and mapped from there ever after.

Many measures pass over a table several times, and most quantisations take longer to decode than to read (Q8_0 does
not, and never comes here). The file in
the cache is named by the sha256 of type, shape and stored bytes, so it can neither be stale nor be mistaken.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path

import numpy as np

from armillary.errors import ArmillaryError, WorkError
from armillary.formats.numbers import MappedRows
from armillary.shapes import Float32, Integer, UInt8
from armillary.storage import atomic_path, cache_directory
from armillary.table import ArrayRows

_BLOCK = 16 << 20  # decoded bytes written at a time


class CachedRows:
    """Row decoder that decodes the whole table into the cache when the first block is asked for.

    Single rows come straight from what is stored, so that looking a few up never decodes a table.
    """

    def __init__(self, rows: MappedRows, raw: UInt8[np.ndarray, "V b"], stored: str) -> None:
        self._rows = rows
        self._raw = raw
        self._stored = stored
        self.shape: tuple[int, int] = rows.shape

    @property
    def decoded_bytes(self) -> int:
        """What the decoded table takes in the cache."""
        return 4 * self.shape[0] * self.shape[1]

    def block(self, start: int, stop: int) -> Float32[np.ndarray, "n d"]:
        return self._decoded.block(start, stop)

    def take(self, ids: Integer[np.ndarray, "n"]) -> Float32[np.ndarray, "n d"]:
        return self._rows.take(ids)

    @cached_property
    def _decoded(self) -> ArrayRows:
        path = cache_directory("decoded") / f"{self._stored}-{self.shape[0]}x{self.shape[1]}-{self._key()}.npy"
        found = _mapped(path, self.shape)
        if found is None:
            self._write(path)
            found = _mapped(path, self.shape)
        assert found is not None, "a table just written is mapped"
        return ArrayRows(found)

    def _key(self) -> str:
        digest = hashlib.sha256(f"{self._stored} {self.shape[0]} {self.shape[1]}\n".encode())
        digest.update(self._raw.data)
        return digest.hexdigest()

    def _write(self, path: Path) -> None:
        rows, width = self.shape
        step = max(1, _BLOCK // (4 * width))
        header = {"descr": "<f4", "fortran_order": False, "shape": self.shape}
        try:
            with atomic_path(path) as temporary, temporary.open("wb") as file:  # not mapped: a full disk must not kill
                np.lib.format.write_array_header_1_0(file, header)
                for start in range(0, rows, step):
                    file.write(self._rows.block(start, min(start + step, rows)).astype("<f4", copy=False).data)
        except ArmillaryError as error:
            raise WorkError(
                f"decoding the table into the cache takes {self.decoded_bytes / 1e6:,.0f} MB, and failed: {error.message}",
                "free the space (armillary cache), set ARMILLARY_CACHE to another folder, or use --no-cache",
            ) from error


def _mapped(path: Path, shape: tuple[int, int]) -> np.ndarray | None:
    """The decoded table, or None if it is not there or not whole."""
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return array if array.shape == shape and array.dtype == np.dtype("<f4") else None
