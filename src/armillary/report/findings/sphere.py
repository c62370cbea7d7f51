"""What the extreme pairs and the histogram of all pairs say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from armillary.answer import cosine, number, quoted
from armillary.report.model import Finding, MeasureValue

Found = Mapping[str, MeasureValue]


def sentences(found: Found) -> list[str]:
    """Two sentences for the head of the section."""
    said = []
    angle = found.get("minimum_angle_distinct") or found.get("minimum_angle")
    if angle and angle.value is not None:
        said.append(f"The two closest distinct rows are {number(angle.value)}° apart{_angles(angle)}.")
    far = found.get("smallest_cosine")
    if far and far.value is not None:
        said.append(f"The two farthest have a cosine of {cosine(far.value)}{_tokens(far)}.")
    return said


def findings(found: Found, section: str, tokens: tuple[str, str]) -> Iterator[Finding]:
    """The closest pair, against the bound and the random code."""
    largest = found.get("largest_cosine")
    if largest is None or largest.value is None:
        return
    nulls = [
        f"{name} {cosine(null.value)}"
        for name, null in (
            ("no code of this size can be below", largest.nulls.bound),
            ("a random one has", largest.nulls.random),
        )
        if null
    ]
    against = f"; {', '.join(nulls)}" if nulls else ""
    text = f"The closest of all pairs, {quoted(tokens[0])} and {quoted(tokens[1])}, has a cosine of {cosine(largest.value)}{against}."
    yield Finding(
        text=text,
        section=section,
        weight=0.7 if largest.value > 0.99 else 0.55,
        tone="bad" if largest.value > 0.99 else "plain",
    )


def statement(cumulative: np.ndarray, edges: np.ndarray) -> str:
    """The title of the histogram: where the middle half of all pairs lies."""
    low, high = (float(np.interp(q, cumulative, edges[1:])) for q in (0.25, 0.75))
    return f"Half of all pairs lie between {cosine(low)} and {cosine(high)}; a random code centres on 0"


def _angles(angle: MeasureValue) -> str:
    parts = []
    if angle.nulls.bound:
        parts.append(f"at most {number(angle.nulls.bound.value)}° is possible")
    if angle.nulls.random:
        parts.append(f"a random code has {number(angle.nulls.random.value)}°")
    return f"; {' and '.join(parts)}" if parts else ""


def _tokens(measure: MeasureValue) -> str:
    tokens = measure.detail.get("tokens")
    return f" ({quoted(tokens[0])} and {quoted(tokens[1])})" if tokens else ""
