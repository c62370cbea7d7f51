"""Linear CKA: how alike two tables arrange the same tokens, whatever the axes and the common scale.

CKA = ‖X̃ᵀỸ‖²_F / (‖X̃ᵀX̃‖_F ‖ỸᵀỸ‖_F),  X̃, Ỹ the raw rows minus their means
"""

from __future__ import annotations

import numpy as np

from armillary.geometry.two_tables.align import SEED, products
from armillary.measure import Definition, Measure, Null, Nulls
from armillary.shapes import Float32

LINEAR_CKA = Definition(
    "linear_cka",
    "Linear CKA",
    "‖X̃ᵀỸ‖²_F / (‖X̃ᵀX̃‖_F ‖ỸᵀỸ‖_F)",
    "Whether the same tokens are alike in both tables: 1 where one is the other turned, shifted or scaled as a whole. "
    "Long rows weigh more than short ones.",
    "Kornblith et al. 2019",
    "raw rows of the joined tokens, centred",
    low=0.0,
    high=1.0,
)


def linear_cka(x: Float32[np.ndarray, "n d"], y: Float32[np.ndarray, "n e"]) -> Measure:
    """Linear CKA of joined rows, beside its value for shuffled tokens; NaN where a table does not vary."""
    n = len(x)
    if x.shape == y.shape and np.array_equal(x, y) and bool((x != x[:1]).any()):
        return Measure(LINEAR_CKA, 1.0, n, nulls=Nulls(bound=Null(1.0, "equal tables")))
    own = np.sqrt(_squared(_centred(x, x)) * _squared(_centred(y, y)))
    order = np.random.default_rng(SEED).permutation(n)
    with np.errstate(invalid="ignore", divide="ignore"):
        value, chance = (float(_squared(_centred(x, z)) / own) for z in (y, y[order]))
    nulls = Nulls(Null(1.0, "equal tables"), Null(chance, "the same with the tokens of one table shuffled, seed 0"))
    return Measure(LINEAR_CKA, min(value, 1.0), n, nulls=nulls)


def _centred(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """X̃ᵀỸ = XᵀY − n·x̄ȳᵀ, shifted by the first row so that a far cloud keeps its digits."""
    x, y = x - x[:1], y - y[:1]
    return products(x, y) - len(x) * np.outer(x.mean(axis=0, dtype=np.float64), y.mean(axis=0, dtype=np.float64))


def _squared(matrix: np.ndarray) -> np.float64:
    return np.float64(np.vdot(matrix, matrix))
