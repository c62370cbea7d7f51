"""Mean cosine and mean squared cosine over all pairs, exactly, without any pair: from the sum and Gram matrix of U."""

from __future__ import annotations

import math

from armillary import bounds
from armillary.geometry.passes import FirstPass
from armillary.measure import Definition, Measure, Null, Nulls

MEAN_COSINE = Definition(
    name="mean_cosine",
    title="Mean cosine",
    formula="(‖Σu‖² − n)/(n(n−1))",
    meaning="The mean cosine of two different rows. 0 for directions without a preference; a table of 0.2 points "
    "into a cone.",
    source="Ethayarajh 2019, without its sampling; Mimno & Thompson 2017",
    space="normalised, not centred, all rows of the code",
    low=-1.0,
    high=1.0,
)
MEAN_SQUARE_COSINE = Definition(
    name="mean_square_cosine",
    title="Mean squared cosine (frame potential)",
    formula="(‖UᵀU‖²_F − n)/(n(n−1))",
    meaning="The mean of the squared cosine of two different rows. Least where the rows fill all directions evenly "
    "(a tight frame); 1/d for a random code.",
    source="Benedetto & Fickus 2003",
    space="normalised, not centred, all rows of the code",
    low=0.0,
    high=1.0,
)
DEFINITIONS = (MEAN_COSINE, MEAN_SQUARE_COSINE)


def mean_cosine(first: FirstPass) -> list[Measure]:
    """The mean cosine of all pairs; none for a single row."""
    n = first.rows
    if n < 2:
        return []
    value = (float(first.unit_sum @ first.unit_sum) - n) / (n * (n - 1.0))
    sd = math.sqrt(2.0 / (first.dimension * n * (n - 1.0)))  # cosines of distinct pairs are uncorrelated
    nulls = Nulls(
        bound=Null(-1.0 / (n - 1), "least value of any code, −1/(n−1)"),
        random=Null(0.0, "formula", error=sd),
    )
    return [Measure(MEAN_COSINE, value, n, nulls=nulls)]


def mean_square_cosine(first: FirstPass) -> list[Measure]:
    """The mean squared cosine of all pairs; none for a single row."""
    n, d = first.rows, first.dimension
    if n < 2:
        return []
    value = max(0.0, (first.potential - n) / (n * (n - 1.0)))
    nulls = Nulls(
        bound=Null(max(0.0, (n - d) / (d * (n - 1.0))), "a tight frame, (n−d)/(d(n−1))"),
        random=Null(bounds.mean_square_cosine(d), "formula, 1/d"),
    )
    return [Measure(MEAN_SQUARE_COSINE, value, n, nulls=nulls)]
