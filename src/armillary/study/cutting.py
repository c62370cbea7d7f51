"""A cut of a table: rows to fewer numbers, or to coarser ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from armillary.shapes import Float32
from armillary.sphere import Cloud
from armillary.table import Table


@dataclass(frozen=True, eq=False)
class Cutter:
    """Rows to reduced rows. int8: one step for all coordinates, ±127 at max|mean| + 4·max sd; binary: sign
    of the centred row."""

    kind: str
    size: int
    cloud: Cloud

    def __call__(self, x: Float32[np.ndarray, "n d"]) -> Float32[np.ndarray, "n m"]:
        if self.kind == "components":  # with the mean's part along them, so that the full size changes no cosine
            return (x @ (self.cloud.principal[1][: self.size].T * self._unit)).astype(np.float32)
        if self.kind == "coordinates":
            return x[:, : self.size]
        if self.kind == "binary":
            return np.where(x >= self.cloud.mean, 1.0, -1.0).astype(np.float32)
        reach = np.abs(self.cloud.mean).max() + 4 * np.sqrt(np.diag(self.cloud.covariance).max())
        return np.clip(np.rint(x * (127 / (reach or 1.0))), -127, 127).astype(np.float32)

    @cached_property
    def _unit(self) -> float:
        """A power of two that brings rows to a length near 1: no projection leaves float32, and no cosine changes."""
        squared = float(np.trace(self.cloud.second_moment))
        return 2.0 ** -round(np.log2(squared) / 2) if squared > 0 else 1.0


class CutRows:
    """The rows of a table through a cut, made when they are asked for."""

    def __init__(self, table: Table, cut: Cutter) -> None:
        self._rows, self._cut = table.vectors, cut
        self.shape: tuple[int, int] = (table.shape[0], cut(np.zeros((1, table.shape[1]), np.float32)).shape[1])

    def block(self, start: int, stop: int) -> np.ndarray:
        return self._cut(self._rows.block(start, stop))

    def take(self, ids: np.ndarray) -> np.ndarray:
        return self._cut(self._rows.take(ids))
