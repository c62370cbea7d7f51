"""The exact optimum of skip-gram with negative sampling on a small table of counts.

With as many dimensions as words nothing is lost, and the expected loss

    −Σ_{w,c} #(w,c) log σ(w·c) + k #(w) P(c) log σ(−w·c)

has its least value where w·c = PMI(w, c) − log k (Levy & Goldberg 2014). It is minimised here over W and C, from
random vectors, without being told so.
"""

from __future__ import annotations

import numpy as np

from armillary.errors import UsageError
from armillary.shapes import Float64

LARGEST = 64  # words; a dense problem
SWEEPS = 60


def optimum(
    counts: Float64[np.ndarray, "v v"], negative: int = 5, smoothing: float = 0.75, seed: int = 0
) -> tuple[Float64[np.ndarray, "v v"], Float64[np.ndarray, "v v"]]:
    """W and C at the least expected loss, by alternating Newton steps from random vectors.

    For fixed C each row of W is a weighted logistic regression, which is convex; so for W and each row of C.
    UsageError unless every count is above 0 (else the optimum is at −∞) and there are 2 to 64 words.
    """
    counts = np.asarray(counts, np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not 2 <= len(counts) <= LARGEST:
        raise UsageError(f"expected a square table of 2 to {LARGEST} words, found shape {counts.shape}")
    if not (counts > 0).all():
        raise UsageError("expected every pair to occur together, found a count of 0", "its w·c would have no optimum")
    context = counts.sum(axis=0) ** smoothing
    against = negative * np.outer(counts.sum(axis=1), context / context.sum())
    size = len(counts)
    generator = np.random.default_rng(seed)
    w, c = generator.standard_normal((2, size, size)) / size**0.5
    for _ in range(SWEEPS):
        w = _regress(w, c, counts, against)
        c = _regress(c, w, counts.T, against.T)
    return w, c


def _regress(moving: np.ndarray, fixed: np.ndarray, seen: np.ndarray, against: np.ndarray) -> np.ndarray:
    """One damped Newton step for every row of `moving`, its products with `fixed` being the logits."""
    moved = moving.copy()
    total = seen + against
    for i in range(len(moving)):
        logits = fixed @ moving[i]
        share = 1.0 / (1.0 + np.exp(-logits))
        curvature = total[i] * share * (1.0 - share)
        gradient = fixed.T @ (total[i] * share - seen[i])
        hessian = fixed.T @ (curvature[:, None] * fixed)
        step = np.linalg.lstsq(hessian, gradient, rcond=1e-14)[0]
        scale = min(1.0, 2.0 / max(float(np.abs(fixed @ step).max()), 1e-300))  # a logit moves by 2 at most
        moved[i] = moving[i] - scale * step
    return moved
