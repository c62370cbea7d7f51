"""A repair: a map of vectors with the record of how it was fitted. The same for documents, queries and whole tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import UsageError
from armillary.shapes import Float64

_BLOCK = 4096


@dataclass(frozen=True, eq=False)
class Layer:
    """One hidden layer beside the linear map: max(0, z·enter + bias)·leave. `enter` (m, h), `bias` (h), `leave` (h, m)."""

    enter: Float64[np.ndarray, "m h"]
    bias: Float64[np.ndarray, "h"]
    leave: Float64[np.ndarray, "h m"]


@dataclass(frozen=True, eq=False)
class Repair:
    """z = (x − mean)·matrix + offset, and with a `layer` z + max(0, z·enter + bias)·leave.

    `method` and `parameters` say how it was fitted (numbers and words, as JSON holds them). `mean` (d), `matrix`
    (d, m), `offset` (m) or None for 0.
    """

    method: str
    parameters: Mapping[str, Any]
    matrix: Float64[np.ndarray, "d m"] = field(repr=False)
    mean: Float64[np.ndarray, "d"] = field(repr=False)
    offset: Float64[np.ndarray, "m"] | None = field(default=None, repr=False)
    layer: Layer | None = field(default=None, repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """(width taken, width given)"""
        return self.matrix.shape[0], self.matrix.shape[1]

    def apply(self, vectors: ArrayLike) -> Float64[np.ndarray, "n m"]:
        """The repaired vectors (n, m) in float64, or (m) for a single one.

        A zero row has no direction and stays zero; a row with a value that is not finite becomes NaN throughout.
        UsageError for vectors of another width.
        """
        x = np.asarray(vectors)
        if x.shape[-1:] != self.mean.shape or x.ndim not in (1, 2):
            raise UsageError(
                f"expected vectors of {self.shape[0]:,} coordinates, as the repair was fitted on, found shape {x.shape}"
            )
        rows = np.atleast_2d(x)
        out = np.empty((len(rows), self.shape[1]))
        for start in range(0, len(rows), _BLOCK):
            out[start : start + _BLOCK] = self._mapped(rows[start : start + _BLOCK].astype(np.float64))
        return out[0] if x.ndim == 1 else out

    def _mapped(self, x: Float64[np.ndarray, "n d"]) -> Float64[np.ndarray, "n m"]:
        finite = np.asarray(np.isfinite(x).all(axis=1))
        none = np.logical_not(x.any(axis=1))
        if not finite.all():
            x = np.where(finite[:, None], x, 0.0)
        z = (x - self.mean) @ self.matrix
        if self.offset is not None:
            z += self.offset
        if self.layer is not None:
            z += np.maximum(0.0, z @ self.layer.enter + self.layer.bias) @ self.layer.leave
        z[none] = 0.0
        z[~finite] = np.nan
        return z

    def to_dict(self) -> dict[str, Any]:
        return {"method": self.method, "parameters": dict(self.parameters), "shape": list(self.shape)}
