"""The crowd: how rows are distributed among each other's neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.report import FigureData, Section, Series
from armillary.report.findings import crowd as findings
from armillary.study.sections.part import Part, by_name, published

if TYPE_CHECKING:
    from armillary.scan.result import Scan
    from armillary.study.study import Study

NEEDS_SCAN = True
ID = "crowd"


def compose(study: Study, scanned: bool) -> Part | None:
    """Hubness; None where no row has a neighbour."""
    scan = study.scan()
    if not scan.k:
        return None
    measures = published(study.measures("crowd"))
    found = by_name(measures)
    section = Section(
        id=ID,
        title="The crowd",
        sentences=findings.sentences(found, scan.k),
        figure=_occurrence(scan, findings.statement(found, scan.k)),
        measures=[measure.name for measure in measures],
        how=f"The {scan.k} nearest rows of every row are exact (cosine descending, then id). The occurrence of a row counts "
        "the rows that have it among theirs; its mean is always k.",
    )
    return Part(section, measures, tuple(findings.findings(found, ID, scan.k)))


def _occurrence(scan: Scan, title: str) -> FigureData:
    ranked = np.sort(scan.occurrence)[::-1]
    n = len(ranked)
    places = np.unique(np.round(np.geomspace(1, n, 400)).astype(int))
    return FigureData(
        id="occurrence",
        title=title,
        alt="How often rows are among the nearest of others, from the most frequent row to the least.",
        x_label="rows, most frequent neighbour first",
        y_label=f"occurrence among the {scan.k} nearest",
        series=[
            Series.of("line", "this table", places, [float(v) or None for v in ranked[places - 1]]),
            Series.of("line", f"if all were equal: {scan.k}", [1, n], [scan.k, scan.k], "bound"),
        ],
        caption="Both axes are logarithmic; rows that are nobody's neighbour lie below the picture.",
        x_log=True,
        y_log=True,
    )
