"""Two tables side by side as a report: what is shared, how alike it is, which tokens moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.answer import count
from armillary.report import Column, FigureData, Finding, Report, Section, Series
from armillary.study.compare_lines import absent, left_out_lines
from armillary.study.running import report_of
from armillary.study.sections.part import published, rows_of, table_of

if TYPE_CHECKING:
    from armillary.study.comparing import TwoTables

BINS, LISTED = 80, 100


def compare_report(found: TwoTables) -> Report:
    """A comparison as a report of its own; its measures are those of the pair."""
    a, b = (study.provenance.source for study in (found.a, found.b))
    measures = published(found.measures)
    sections = [_alike(found), _vocabularies(found), *([_movers(found)] if len(found.found.cosines) else [])]
    finding = Finding(text=found.verdict, section="alike", weight=1.0)
    report = report_of(found.a, f"{a} beside {b}", [finding], sections)
    return report.model_copy(update={"measures": list(measures)})


def _alike(found: TwoTables) -> Section:
    columns = [
        Column(name="measure", label="each table by itself"),
        Column(name="a", label="first", form="number"),
        Column(name="b", label="second", form="number"),
    ]
    rows = [[name.replace("_", " "), a, b] for name, (a, b) in found.isotropy.items()]
    return Section(
        id="alike",
        title="How alike the two are",
        sentences=[found.verdict, *left_out_lines(found), *absent(found)],
        measures=[measure.name for measure in found.measures],
        tables=[table_of("both", "Each table by itself", columns, rows)],
        how="Tokens are joined by their bytes, never by position. Beside each value stands the same fit after the tokens "
        "of one table were shuffled. Raw rows; CKA centred.",
    )


def _vocabularies(found: TwoTables) -> Section:
    joined = found.found.join
    sentences = [f"{count(len(joined))} tokens in common, {count(found.found.equal)} of them with equal rows."]
    columns = [Column(name="id", label="id", form="id"), Column(name="token", label="token")]
    tables = []
    for name, study, ids in (("first", found.a, joined.only_a), ("second", found.b, joined.only_b)):
        if len(ids):
            sentences.append(f"{count(len(ids))} only in the {name}.")
            rows = [[i, study.table.token(i).text] for i in ids[:LISTED].tolist()]
            tables.append(table_of(f"only_{name}", f"Only in the {name} (at most {LISTED})", columns, rows))
    return Section(id="vocabularies", title="The vocabularies", sentences=sentences, tables=tables)


def _movers(found: TwoTables) -> Section:
    cosines = found.found.cosines
    told = cosines[np.isfinite(cosines)]
    edges = np.linspace(min(0.0, float(told.min())), 1.0, BINS + 1)
    shares = np.histogram(told, edges)[0] / len(told)
    movers = found.movers(LISTED)
    columns = [
        Column(name="text", label="token"),
        Column(name="a", label="id in the first", form="id"),
        Column(name="b", label="id in the second", form="id"),
        Column(name="cosine", label=f"cosine {found.found.how}", form="cosine"),
        Column(name="norm_ratio", label="norm, second / first", form="number"),
    ]
    rows = rows_of([[row[c.name] for row in movers] for c in columns])
    low, middle = np.quantile(told, [0.01, 0.5]).tolist()
    figure = FigureData(
        id="drift",
        title=f"Half of the tokens keep a cosine above {middle:.3g} to themselves, all but 1 % one above {low:.3g}",
        alt="Share of the tokens by the cosine of their two rows.",
        x_label=f"cosine of a token's two rows, {found.found.how}",
        y_label="share of the tokens",
        series=[Series.of("steps", "tokens", edges, shares)],
        caption="Exact, every joined token with a direction in both tables. 1 is a row that kept its direction.",
    )
    tables = [table_of("movers", f"The {count(len(rows))} largest movers", columns, rows)] if rows else []
    return Section(id="drift", title="How far each token moved", figure=figure, tables=tables)
