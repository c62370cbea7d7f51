"""What the mean cosine and the spectrum say about how evenly a table fills its space."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from armillary.answer import cosine, count, number, percent
from armillary.report.model import Finding, MeasureValue

Found = Mapping[str, MeasureValue]

STRONG, SLIGHT = 0.1, 0.02  # mean cosine from which a table is called a cone, or leaning


def sentences(found: Found) -> list[str]:
    """Two or three sentences for the head of the section."""
    said = [_cone(found["mean_cosine"])] if "mean_cosine" in found else []
    ratio = found.get("participation_ratio")
    if ratio and ratio.value is not None and ratio.nulls.random and ratio.nulls.random.value:
        said.append(
            f"Its variance is spread over {number(ratio.value)} dimensions as measured by the participation ratio; "
            f"a random code of its size has {number(ratio.nulls.random.value)}."
        )
    return said


def findings(found: Found, section: str) -> Iterator[Finding]:
    """The cone, and the dimension in use."""
    mean = found.get("mean_cosine")
    if mean and mean.value is not None:
        value = abs(mean.value)
        tone = "bad" if value >= STRONG else "plain" if value >= SLIGHT else "good"
        yield Finding(text=_cone(mean), section=section, weight=min(0.95, 0.45 + 2.0 * value), tone=tone)
    ratio = found.get("participation_ratio")
    if ratio and ratio.value and ratio.nulls.random and ratio.nulls.random.value:
        share = ratio.value / ratio.nulls.random.value
        tone = "good" if share > 0.7 else "plain" if share > 0.2 else "bad"
        text = (
            f"The rows use {number(ratio.value)} dimensions where a random code of this size would use "
            f"{number(ratio.nulls.random.value)} (participation ratio): {percent(share)} of what is there."
        )
        yield Finding(text=text, section=section, weight=0.6 - 0.2 * share, tone=tone)


def statement(found: Found, shares: np.ndarray) -> str:
    """The title of the spectrum: how many components hold half of the variance."""
    if not len(shares):
        return "The rows do not vary"
    half = int(np.searchsorted(np.cumsum(shares), 0.5)) + 1
    signal = found.get("signal_components")
    tail = f"; {count(int(signal.value))} stand above noise" if signal and signal.value is not None else ""
    return f"{count(half)} of {count(len(shares))} components hold half of the variance, the first {percent(float(shares[0]))}{tail}"


def _cone(mean: MeasureValue) -> str:
    value = mean.value or 0.0
    if abs(value) >= STRONG:
        angle = math.degrees(math.acos(max(-1.0, min(1.0, math.copysign(math.sqrt(abs(value)), value)))))
        return (
            f"The rows lie in a cone: two random rows have a cosine of {cosine(value)} on average, where a random code "
            f"has 0. That is a typical angle of {number(angle)}° to a common direction, so a raw cosine says little by itself."
        )
    lean = "lean slightly to a common direction" if abs(value) >= SLIGHT else "point nearly evenly around"
    return f"The rows {lean}: two random rows have a cosine of {cosine(value)} on average, where a random code has 0."
