"""Pictures of words in two or three dimensions, and what they get wrong, point by point.

A projection is for the eye. So that nobody measures on it, every point comes with the share of its squared distance
from the centre that the picture drops, and with how many of its true neighbours stay its neighbours there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armillary.shapes import Float64

RECALL_AT = 5


@dataclass(frozen=True, eq=False)
class Projection:
    """Principal components of some rows. `points` (n, c); `explained`: each component's share of the variance;
    `lost`: per point, the share of its squared distance from the mean outside the picture; `recall`: per point, the
    share of its 5 nearest among these rows (by cosine) that are among its 5 nearest in the picture.
    """

    points: Float64[np.ndarray, "n c"]
    explained: Float64[np.ndarray, "c"]
    lost: Float64[np.ndarray, "n"]
    recall: Float64[np.ndarray, "n"]

    def to_dict(self) -> dict[str, object]:
        return {k: np.asarray(v).tolist() for k, v in self.__dict__.items()}


def principal_components(
    rows: Float64[np.ndarray, "n d"], components: int, neighbors: np.ndarray | None = None
) -> Projection:
    """PCA of centred rows; each component's largest coefficient is positive, so that the picture does not flip."""
    centred = rows - rows.mean(axis=0)
    _, values, axes = np.linalg.svd(centred, full_matrices=False)
    components = min(components, len(axes))
    axes = axes[:components]
    axes = axes * np.sign(axes[np.arange(components), np.abs(axes).argmax(axis=1)])[:, None]
    points = centred @ axes.T
    whole = (centred**2).sum(axis=1)
    total = float((values**2).sum()) or 1.0
    lost = 1 - np.divide((points**2).sum(axis=1), whole, out=np.ones(len(rows)), where=whole > 0)
    near = nearest(rows @ rows.T) if neighbors is None else neighbors
    return Projection(points, values[:components] ** 2 / total, np.clip(lost, 0, 1), _recall(points, near))


def nearest(similarities: Float64[np.ndarray, "n n"], k: int = RECALL_AT) -> np.ndarray:
    """(n, k): the k most similar others of each, by (similarity descending, position ascending)."""
    scores = similarities.copy()
    np.fill_diagonal(scores, -np.inf)
    k = min(k, len(scores) - 1)
    return np.argsort(-scores, axis=1, kind="stable")[:, :k]


def _recall(points: np.ndarray, near: np.ndarray) -> np.ndarray:
    squared = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    shown = nearest(-squared, near.shape[1])
    return np.array([len(set(a) & set(b)) / max(1, len(a)) for a, b in zip(near.tolist(), shown.tolist(), strict=True)])
