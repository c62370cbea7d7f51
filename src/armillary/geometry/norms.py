"""The norm shell: how long the rows are, and how little that varies ("length controlled, direction dominant")."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln

from armillary.geometry.passes import FirstPass
from armillary.measure import Definition, Measure, Null, Nulls

_SPACE = "raw rows as stored, the embedding scale not applied"
_SOURCE = "elementary statistics"
QUANTILES = (0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)

NORM_MEAN = Definition("norm_mean", "Mean norm", "mean ‖x‖", "How long a row is on average.", _SOURCE, _SPACE, low=0.0)
NORM_SD = Definition(
    "norm_sd",
    "Standard deviation of the norm",
    "√(mean (‖x‖ − mean ‖x‖)²)",
    "How far a typical row is from the mean length.",
    _SOURCE,
    _SPACE,
    low=0.0,
)
NORM_CV = Definition(
    "norm_cv",
    "Coefficient of variation of the norm",
    "sd ‖x‖ / mean ‖x‖",
    "How thick the shell is that the rows lie in. Independent coordinates alone give about 1/√(2d); near 0 the rows "
    "lie on a sphere and only direction tells them apart.",
    _SOURCE,
    _SPACE,
    unit="share",
    low=0.0,
)
NORM_PER_COORDINATE = Definition(
    "norm_per_coordinate",
    "Mean norm by √d",
    "mean ‖x‖ / √d",
    "The size of a typical coordinate, which compares tables of different width.",
    _SOURCE,
    _SPACE,
    low=0.0,
)
DEFINITIONS = (NORM_MEAN, NORM_SD, NORM_CV, NORM_PER_COORDINATE)


def norm_shell(first: FirstPass) -> list[Measure]:
    """Mean norm (with quantiles), its standard deviation, coefficient of variation, and mean by √d."""
    n, d = first.rows, first.dimension
    mean, sd = float(first.norms.mean()), float(first.norms.std())
    marks = np.quantile(first.norms, QUANTILES)
    detail = {"quantiles": {f"{q:g}": float(mark) for q, mark in zip(QUANTILES, marks, strict=True)}}
    gaussian = Nulls(random=Null(_gaussian_cv(d), "formula: rows of independent normal coordinates"))
    return [
        Measure(NORM_MEAN, mean, n, detail=detail),
        Measure(NORM_SD, sd, n),
        Measure(NORM_CV, sd / mean, n, nulls=gaussian),
        Measure(NORM_PER_COORDINATE, mean / math.sqrt(d), n),
    ]


def _gaussian_cv(d: int) -> float:
    """√(d/m² − 1) with m = √2·Γ((d+1)/2)/Γ(d/2), the mean of a chi law; about 1/√(2d)."""
    log_mean = 0.5 * math.log(2.0) + float(gammaln((d + 1) / 2) - gammaln(d / 2))
    return math.sqrt(math.expm1(math.log(d) - 2.0 * log_mean))
