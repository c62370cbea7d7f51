"""What the cone, rogue dimensions and the intrinsic dimension say in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from armillary.answer import number, percent
from armillary.report.model import Finding, MeasureValue

Found = Mapping[str, MeasureValue]

ROGUE = 0.3  # share of the mean cosine in one coordinate from which it is called rogue


def sentences(found: Found) -> list[str]:
    """The half-angle, and the dimension beside that of normal rows."""
    said = [f"{statement(found)}."] if "cone_half_angle" in found else []
    two = found.get("two_nn")
    if two and two.value is not None and two.nulls.random and two.nulls.random.value:
        said.append(
            f"Its neighbourhoods look {number(two.value)}-dimensional as measured by TwoNN, where normal rows of the same "
            f"number and width look {number(two.nulls.random.value)}-dimensional."
        )
    return said


def findings(found: Found, section: str) -> Iterator[Finding]:
    """A rogue coordinate, and only that: the cone itself is a finding of the mean cosine."""
    rogue = found.get("rogue_dimensions")
    if rogue and rogue.value is not None and rogue.value >= ROGUE:
        text = (
            f"Coordinate {rogue.detail['coordinates'][0]} alone makes {percent(rogue.value)} of the mean cosine; with equal "
            f"shares each would make {percent(rogue.nulls.bound.value if rogue.nulls.bound else None)}."
        )
        yield Finding(text=text, section=section, weight=0.5 + 0.3 * min(1.0, rogue.value), tone="bad")


def statement(found: Found) -> str:
    """The title of the picture: how wide the cone is."""
    cone = found["cone_half_angle"]
    null = cone.nulls.random.value if cone.nulls.random else None
    return f"Half of the rows lie within {number(cone.value)}° of their mean direction; of random directions, within {number(null)}°"
