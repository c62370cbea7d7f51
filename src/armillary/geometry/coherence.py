"""Coherence and the extreme cosines: how near the closest two directions are, beside what any code must concede.

Where rows are equal the coherence is 1 and says only that; it is therefore given again over distinct rows.
"""

from __future__ import annotations

from typing import Any

from armillary import bounds
from armillary.geometry.duplicates import count_equal
from armillary.measure import Definition, Measure, Null, Nulls
from armillary.scan.result import Pair, Scan
from armillary.sphere import Code

_SPACE = "normalised, not centred, all rows of the code"
_DISTINCT = "normalised, not centred, distinct rows of the code"
_SOURCE = "Welch 1974; Conway, Hardin & Sloane 1996"

COHERENCE = Definition(
    "coherence",
    "Coherence μ",
    "max |u_i·u_j|, i < j",
    "The largest |cosine| of any two rows, with the pair. 0 for orthogonal rows; 1 where two rows lie on one line.",
    _SOURCE,
    _SPACE,
    low=0.0,
    high=1.0,
)
COHERENCE_DISTINCT = Definition(
    "coherence_distinct",
    "Coherence over distinct rows",
    "max |u_i·u_j| over rows that are not equal",
    "The coherence with byte-equal rows counted once.",
    _SOURCE,
    _DISTINCT,
    low=0.0,
    high=1.0,
)
LARGEST_COSINE = Definition(
    "largest_cosine",
    "Largest cosine",
    "max u_i·u_j, i < j",
    "The cosine of the closest pair.",
    "Rankin 1955; Levenshtein 1979",
    _SPACE,
    low=-1.0,
    high=1.0,
)
SMALLEST_COSINE = Definition(
    "smallest_cosine",
    "Smallest cosine",
    "min u_i·u_j, i < j",
    "The cosine of the pair that points most nearly opposite ways.",
    "elementary",
    _SPACE,
    low=-1.0,
    high=1.0,
)
BOUND_GAP = Definition(
    "bound_gap",
    "Coherence above the bound",
    "μ − max(Welch, Sidelnikov, Levenshtein, orthoplex), over distinct rows",
    "How far the table is above what no code of its size can be below; 0 for an equiangular tight frame.",
    _SOURCE,
    _DISTINCT,
    low=0.0,
    high=1.0,
)
DEFINITIONS = (COHERENCE, COHERENCE_DISTINCT, LARGEST_COSINE, SMALLEST_COSINE, BOUND_GAP)


def coherence(code: Code, scan: Scan) -> list[Measure]:
    """Coherence (as is, and over distinct rows), extreme cosines and gap to the bound; none for a single row."""
    if scan.closest is None or scan.farthest is None:
        return []
    n, d = code.shape
    distinct = n - count_equal(code)
    found = [
        _coherence(COHERENCE, code, n, _larger(scan.closest, scan.farthest)),
        _extreme(LARGEST_COSINE, code, scan.closest, _closest_nulls(n, d)),
        _extreme(SMALLEST_COSINE, code, scan.farthest, _farthest_nulls(n, d)),
    ]
    if scan.closest_distinct is None or distinct < 2:
        return found
    least = _coherence(COHERENCE_DISTINCT, code, distinct, _larger(scan.closest_distinct, scan.farthest))
    assert least.nulls.bound is not None  # _coherence gives one
    gap = Measure(BOUND_GAP, max(0.0, least.value - least.nulls.bound.value), distinct)
    return [found[0], least, *found[1:], gap]


def pair_detail(code: Code, pair: Pair) -> dict[str, Any]:
    """A pair of rows as a measure's detail: ids, tokens as displayed, cosine."""
    return {
        "pair": [pair.i, pair.j],
        "tokens": [code.table.token(i).text for i in (pair.i, pair.j)],
        "cosine": pair.value,
    }


def _coherence(definition: Definition, code: Code, n: int, pair: Pair) -> Measure:
    d = code.shape[1]
    best = max(
        bounds.welch(n, d), bounds.best_sidelnikov(n, d)[0], bounds.levenshtein_lines(n, d), bounds.orthoplex(n, d)
    )
    nulls = Nulls(
        bound=Null(best, "largest of Welch, Sidelnikov, Levenshtein and orthoplex"),
        random=Null(bounds.coherence_quantile(n, d), "median by the law of the extremes"),
    )
    return Measure(definition, abs(pair.value), n, nulls=nulls, detail=pair_detail(code, pair))


def _extreme(definition: Definition, code: Code, pair: Pair, nulls: Nulls) -> Measure:
    return Measure(definition, pair.value, len(code), nulls=nulls, detail=pair_detail(code, pair))


def _closest_nulls(n: int, d: int) -> Nulls:
    return Nulls(
        bound=Null(max(bounds.rankin(n, d), bounds.levenshtein(n, d)), "larger of Rankin and Levenshtein"),
        random=Null(bounds.maximal_cosine_quantile(n, d), "median by the law of the extremes"),
    )


def _farthest_nulls(n: int, d: int) -> Nulls:
    return Nulls(random=Null(-bounds.maximal_cosine_quantile(n, d), "median by the law of the extremes"))


def _larger(closest: Pair, farthest: Pair) -> Pair:
    return closest if abs(closest.value) >= abs(farthest.value) else farthest
