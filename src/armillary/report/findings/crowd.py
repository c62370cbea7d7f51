"""What the neighbour counts say: hubs, and rows that no search finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from armillary.answer import count, number, percent, quoted
from armillary.report.model import Finding, MeasureValue

Found = Mapping[str, MeasureValue]

SOME, MUCH = (
    1.0,
    2.0,
)  # skewness from which hubness is called slight, strong; directions drawn evenly stay below about 0.5


def sentences(found: Found, k: int) -> list[str]:
    """Two sentences for the head of the section."""
    hub, antihubs = found.get("largest_hub"), found.get("antihub_share")
    said = []
    if hub and hub.value is not None:
        said.append(
            f"The largest hub, {quoted(hub.detail['token']) if 'token' in hub.detail else 'a row'}, is among the {k} nearest of {count(int(hub.value))} of {count(hub.n)} rows."
        )
    if antihubs and antihubs.value is not None:
        said.append(
            f"{percent(antihubs.value)} of the rows are among the {k} nearest of no other row: a search for the neighbours of "
            "another row never finds them."
            if antihubs.value
            else f"Every row is among the {k} nearest of some other row."
        )
    return said


def findings(found: Found, section: str, k: int) -> Iterator[Finding]:
    """Hubness, with its skewness and the share that is never found."""
    skew, antihubs = found.get("hubness_skewness"), found.get("antihub_share")
    if not skew or skew.value is None or not antihubs or antihubs.value is None:
        return
    strong = skew.value > MUCH
    nobody = f"{percent(antihubs.value)} of the rows are" if antihubs.value else "no row is"
    head, tone = _verdict(skew.value)
    text = (
        f"{head}: the counts have a skewness of {number(skew.value)} ({_nulls(skew)}), "
        f"and {nobody} nobody's neighbour at k = {k}."
    )
    yield Finding(text=text, section=section, weight=0.65 if strong else 0.4, tone=tone)


def _verdict(skew: float) -> tuple[str, Literal["good", "plain", "bad"]]:
    if skew > MUCH:
        return "A few rows are neighbours of very many", "bad"
    if skew > SOME:
        return "Some rows are neighbours of more than their share", "plain"
    return "No row is a neighbour of unusually many", "good"


def _nulls(skew: MeasureValue) -> str:
    nulls = (("a random code", skew.nulls.random), ("one of the same mean and covariance", skew.nulls.matched))
    drawn = [f"{name} has {number(null.value)}" for name, null in nulls if null and null.value is not None]
    return ", ".join(drawn) or "directions drawn evenly stay near 0"


def hubs_sentence(skew: float) -> str:
    """What a search meets, by the skewness of the counts of neighbours."""
    if skew > SOME:
        return "A search by cosine returns hubs more often than their share, whatever is searched for."
    return "That is no hub: no row is a neighbour of unusually many, so a search returns none far more often than its share."


def statement(found: Found, k: int) -> str:
    """The title of the picture: how much the most frequent neighbour exceeds its share."""
    hub = found.get("largest_hub")
    if not hub or not hub.value:
        return "How often rows are neighbours of others"
    return f"The most frequent neighbour occurs {count(int(hub.value))} times, {number(hub.value / k)} times its share"
