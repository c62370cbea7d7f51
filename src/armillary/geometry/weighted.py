"""The same measures as a reader of text meets them: each token counted by how often it occurs, not once.

A table weighs its rarest token like its most frequent one; a text does not. Frequencies are an argument, one a row.
"""

from __future__ import annotations

import numpy as np

from armillary.geometry.spectrum import isoscore
from armillary.measure import Definition, Measure
from armillary.shapes import Float64
from armillary.sphere import Cloud, Code, cloud
from armillary.sphere.cloud import shares

_SOURCE = "Yokoi et al. 2024"
WEIGHTED_MEAN_COSINE = Definition(
    name="weighted_mean_cosine",
    title="Mean cosine of two tokens of a text",
    formula="(‖Σp·u‖² − Σp²)/(1 − Σp²), p the token frequencies",
    meaning="The mean cosine of two different tokens drawn by their frequency.",
    source=_SOURCE,
    space="normalised, not centred, rows with a frequency",
    low=-1.0,
    high=1.0,
)
WEIGHTED_PARTICIPATION_RATIO = Definition(
    name="weighted_participation_ratio",
    title="Participation ratio under frequency",
    formula="(Σλ)²/Σλ² of the covariance Σp(x − Σpx)(x − Σpx)ᵀ",
    meaning="How many dimensions the variance of a running text is spread over.",
    source=_SOURCE,
    space="raw rows with a frequency, centred on their weighted mean",
    unit="dimensions",
    low=1.0,
)
DEFINITIONS = (WEIGHTED_MEAN_COSINE, WEIGHTED_PARTICIPATION_RATIO)


def weighted_measures(
    code: Code, frequencies: Float64[np.ndarray, "n"], weighted: Cloud | None = None
) -> list[Measure]:
    """Mean cosine and participation ratio under frequencies (n, NaN unknown); `weighted`, if at hand, saves a pass."""
    p = shares(frequencies, len(code))
    assert p is not None
    known, twice = int((p > 0).sum()), float(p @ p)
    detail = {"rows_with_a_frequency": known, "rows_of_code": len(code)}
    total = np.zeros(code.shape[1])
    for start, unit in code.unit_blocks():
        total += p[start : start + len(unit)] @ unit
    measures = []
    if known > 1:
        measures.append(
            Measure(WEIGHTED_MEAN_COSINE, (float(total @ total) - twice) / (1.0 - twice), known, detail=detail)
        )
    variances = (weighted or cloud(code, frequencies)).principal[0]
    if variances.any():
        value = float(variances.sum() ** 2 / (variances @ variances))
        spread = {**detail, "isoscore": isoscore(value, code.shape[1])}
        measures.append(Measure(WEIGHTED_PARTICIPATION_RATIO, value, known, detail=spread))
    return measures
