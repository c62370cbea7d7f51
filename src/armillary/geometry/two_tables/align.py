"""Cosines of joined rows as they are, after the best rotation, and after the best linear map.

    identity      cos(x_i, y_i)
    Procrustes    cos(x_i Q, y_i),  Q = argmin ‖XQ − Y‖_F over QᵀQ = I   (from the singular vectors of XᵀY)
    least squares cos(x_i W, y_i),  W = argmin ‖XW − Y‖_F over all W

Raw rows, not centred. A map always fits something: its null is the same fit after the rows of Y were shuffled.
Schönemann 1966.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from armillary.measure import Definition, Measure, Null, Nulls
from armillary.shapes import Float32, Float64

_SPACE = "raw rows of the joined tokens, not centred"


def _definition(name: str, title: str, formula: str, meaning: str, source: str) -> Definition:
    return Definition(name, title, formula, meaning, source, _SPACE, low=-1.0, high=1.0)


IDENTITY = _definition(
    "cosine_identity",
    "Mean cosine of the same token",
    "mean cos(x_i, y_i)",
    "How far the rows kept their directions. 1 where nothing but lengths changed.",
    "elementary",
)
PROCRUSTES = _definition(
    "cosine_procrustes",
    "Mean cosine after the best rotation",
    "mean cos(x_i Q, y_i), QᵀQ = I",
    "How alike the two tables are once one is turned onto the other; a rotation changes no cosine within a table.",
    "Schönemann 1966",
)
LEAST_SQUARES = _definition(
    "cosine_least_squares",
    "Mean cosine after the best linear map",
    "mean cos(x_i W, y_i)",
    "How much of one table a linear map of the other recovers.",
    "elementary",
)
DEFINITIONS = (IDENTITY, PROCRUSTES, LEAST_SQUARES)
SEED = 0


@dataclass(frozen=True, eq=False)
class Aligned:
    """The measures, and for each joined token its cosine: as it is where widths agree, else after the rotation."""

    measures: tuple[Measure, ...]
    cosines: Float64[np.ndarray, "n"]
    how: str


def align(x: Float32[np.ndarray, "n d"], y: Float32[np.ndarray, "n e"]) -> Aligned:
    """The three cosines of joined rows; identity only where both are of one width.

    With bit-equal rows every optimum is the identity, and every cosine is exactly 1.
    """
    n = len(x)
    same_width = x.shape[1] == y.shape[1]
    measures: list[Measure] = []
    identity = row_cosines(x, y) if same_width else np.zeros(0)
    if same_width:
        shuffled = row_cosines(x, y[_permutation(n)])
        measures.append(_measure(IDENTITY, identity, shuffled))
        if np.array_equal(x, y):
            return Aligned(
                (*measures, _exactly_one(PROCRUSTES, n), _exactly_one(LEAST_SQUARES, n)), identity, "as it is"
            )
    rotated = row_cosines(_turned(x, y), y)
    measures.append(_measure(PROCRUSTES, rotated, _null(_turned, x, y)))
    if n > x.shape[1]:  # else the map fits anything
        measures.append(_measure(LEAST_SQUARES, row_cosines(_mapped(x, y), y), _null(_mapped, x, y)))
    return Aligned(tuple(measures), *((identity, "as it is") if same_width else (rotated, "after the best rotation")))


def row_cosines(x: np.ndarray, y: np.ndarray, step: int = 4096) -> Float64[np.ndarray, "n"]:
    """cos(x_i, y_i) = s_xy/√(s_xx·s_yy), products summed in float64, clipped to [−1, 1]; NaN for zero rows."""
    found = np.empty(len(x))
    for a in range(0, len(x), step):
        p, q = x[a : a + step].astype(np.float64), y[a : a + step].astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            found[a : a + step] = np.vecdot(p, q) / np.sqrt(np.vecdot(p, p) * np.vecdot(q, q))
    return np.clip(found, -1.0, 1.0)


def products(x: np.ndarray, y: np.ndarray, step: int = 4096) -> Float64[np.ndarray, "d e"]:
    """XᵀY in float64, by blocks of rows."""
    total = np.zeros((x.shape[1], y.shape[1]))
    for a in range(0, len(x), step):
        total += x[a : a + step].astype(np.float64).T @ y[a : a + step].astype(np.float64)
    return total


def _turned(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    left, _, right = np.linalg.svd(products(x, y), full_matrices=False)
    return x @ (left @ right)


def _mapped(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    gram = products(x, x)
    return x @ np.linalg.lstsq(gram, products(x, y), rcond=None)[0]


def _null(fit, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    shuffled = y[_permutation(len(y))]
    return row_cosines(fit(x, shuffled), shuffled)


def _permutation(n: int) -> np.ndarray:
    return np.random.default_rng(SEED).permutation(n)


def _measure(definition: Definition, cosines: np.ndarray, shuffled: np.ndarray) -> Measure:
    told = cosines[np.isfinite(cosines)]
    n = len(told)
    chance = float(np.nanmean(shuffled)) if n else 0.0
    nulls = Nulls(
        bound=Null(1.0, "equal tables"),
        random=Null(chance, "the same with the tokens of one table shuffled, seed 0", error=_error(shuffled)),
    )
    low, middle = (float(v) for v in np.quantile(told, [0.01, 0.5])) if n else (0.0, 0.0)
    value = 1.0 if n and told.min() == 1.0 else float(told.mean()) if n else 0.0
    return Measure(definition, value, n, nulls=nulls, detail={"lowest_1_percent": low, "median": middle})


def _error(values: np.ndarray) -> float | None:
    told = values[np.isfinite(values)]
    return float(told.std()) / math.sqrt(len(told)) if len(told) else None


def _exactly_one(definition: Definition, n: int) -> Measure:
    return Measure(definition, 1.0, n, nulls=Nulls(bound=Null(1.0, "equal tables")))
