"""The cone by frequency: whether frequent tokens lie nearer to the mean direction than rare ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armillary.answer import cosine, count
from armillary.errors import ArmillaryError
from armillary.report import FigureData, Section, Series
from armillary.study.sections.part import Part, published

if TYPE_CHECKING:
    from armillary.geometry import Cone
    from armillary.study.study import Study

NEEDS_SCAN = True  # no pair is needed, but frequencies and two passes are: the first findings do not wait for them
ID = "profile"


def compose(study: Study, scanned: bool) -> Part | None:
    """The profile by frequency decile and the weighted twins; None without frequencies or without a mean direction."""
    from armillary.geometry import cone, weighted_measures
    from armillary.study.repairing import token_frequencies

    try:
        frequencies, source = token_frequencies(study)
    except ArmillaryError:  # no source knows these tokens
        return None
    found = cone(study.code, study.first_pass, frequencies)
    if found is None or len(found.profile) < 2:
        return None
    measures = published(weighted_measures(study.code, frequencies))
    section = Section(
        id=ID,
        title="The cone by frequency",
        sentences=[f"{_statement(found)}.", _angles(found)],
        figure=_figure(found),
        measures=[measure.name for measure in measures],
        how=f"Frequencies: {source}. Deciles of the rows whose frequency is known, the rarest first.",
    )
    return Part(section, measures)


def _statement(found: Cone) -> str:
    rare, frequent = found.profile[0][0], found.profile[-1][0]
    return f"The rarest tenth has a mean cosine of {cosine(rare)} to the mean direction, the most frequent tenth {cosine(frequent)}"


def _angles(found: Cone) -> str:
    held = ", ".join(f"{share:.0%} within {angle:.1f}°" for share, angle in found.half_angles.items())
    return f"Of all rows the cone holds {held}."


def _figure(found: Cone) -> FigureData:
    places = [float(i) for i in range(1, len(found.profile) + 1)]
    rows = [m for _, m in found.profile]
    return FigureData(
        id="cone_profile",
        title=_statement(found),
        alt="Mean cosine to the mean direction by frequency decile, from the rarest rows to the most frequent.",
        x_label="frequency decile, 1 the rarest",
        y_label="mean cosine to the mean direction",
        series=[
            Series.of("bars", "this table", places, [c for c, _ in found.profile]),
            Series.of("line", "all rows", [0.5, places[-1] + 0.5], [float(found.cosines.mean())] * 2, "bound"),
        ],
        caption=f"{count(min(rows))} to {count(max(rows))} rows a decile. The dashed line is the mean over all rows, known or not.",
    )
