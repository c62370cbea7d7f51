"""A plan in words: what the command line and a notebook show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from armillary.answer import aligned, count, number, number_of_log10

if TYPE_CHECKING:
    from armillary.bounds.plan import Plan


def describe(plan: Plan) -> str:
    """The plan as sentences and small tables."""
    return "\n".join(
        [_heading(plan), "", *_least(plan), "", *_random(plan), "", *_capacity(plan), "", *_projection(plan)]
    )


def comparison(plans: Sequence[Plan]) -> str:
    """One row a plan: Welch's bound, its angle, and the random code."""
    header = ["V", "d", "Welch", "angle", "random sd", "random coherence", "random smallest angle"]
    rows = [
        [
            count(plan.size),
            count(plan.dimension),
            number(plan.welch, 4),
            degrees(plan.welch_angle),
            number(plan.random_sd),
            number(plan.random_coherence.median, 4),
            degrees(plan.random_angle),
        ]
        for plan in plans
    ]
    return aligned(rows, ("right",) * len(header), header)


def degrees(angle: float) -> str:
    """An angle to a hundredth of a degree (what matters is how far it is from 90°), or three digits when small."""
    return f"{angle:.2f}°" if angle >= 0.1 else f"{number(angle)}°"


def _heading(plan: Plan) -> str:
    dimensions = "dimension" if plan.dimension == 1 else "dimensions"
    return f"{count(plan.size)} unit vectors in {count(plan.dimension)} {dimensions}"


def _least(plan: Plan) -> list[str]:
    lines = [
        ("Welch", plan.welch),
        (f"Sidelnikov, order {plan.sidelnikov_order}", plan.sidelnikov),
        ("Levenshtein, lines", plan.levenshtein_lines),
        ("orthoplex", plan.orthoplex),
    ]
    rows = [[name, number(value, 4), degrees(math.degrees(math.acos(value)))] for name, value in lines if value > 0]
    coherence = (
        f"The coherence (largest |cosine|) of every code of this size is at least {number(plan.coherence_bound, 4)}:"
        if rows
        else "A code of this size can have coherence 0: so few vectors can all stand at right angles."
    )
    return [
        coherence,
        *([_indented(aligned(rows, ("left", "right", "right")))] if rows else []),
        f"Its smallest angle is at most {degrees(plan.largest_angle)}, its largest cosine at least "
        f"{number(plan.cosine_bound)} (Levenshtein {number(plan.levenshtein)}, Rankin {number(plan.rankin)}).",
    ]


def _random(plan: Plan) -> list[str]:
    law = plan.random_coherence
    return [
        f"In a random code of this size two directions have cosine 0 ± {number(plan.random_sd)} (sd = 1/√d), "
        f"mean |cosine| {number(plan.random_mean_absolute)}.",
        f"Its coherence is {number(law.median)} (median; {number(law.q05)} to {number(law.q95)} in 90 of 100 codes, "
        f"mean {number(law.mean)}); its smallest angle is {degrees(plan.random_angle)} (median).",
    ]


def _capacity(plan: Plan) -> list[str]:
    """A random code is far from the best one: d vectors always fit, at right angles."""
    orthogonal = math.log10(plan.dimension)
    rows = [
        [number(c.coherence, 1), _whole(c.log10_size), _whole(max(c.log10_lower, orthogonal))] for c in plan.capacities
    ]
    return [
        f"How many vectors of a random code in {count(plan.dimension)} dimensions keep to a coherence of at most ε in half of "
        "its draws, and how many surely fit when placed with care (d at right angles, or e^(dε²/4) where that is more):",
        _indented(aligned(rows, ("right",) * 3, ["ε", "random code, median", "surely fit"])),
    ]


def _whole(log10: float) -> str:
    """So many vectors: a whole number where it can be written out."""
    return count(math.floor(10.0**log10 + 1e-9)) if log10 < 6 else number_of_log10(log10)


def _projection(plan: Plan) -> list[str]:
    shares = [f"{count(dimension)} (±{100 * eps:.0f} %)" for eps, dimension in plan.projections]
    return [
        f"Dimensions that keep all squared distances among {count(plan.size)} points (Johnson–Lindenstrauss): "
        f"{', '.join(shares)}."
    ]


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())
