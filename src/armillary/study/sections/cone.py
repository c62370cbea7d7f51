"""The cone: how the rows lie around their mean direction, and what else isotropy needs more than sums for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.bounds import bin_shares
from armillary.report import FigureData, Section, Series
from armillary.report.findings import cone as findings
from armillary.study.sections.part import Part, by_name, published

if TYPE_CHECKING:
    from armillary.study.study import Study

NEEDS_SCAN = True  # no pair is needed, but several passes are: the first findings do not wait for them
ID = "cone"
BINS = 80


def compose(study: Study, scanned: bool) -> Part | None:
    """The cone of the rows kept; None where their directions cancel out."""
    from armillary.geometry import cloud_measures

    measures = published(cloud_measures(study.code, study.first_pass))
    found = by_name(measures)
    if "cone_half_angle" not in found:
        return None
    section = Section(
        id=ID,
        title="The cone",
        sentences=findings.sentences(found),
        figure=_figure(study, findings.statement(found)),
        measures=[measure.name for measure in measures],
        how="The mean direction is that of the sum of the unit rows. Uniformity above 8,192 rows is an estimate from a "
        "million random pairs, the intrinsic dimension one from at most 10,000 distinct rows; both say their error.",
    )
    return Part(section, measures, tuple(findings.findings(found, ID)))


def _figure(study: Study, title: str) -> FigureData:
    cosines = study.cosines_to_mean
    edges = np.linspace(-1.0, 1.0, BINS + 1)
    shares = np.histogram(cosines, edges)[0] / len(cosines)
    null = bin_shares(edges, study.shape[1])
    return FigureData(
        id="cone_cosines",
        title=title,
        alt="Share of the rows by their cosine to the mean direction, with that of random directions around 0.",
        x_label="cosine to the mean direction",
        y_label="share of the rows",
        series=[
            Series.of("steps", "this table", edges, shares),
            Series.of("steps", "random directions", edges, null, "random"),
        ],
        caption="Exact, all rows kept. The grey line is the law of the cosine of a uniform direction to a given one.",
    )
