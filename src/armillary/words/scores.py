"""Scores of an analogy, all from the cosines of the input words to every row.

3CosAdd: cos(Σ c_i û_i, x) = Σ c_i cos(u_i, x)/‖Σ c_i û_i‖ (Mikolov, Yih & Zweig 2013). 3CosMul: Π s_i^{c_i} with the
shifted cosine s = (1 + cos)/2, negative terms plus ε (Levy & Goldberg 2014). PairDistance: cos(b − a, x − c) over unit
rows. Since every score is made of the same exact cosines, equal rows tie exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from armillary.errors import UsageError
from armillary.shapes import Float64
from armillary.words.cosines import cosines_between
from armillary.words.word import Word

Method = Literal["3CosAdd", "3CosMul", "PairDistance"]
METHODS: tuple[Method, ...] = get_args(Method)
EPSILON = 1e-6


def score(
    method: Method,
    cosines: Float64[np.ndarray, "m V"],
    coefficients: Float64[np.ndarray, "m"],
    words: Sequence[Word],
    raw_rows: bool = False,
) -> Float64[np.ndarray, "V"]:
    """Score of every row; −inf where a row has no direction."""
    rows = np.stack([w.vector for w in words])
    lost = ~np.isfinite(cosines).all(axis=0)
    safe = np.where(lost, 0.0, cosines)
    if method == "3CosMul":
        values = three_cos_mul(safe, coefficients)
    elif method == "PairDistance":
        values = _pair_distance_of(safe, coefficients, cosines_between(rows, rows))
    else:
        weights = coefficients * np.array([w.norm for w in words]) if raw_rows else coefficients
        values = three_cos_add(safe, weights, cosines_between(rows, rows))
    return np.where(lost, -np.inf, values)


def three_cos_add(
    cosines: Float64[np.ndarray, "m V"], coefficients: Float64[np.ndarray, "m"], among: Float64[np.ndarray, "m m"]
) -> Float64[np.ndarray, "V"]:
    """Cosine of every row to the weighted sum of unit inputs; `among` is the inputs' own cosines."""
    length = float(np.sqrt(max(0.0, coefficients @ among @ coefficients)))
    if length < 1e-12:
        raise UsageError("expected an expression with a direction, found one whose words cancel out")
    return _weighted_sum(cosines, coefficients / length)


def three_cos_mul(
    cosines: Float64[np.ndarray, "m V"], coefficients: Float64[np.ndarray, "m"]
) -> Float64[np.ndarray, "V"]:
    """Product of shifted cosines to their coefficients' powers, ε = 1e-6 in the divisors."""
    shifted = (1 + cosines) / 2
    values = np.ones(cosines.shape[1])
    for s, c in zip(shifted, coefficients, strict=True):
        values = values * s**c if c > 0 else values / (s + EPSILON) ** -c
    return values


def pair_distance(
    to_a: Float64[np.ndarray, "V"],
    to_b: Float64[np.ndarray, "V"],
    to_c: Float64[np.ndarray, "V"],
    ab: float,
    ac: float,
    bc: float,
) -> Float64[np.ndarray, "V"]:
    """cos(b − a, x − c) of unit rows; −1 where x = c, whose difference has no direction."""
    offset = np.sqrt(max(0.0, 2 - 2 * ab))
    lengths = np.sqrt(np.maximum(0.0, 2 - 2 * to_c))
    with np.errstate(invalid="ignore", divide="ignore"):
        values = ((to_b - to_a) - (bc - ac)) / (offset * lengths)
    return np.where(lengths > 1e-7, np.clip(values, -1, 1), -1.0)


def _pair_distance_of(cosines: np.ndarray, coefficients: np.ndarray, among: np.ndarray) -> np.ndarray:
    """For c − a + b: the first term added is c, the other b."""
    plus, minus = np.flatnonzero(coefficients == 1), np.flatnonzero(coefficients == -1)
    if len(plus) != 2 or len(minus) != 1 or len(coefficients) != 3:
        raise UsageError("expected a question of the form c - a + b for PairDistance, found another sum")
    a, b, c = int(minus[0]), int(plus[1]), int(plus[0])
    return pair_distance(cosines[a], cosines[b], cosines[c], among[a, b], among[a, c], among[b, c])


def _weighted_sum(cosines: np.ndarray, weights: np.ndarray) -> np.ndarray:
    total = np.zeros(cosines.shape[1], np.float64)
    for w, c in zip(weights, cosines, strict=True):  # in order, so that equal rows tie
        total += w * c
    return total
