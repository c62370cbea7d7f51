"""The largest hubs: rows that are among the nearest of unusually many others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.answer import count, quoted
from armillary.geometry.hubness import skewness
from armillary.report import Column, Section
from armillary.report.findings import crowd as findings
from armillary.study.sections.part import Part, named, table_of

if TYPE_CHECKING:
    from armillary.study.study import Study

NEEDS_SCAN = True
LISTED = 30


def compose(study: Study, scanned: bool) -> Part | None:
    """The 30 largest hubs; None where no row has a neighbour."""
    scan = study.scan()
    if not scan.k:
        return None
    order = np.lexsort((scan.ids, -scan.occurrence))[:LISTED]
    columns = [
        Column(name="id", label="id", form="id"),
        Column(name="text", label="token"),
        Column(name="occurrence", label="occurrence", form="count"),
        Column(name="nearest", label="its own nearest"),
    ]
    table = study.table
    rows = [
        [
            int(scan.ids[p]),
            table.token(int(scan.ids[p])).text,
            int(scan.occurrence[p]),
            named(table, scan.neighbors[p], 4),
        ]
        for p in order
    ]
    first, skew = rows[0], skewness(scan.occurrence)
    title = f"The {len(rows)} largest hubs" if skew > findings.SOME else f"The {len(rows)} most frequent neighbours"
    section = Section(
        id="hubs",
        title="Hubs",
        sentences=[
            f"{quoted(first[1])} is among the {scan.k} nearest of {count(first[2])} rows; the mean over all rows is {scan.k}.",
            findings.hubs_sentence(skew),
        ],
        tables=[table_of("hubs-table", title, columns, rows)],
        how="Occurrence counted over the exact neighbour lists of all kept rows.",
    )
    return Part(section)
