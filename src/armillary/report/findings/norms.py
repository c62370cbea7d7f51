"""What the lengths of the rows say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from armillary.answer import number, percent
from armillary.report.model import Finding, MeasureValue

Found = Mapping[str, MeasureValue]

THIN, WIDE = 0.02, 0.25  # coefficient of variation: a sphere for all purposes; lengths that differ much


def sentences(found: Found) -> list[str]:
    """Two sentences for the head of the section."""
    mean, variation = found.get("norm_mean"), found.get("norm_cv")
    if not mean or not variation or variation.value is None:
        return []
    return [
        f"A row is {number(mean.value)} long on average, with a standard deviation of {percent(variation.value)} of that{_against(variation)}.",
        _reading(variation.value),
    ]


def findings(found: Found, section: str) -> Iterator[Finding]:
    """Whether length carries information."""
    variation = found.get("norm_cv")
    if variation and variation.value is not None:
        text = f"Lengths vary by {percent(variation.value)} (standard deviation over mean{_against(variation)}). {_reading(variation.value)}"
        yield Finding(text=text, section=section, weight=0.5 if variation.value > WIDE else 0.35)


def statement(found: Found) -> str:
    """The title of the histogram: where the middle half lies."""
    quantiles = found["norm_mean"].detail.get("quantiles", {}) if "norm_mean" in found else {}
    if "0.25" not in quantiles:
        return "The lengths of the rows"
    return f"Half of all rows are between {number(quantiles['0.25'])} and {number(quantiles['0.75'])} long"


def _against(variation: MeasureValue) -> str:
    null = variation.nulls.random
    return f"; independent coordinates alone would give {percent(null.value)}" if null else ""


def _reading(variation: float) -> str:
    if variation < THIN:
        return "The rows lie on a thin shell: only direction tells them apart, and dot product and cosine agree."
    if variation > WIDE:
        return "Length differs much between rows, so dot product and cosine rank neighbours differently."
    return "Length differs between rows, so dot product and cosine can rank neighbours differently."
