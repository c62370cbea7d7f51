"""The spectrum of noise: eigenvalues of the covariance of n independent rows of d coordinates of equal variance.

For n, d → ∞ at γ = d/n they fill [σ²(1−√γ)², σ²(1+√γ)²]; for γ > 1 a share 1 − 1/γ of them is 0. An eigenvalue above
the upper edge is no noise of that kind. Source: Marchenko & Pastur 1967.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.errors import UsageError


def marchenko_pastur_edges(rows: int, dimension: int, variance: float = 1.0) -> tuple[float, float]:
    """(lower, upper) edge of the non-zero eigenvalues; `variance` σ² is that of one coordinate (1/d on the sphere)."""
    gamma = _ratio(rows, dimension)
    return variance * (1.0 - math.sqrt(gamma)) ** 2, variance * (1.0 + math.sqrt(gamma)) ** 2


def marchenko_pastur_density(
    eigenvalues: ArrayLike, rows: int, dimension: int, variance: float = 1.0
) -> NDArray[np.float64]:
    """Density of the non-zero eigenvalues at x; it integrates to min(1, 1/γ).

    √((x₊−x)(x−x₋))/(2πσ²γx) between the edges, 0 outside.
    """
    gamma = _ratio(rows, dimension)
    low, high = marchenko_pastur_edges(rows, dimension, variance)
    x = np.asarray(eigenvalues, np.float64)
    inside = (x > low) & (x < high)
    safe = np.where(inside, x, 0.5 * (low + high))
    return np.where(inside, np.sqrt((high - safe) * (safe - low)) / (2 * math.pi * variance * gamma * safe), 0.0)


def marchenko_pastur_quantiles(rows: int, dimension: int, count: int, variance: float = 1.0) -> NDArray[np.float64]:
    """The eigenvalues to expect, largest first: quantiles (i − ½)/count of the non-zero part of the law (count ≥ 1)."""
    low, high = marchenko_pastur_edges(rows, dimension, variance)
    angle = np.linspace(0.0, math.pi, 4097)  # x = middle − half·cos(angle): the roots at the edges become smooth
    x = 0.5 * (low + high) - 0.5 * (high - low) * np.cos(angle)
    mass = marchenko_pastur_density(x, rows, dimension, variance) * np.sin(angle)
    below = np.concatenate([[0.0], np.cumsum(0.5 * (mass[1:] + mass[:-1]))])
    places = (np.arange(count)[::-1] + 0.5) / count
    return np.interp(places, below / below[-1], x)


def _ratio(rows: int, dimension: int) -> float:
    if rows < 1 or dimension < 1:
        raise UsageError(f"expected at least one row and one dimension, found {rows} and {dimension}")
    return dimension / rows
