"""The smooth stand-in for the largest cosine of a code, and its descent.

The largest cosine has no gradient where two pairs tie, and at a good packing nearly all closest pairs tie. So what
is descended is log-sum-exp at sharpness β, which lies above the largest cosine by at most log(pairs)/β, with β
growing stage by stage. Where the first β is soft every start falls into the same few basins (N = 14 on the 2-sphere
is then never found); where it is hard the landscape is rugged. Hence mixed first sharpness, one per start.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armillary.shapes import Float64

FIRST_SHARPNESS = (30.0, 60.0, 100.0, 200.0, 400.0, 1000.0)
LAST_SHARPNESS = 3e4
GROWTH = 4.0


def random_code(size: int, dimension: int, generator: np.random.Generator) -> Float64[np.ndarray, "n d"]:
    """Independent uniform unit vectors."""
    return unit(generator.standard_normal((size, dimension)))


def unit(rows: Float64[np.ndarray, "n d"]) -> Float64[np.ndarray, "n d"]:
    """Rows divided by their lengths."""
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def soft_maximum(
    rows: Float64[np.ndarray, "n d"], sharpness: float, lines: bool = False
) -> tuple[float, Float64[np.ndarray, "n d"]]:
    """(1/β) log Σ_{i≠j} exp(β cos_ij) and its gradient in the raw rows; |cos| instead of cos for lines.

    For lines the sum runs over both signs of each cosine, which is the same soft maximum over 2n antipodal points.
    """
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    directions = rows / lengths
    cosines = directions @ directions.T
    np.fill_diagonal(cosines, 0.0 if lines else -1.0)
    largest = float(np.max(np.abs(cosines) if lines else cosines))
    weights = np.exp(sharpness * (cosines - largest))
    np.fill_diagonal(weights, 0.0)
    total = weights.sum()
    if lines:
        minus = np.exp(-sharpness * (cosines + largest))
        np.fill_diagonal(minus, 0.0)
        total += minus.sum()
        weights -= minus
    pull = (2.0 / total) * (weights @ directions)  # each unordered pair stands in the sum twice
    tangent = pull - np.einsum("nd,nd->n", pull, directions)[:, None] * directions
    return largest + float(np.log(total)) / sharpness, tangent / lengths


def descend(
    rows: Float64[np.ndarray, "n d"],
    first_sharpness: float,
    lines: bool = False,
    steps: int = 200,
    last_sharpness: float = LAST_SHARPNESS,
    keep: Callable[[Float64[np.ndarray, "n d"]], None] | None = None,
) -> Float64[np.ndarray, "n d"]:
    """Unit rows after L-BFGS at growing sharpness, `steps` iterations at most per stage.

    `keep` is handed the raw rows after every iteration, for who wants them when the descent is interrupted.
    """
    from scipy.optimize import minimize

    shape, sharpness = rows.shape, first_sharpness
    while True:
        found = minimize(
            lambda raw, beta: flat(soft_maximum(raw.reshape(shape), beta, lines)),
            rows.ravel(),
            args=(sharpness,),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": steps, "maxcor": 20, "ftol": 1e-13, "gtol": 1e-9},
            callback=None if keep is None else lambda flat: keep(flat.reshape(shape)),
        )
        rows = unit(found.x.reshape(shape))
        if sharpness >= last_sharpness:
            return rows
        sharpness = min(sharpness * GROWTH, last_sharpness)


def flat(value_and_gradient: tuple[float, np.ndarray]) -> tuple[float, np.ndarray]:
    """A value and its gradient as scipy wants them: the gradient in one row."""
    return value_and_gradient[0], value_and_gradient[1].ravel()
