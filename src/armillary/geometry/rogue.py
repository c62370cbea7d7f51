"""Rogue dimensions: whether a few coordinates alone make all cosines large.

The mean cosine is a sum over coordinates, so each has its share of it, exactly and without any pair.
"""

from __future__ import annotations

import math

import numpy as np

from armillary.geometry.passes import FirstPass
from armillary.measure import Definition, Measure, Null, Nulls
from armillary.shapes import Float64

TOPS = (1, 3, 5)
_STANDARD_ERRORS = 4.0  # a mean cosine within that many of 0 has no shares worth naming

ROGUE_DIMENSIONS = Definition(
    name="rogue_dimensions",
    title="Share of the mean cosine in one coordinate",
    formula="max_j c_j/Σc, c_j = ((Σ_i u_ij)² − Σ_i u_ij²)/(n(n−1)); Σc is the mean cosine",
    meaning="How much of the mean cosine the one coordinate with most of it makes; the detail has the first 1, 3 and "
    "5. Near 1, one coordinate decides what is near. Left out where the mean cosine is not above chance.",
    source="Timkey & van Schijndel 2021, without their sampling",
    space="normalised, not centred, all rows of the code; depends on the axes",
    unit="share",
    low=0.0,
)
DEFINITIONS = (ROGUE_DIMENSIONS,)


def cosine_contributions(first: FirstPass) -> Float64[np.ndarray, "d"]:
    """c (d): what each coordinate adds to the mean cosine of two different rows; n ≥ 2."""
    n = first.rows
    return (first.unit_sum**2 - first.unit_squares) / (n * (n - 1.0))


def rogue_dimensions(first: FirstPass) -> list[Measure]:
    """The largest share of the mean cosine, with the first 1, 3, 5 coordinates; none where that mean is chance."""
    n, d = first.rows, first.dimension
    if n < 2:
        return []
    parts = cosine_contributions(first)
    total = float(parts.sum())
    if total <= _STANDARD_ERRORS * math.sqrt(2.0 / (d * n * (n - 1.0))):
        return []
    order = np.lexsort((np.arange(d), -parts))[: max(TOPS)]
    share = np.cumsum(parts[order]) / total
    detail = {
        "share": {str(k): float(share[min(k, d) - 1]) for k in TOPS},
        "coordinates": order.tolist(),
        "each": (parts[order] / total).tolist(),
    }
    nulls = Nulls(bound=Null(1.0 / d, "equal shares, 1/d"))
    return [Measure(ROGUE_DIMENSIONS, float(share[0]), n, nulls=nulls, detail=detail)]
