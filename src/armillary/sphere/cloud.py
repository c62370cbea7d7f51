"""The cloud of a code: mean and covariance of its raw rows, each row counted once or by a weight.

One pass in blocks, in float64, so that a table larger than memory has its cloud too. Rows are shifted by the first one
before they are squared, so that a cloud far from the origin keeps the digits of its covariance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from armillary.errors import UsageError
from armillary.shapes import Float64
from armillary.sphere.code import Code


@dataclass(frozen=True, eq=False)
class Cloud:
    """Mean (d) and covariance (d, d) of `rows` rows under weights that sum to 1; the covariance divides by that 1.

    `known`: how many rows have a weight above 0.
    """

    mean: Float64[np.ndarray, "d"]
    covariance: Float64[np.ndarray, "d d"]
    rows: int
    known: int

    @cached_property
    def principal(self) -> tuple[Float64[np.ndarray, "d"], Float64[np.ndarray, "d d"]]:
        """Eigenvalues of the covariance, descending, at least 0, and their unit axes as rows."""
        variances, axes = np.linalg.eigh(self.covariance)
        return np.maximum(variances[::-1], 0.0), np.ascontiguousarray(axes.T[::-1])

    @property
    def rank(self) -> int:
        """How many eigenvalues are more than rounding, λ > λ₁·d·2⁻⁵⁰; at most rows − 1."""
        variances = self.principal[0]
        real = variances > variances[0] * len(variances) * 2.0**-50
        return int(min(real.sum(), max(0, self.known - 1)))

    @property
    def second_moment(self) -> Float64[np.ndarray, "d d"]:
        """Σ p·x·xᵀ = covariance + mean·meanᵀ: the cloud as seen from the origin, not centred."""
        return self.covariance + np.outer(self.mean, self.mean)


def cloud(
    code: Code,
    weights: Float64[np.ndarray, "n"] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Cloud:
    """The cloud of a code; `weights` (n, such as token frequencies) need not sum to 1, NaN counts as 0.

    UsageError for weights of another length, negative, infinite or all zero. progress(rows done, rows).
    """
    n, d = code.shape
    p = shares(weights, n)
    origin = code.block(0, 1)[0].astype(np.float64)
    mean, square = np.zeros(d), np.zeros((d, d))
    for start, block, _ in code.blocks():
        shifted = block - origin
        scaled = shifted if p is None else shifted * np.sqrt(p[start : start + len(block), None])
        mean += shifted.sum(0) if p is None else p[start : start + len(block)] @ shifted
        square += scaled.T @ scaled
        if progress:
            progress(start + len(block), n)
    total = n if p is None else 1.0
    offset = mean / total
    known = n if p is None else int((p > 0).sum())
    return Cloud(origin + offset, square / total - np.outer(offset, offset), n, known)


def shares(weights: Float64[np.ndarray, "n"] | None, n: int) -> Float64[np.ndarray, "n"] | None:
    """Weights as shares that sum to 1, NaN as 0; None for None."""
    if weights is None:
        return None
    p = np.nan_to_num(np.asarray(weights, np.float64), nan=0.0, posinf=np.inf)
    if p.shape != (n,):
        raise UsageError(f"expected {n:,} weights, one a row, found shape {p.shape}")
    if not np.isfinite(p).all() or (p < 0).any() or not p.any():
        raise UsageError("expected weights of 0 or more, at least one above 0, found others")
    return p / p.sum()
