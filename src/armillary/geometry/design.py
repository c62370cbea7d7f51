"""Design identities: the even moments of the cosine against those of the whole sphere.

The mean of (u_i·u_j)^{2k} over all ordered pairs, each row with itself included, is never below the sphere's own; a
code that meets it for k = 1 … t is, with its opposites, a design of strength 2t + 1. E8 meets it to k = 3, Leech to 5.
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary import bounds
from armillary.measure import Definition, Measure, Null, Nulls

LARGEST_ORDER = 6


def _definition(order: int) -> Definition:
    return Definition(
        name=f"even_moment_{2 * order}",
        title=f"Mean of cos{'²⁴⁶⁸'[order - 1] if order < 5 else '^' + str(2 * order)}, all ordered pairs",
        formula=f"Σ_ij (u_i·u_j)^{2 * order}/n², i = j included",
        meaning="Least, and equal to the mean over the whole sphere, where the rows are as even as a spherical design.",
        source="Delsarte, Goethals & Seidel 1977; Sidelnikov 1974",
        space="normalised, not centred, all rows of the code",
        low=0.0,
        high=1.0,
    )


DEFINITIONS: tuple[Definition, ...] = tuple(_definition(order) for order in range(1, LARGEST_ORDER + 1))


def even_moments(moments: Sequence[float], n: int, d: int) -> list[Measure]:
    """Measures of the means of cos², cos⁴ … (all ordered pairs, self included) of n rows in d dimensions, at most six.

    The bound is Π_{i<k}(2i+1)/(d+2i), a spherical design's; a random code of n rows has that over its distinct pairs.
    """
    found: list[Measure] = []
    for order, value in enumerate(moments, start=1):
        sphere = bounds.design_moment(d, order)
        nulls = Nulls(
            bound=Null(sphere, "a spherical design, Π(2i+1)/(d+2i)"),
            random=Null(sphere + (1.0 - sphere) / n, "formula: the sphere's moment, each row with itself counted 1"),
        )
        found.append(Measure(DEFINITIONS[order - 1], float(value), n, nulls=nulls))
    return found
