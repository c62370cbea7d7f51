"""What meaning costs in angle: a packing that must also keep category pairs close.

A token table is no free packing: words of one kind are to lie near one another. Here the packing loss gets a second
term, weight λ times the mean of ‖u_i − u_j‖² over the pairs of one category (the alignment of Wang & Isola 2020), and
λ runs over a grid. At λ = 0 stands the packing alone; as λ grows the smallest angle is paid for the alignment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.answer import Listing
from armillary.errors import UsageError, check_seed
from armillary.origins.packing import energy
from armillary.origins.packing.polish import largest_cosine
from armillary.shapes import Float64, Int64

WEIGHTS = (0.0, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 1.0)
STAGES = (30.0, 120.0, 480.0, 2000.0)


@dataclass(frozen=True)
class FrontierPoint:
    """One λ: smallest angle in degrees, alignment, mean cosine within and between categories."""

    weight: float
    angle: float
    alignment: float
    within: float
    between: float


@dataclass(frozen=True, eq=False, repr=False)
class Frontier(Listing):
    """The frontier of smallest angle against alignment; `codes` are the packings, one a point."""

    size: int
    dimension: int
    categories: int
    points: tuple[FrontierPoint, ...]
    codes: tuple[np.ndarray, ...]
    interrupted: bool = False

    @property
    def title(self) -> str:
        return f"{self.size:,} unit vectors in {self.dimension:,} dimensions, {self.categories:,} categories kept close"

    def columns(self) -> dict[str, list[float]]:
        return {
            "weight": [p.weight for p in self.points],
            "angle": [p.angle for p in self.points],
            "alignment": [p.alignment for p in self.points],
            "within_cosine": [p.within for p in self.points],
            "between_cosine": [p.between for p in self.points],
        }

    def to_dict(self) -> dict[str, Any]:
        shape = {"size": self.size, "dimension": self.dimension, "categories": self.categories}
        return {**shape, "interrupted": self.interrupted, "points": self.columns()}


def frontier(
    categories: Int64[np.ndarray, "n"] | Sequence[int],
    dimension: int,
    weights: Sequence[float] = WEIGHTS,
    starts: int = 4,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Frontier:
    """Packings of n points, one category label each, at every weight λ of the alignment; the best of `starts` each.

    UsageError unless there are two points of one category, two categories, d ≥ 2 and λ ≥ 0.
    """
    check_seed(seed)
    labels = np.unique(np.asarray(categories), return_inverse=True)[1]
    same = labels[:, None] == labels[None, :]
    np.fill_diagonal(same, False)
    if not same.any() or labels.max() < 1 or dimension < 2 or min(weights, default=-1.0) < 0 or starts < 1:
        raise UsageError(
            "expected two categories or more, one with two points or more, d ≥ 2 and weights ≥ 0",
            "name a category for each point, as 0 0 0 1 1 1",
        )
    kinds, size = int(labels.max()) + 1, len(labels)
    points: list[FrontierPoint] = []
    codes: list[np.ndarray] = []
    try:
        for done, weight in enumerate(weights, start=1):
            rows = min(
                (_descend(energy.random_code(size, dimension, np.random.default_rng([seed, s])), same, weight)
                 for s in range(starts)),
                key=lambda found: found[0],
            )[1]  # fmt: skip
            codes.append(rows)
            points.append(_point(rows, same, weight))
            if progress:
                progress(done, len(weights))
    except KeyboardInterrupt:
        if not points:
            raise
        return Frontier(size, dimension, kinds, tuple(points), tuple(codes), interrupted=True)
    return Frontier(size, dimension, kinds, tuple(points), tuple(codes))


def objective(
    rows: Float64[np.ndarray, "n d"], sharpness: float, same: np.ndarray, weight: float
) -> tuple[float, Float64[np.ndarray, "n d"]]:
    """Soft maximum + λ·mean ‖u_i−u_j‖² over the pairs of one category, and its gradient in the raw rows."""
    value, gradient = energy.soft_maximum(rows, sharpness)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    directions = rows / lengths
    sums, pairs = same @ directions, same.sum()
    value += weight * (2.0 - 2.0 * float(np.sum(sums * directions)) / pairs)
    pull = -4.0 * weight / pairs * sums
    pull -= np.einsum("nd,nd->n", pull, directions)[:, None] * directions
    return value, gradient + pull / lengths


def _descend(rows: np.ndarray, same: np.ndarray, weight: float) -> tuple[float, np.ndarray]:
    from scipy.optimize import minimize

    shape, value = rows.shape, np.inf
    for sharpness in STAGES:
        found = minimize(
            lambda raw, beta: energy.flat(objective(raw.reshape(shape), beta, same, weight)),
            rows.ravel(),
            args=(sharpness,),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 150, "ftol": 1e-12},
        )
        rows, value = energy.unit(found.x.reshape(shape)), float(found.fun)
    return value, rows


def _point(rows: np.ndarray, same: np.ndarray, weight: float) -> FrontierPoint:
    cosines = rows @ rows.T
    other = ~same
    np.fill_diagonal(other, False)
    within, between = float(cosines[same].mean()), float(cosines[other].mean())
    angle = float(np.degrees(np.arccos(np.clip(largest_cosine(rows), -1.0, 1.0))))
    return FrontierPoint(weight, angle, 2.0 - 2.0 * within, within, between)
