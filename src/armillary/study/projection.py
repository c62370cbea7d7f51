"""The plane of the map: the first two principal components of the centred rows. For orientation, not for measuring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armillary.shapes import Float32, Float64, Int64

if TYPE_CHECKING:
    from armillary.study.study import Study

WITHIN = 0.99  # share of the points inside the unit square of the map, per axis


@dataclass(frozen=True, eq=False)
class Projection:
    """Coordinates of n rows on the two widest directions.

    `ids` (n). `xy` (n, 2): scaled by one factor so that 99 % of the points lie in [−1, 1] on either axis. `shown`
    (n): share of each centred row's squared length that lies in the plane, in [0, 1]. `explained` (2): shares of
    the variance, the wider first. `mean` (d) and `axes` (2, d): xy = axes·(x − mean) for any vector of the table's
    width.
    """

    ids: Int64[np.ndarray, "n"]
    xy: Float32[np.ndarray, "n 2"]
    shown: Float32[np.ndarray, "n"]
    explained: Float64[np.ndarray, "2"]
    mean: Float64[np.ndarray, "d"]
    axes: Float64[np.ndarray, "2 d"]


def projection_of(study: Study) -> Projection:
    """The map's plane of a study's code; a table of one dimension or one row lies on a line or a point."""
    first = study.first_pass
    variances, axes = first.principal
    plane = np.zeros((2, first.dimension))
    plane[: min(2, len(axes))] = axes[:2]
    plane *= _signs(plane)
    xy = np.empty((first.rows, 2))
    shown = np.empty(first.rows)
    for start, block, _ in study.code.blocks():
        centred = block - first.mean
        flat = centred @ plane.T
        xy[start : start + len(block)] = flat
        whole = np.einsum("nd,nd->n", centred, centred)
        shown[start : start + len(block)] = np.einsum("nc,nc->n", flat, flat) / np.where(whole > 0, whole, 1.0)
    scale = float(np.quantile(np.abs(xy).max(1), WITHIN)) or 1.0
    total = float(variances.sum()) or 1.0
    explained = np.pad(variances[:2], (0, max(0, 2 - len(variances)))) / total
    flat = (xy / scale).astype(np.float32)
    return Projection(study.code.ids, flat, shown.astype(np.float32), explained, first.mean, plane / scale)


def _signs(plane: Float64[np.ndarray, "2 d"]) -> Float64[np.ndarray, "2 1"]:
    """An eigenvector has no sign of its own: its largest coordinate by size is made positive."""
    largest = plane[np.arange(2), np.abs(plane).argmax(1)]
    return np.where(largest < 0, -1.0, 1.0)[:, None]
