"""Intrinsic dimension: how many directions a row's neighbourhood really has, from ratios of nearest distances.

Both estimators are biased low in many dimensions, since neighbours are then far away. So the value of normal rows of
the same number and width stands beside each: only what is below that null says that the table is thin.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from armillary.geometry.distances import distinct_sample, nearest_distances
from armillary.measure import Definition, Measure, Null, Nulls
from armillary.shapes import Float32, Float64
from armillary.sphere import Code

ROWS, K, DROPPED, SEED = 10_000, 20, 0.1, 0

_SPACE = "raw rows, Euclidean distances, equal rows counted once"
TWO_NN = Definition(
    name="two_nn",
    title="Intrinsic dimension (TwoNN)",
    formula="slope through 0 of −ln(1 − i/n) on ln(r₂/r₁), sorted, the largest 10 % left out",
    meaning="The dimension that makes the ratio of second to first nearest distance as it is.",
    source="Facco, d'Errico, Rodriguez & Laio 2017",
    space=_SPACE,
    unit="dimensions",
    low=0.0,
)
MLE_DIMENSION = Definition(
    name="mle_dimension",
    title="Intrinsic dimension (maximum likelihood)",
    formula="1/mean_i [(1/(k−1))·Σ_{j<k} ln(r_k/r_j)], k = 20",
    meaning="The dimension of the neighbourhood of the 20 nearest rows, the mean taken over inverses.",
    source="Levina & Bickel 2004; MacKay & Ghahramani 2005",
    space=_SPACE,
    unit="dimensions",
    low=0.0,
)
DEFINITIONS = (TWO_NN, MLE_DIMENSION)


def intrinsic_dimension(
    code: Code,
    *,
    rows: int = ROWS,
    k: int = K,
    seed: int = SEED,
    null: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> list[Measure]:
    """TwoNN and MLE on at most `rows` distinct rows; none where fewer than k + 1 are distinct.

    The error is the standard error of the fit alone. `null`: also for normal rows of the same size, drawn with `seed`.
    `progress`: (rows done, rows) of the table's own.
    """
    x = distinct_sample(code, rows, seed)
    if len(x) <= k:
        return []
    found = _estimates(x, k, progress)
    chance = _estimates(np.random.default_rng(seed).standard_normal(x.shape, np.float32), k) if null else (None, None)
    how = f"one draw of {len(x):,} normal rows in {x.shape[1]:,} dimensions"
    detail = {"rows_of_code": len(code), "distinct_sampled": len(x), "k": k, "dropped": DROPPED}
    errors = (1.0 / math.sqrt((1 - DROPPED) * len(x)), 1.0 / math.sqrt(len(x) * (k - 1.0)))
    return [
        Measure(
            definition,
            value,
            len(x),
            "estimate",
            value * error,
            Nulls(random=None if drawn is None else Null(drawn, how)),
            detail,
        )
        for definition, value, drawn, error in zip(DEFINITIONS, found, chance, errors, strict=True)
    ]


def two_nn(distances: Float64[np.ndarray, "n k"], dropped: float = DROPPED) -> float:
    """The TwoNN dimension of nearest distances r₁, r₂, … (ascending, above 0); infinite where all ratios are 1."""
    ratios = np.sort(np.log(distances[:, 1] / distances[:, 0]))
    n = len(ratios)
    kept = max(1, int(n * (1.0 - dropped)))
    x, y = ratios[:kept], -np.log1p(-np.arange(1, kept + 1) / (n + (kept == n)))
    return _quotient(float(x @ y), float(x @ x))


def mle_dimension(distances: Float64[np.ndarray, "n k"]) -> float:
    """The harmonic maximum-likelihood dimension of the k nearest distances (ascending, above 0)."""
    k = distances.shape[1]
    inverse = np.log(distances[:, -1:] / distances[:, :-1]).sum(1) / (k - 1.0)
    return _quotient(1.0, float(inverse.mean()))


def _estimates(
    x: Float32[np.ndarray, "n d"], k: int, progress: Callable[[int, int], None] | None = None
) -> tuple[float, float]:
    distances = nearest_distances(x, k, progress)
    distances = distances[distances[:, 0] > 0]  # rows so close that even their float64 difference is 0
    return (two_nn(distances), mle_dimension(distances)) if len(distances) else (0.0, 0.0)


def _quotient(a: float, b: float) -> float:
    return a / b if b > 0 else math.inf
