"""How long the rows are: the norm shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armillary.report import FigureData, Section, Series
from armillary.report.findings import norms as findings
from armillary.study.sections.part import Part, by_name, counted, published

if TYPE_CHECKING:
    from armillary.study.study import Study

NEEDS_SCAN = False
ID = "norms"


def compose(study: Study, scanned: bool) -> Part:
    """Norms of the rows kept."""
    measures = published(study.measures("norms", drawn=False))
    found = by_name(measures)
    edges, shares = counted(study.facts.norms[study.code.ids], 80)
    figure = FigureData(
        id="norms",
        title=findings.statement(found),
        alt="Histogram of the Euclidean norms of the rows.",
        x_label="‖x‖, raw rows as stored",
        y_label="share of rows",
        series=[Series.of("steps", "this table", edges, shares)],
        caption="Over the rows kept; the outermost 0.1 % on each side lie beyond the picture. There is no null: a code has no length.",
    )
    section = Section(
        id=ID,
        title="How long the rows are",
        sentences=findings.sentences(found),
        figure=figure,
        measures=[measure.name for measure in measures],
        how="The Euclidean norm of every kept row, squares summed in float64. Cosine similarity does not see it; the dot "
        "product of an output layer does.",
    )
    return Part(section, measures, tuple(findings.findings(found, ID)))
