"""A repair, or all of them, as a report: what changed as tables, the pictures beside them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from armillary.repairs import filters
from armillary.report import Column, FigureData, Finding, Report, Section, TableData
from armillary.sphere import cloud
from armillary.study.changes import Change
from armillary.study.evidence import Difference
from armillary.study.pair_cosines import pair_histogram
from armillary.study.repair_figures import cosines_figure, filters_figure, scores_figure
from armillary.study.running import report_of

if TYPE_CHECKING:
    from armillary.study.documents import RepairedDocuments
    from armillary.study.repairing import Repaired
    from armillary.study.side_by_side import Order, RepairComparison
    from armillary.study.study import Study

PICTURED = ("centre", "all-but-the-top", "whiten", "zipf-whiten")


def repair_report(study: Study, found: Repaired) -> Report:
    """One repair: what got worse, measures and scores before and after, cosines of random pairs, its filter."""
    worse = f"Worse than before: {', '.join(found.worse)}." if found.worse else "Nothing that was measured got worse."
    before, after = pair_histogram(study.code), pair_histogram(study.code, found.repair)
    tables = [t for t in (_changes(found.changes), _scores(found.scores)) if t.rows]
    sections = [
        Section(
            id="proof",
            title=f"{found.repair.method}: before and after",
            sentences=[worse, *found.notes],
            figure=cosines_figure(before, {found.repair.method: after}, study.shape[1]),
            tables=tables,
            how="Scores before and after are on the same items, drawn together: the interval is that of the difference.",
        )
    ]
    if found.repair.layer is None:
        sections.append(_filters(filters_figure(filters(cloud(study.code), [found.repair]))))
    finding = Finding(text=worse, section="proof", weight=1.0, tone="bad" if found.worse else "good")
    return report_of(study, f"{study.provenance.source}, {found.repair.method}", [finding], sections)


def comparison_report(study: Study, found: RepairComparison) -> Report:
    """All repairs: scores and their order, cosines of random pairs, filters."""
    after = {row.name: row.histogram for row in found.rows[1:] if row.name in PICTURED}
    figure = scores_figure(found)
    sections = [
        Section(
            id="comparison",
            title="Every repair side by side",
            sentences=list(found.notes),
            figure=figure,
            tables=[_rows(found), *([_steps(found)] if found.orders else [])],
            how="Every score is on the items that all tables cover, and all tables are judged on the same 1,000 draws of "
            "them; ≈ stands where the 95 % interval of a difference holds 0.",
        ),
        Section(
            id="cosines",
            title="Cosines before and after",
            figure=cosines_figure(found.rows[0].histogram, after, study.shape[1]),
        ),
        _filters(filters_figure(found.filters)),
    ]
    findings = [Finding(text=f"{figure.title}.", section="comparison", weight=1.0)] if figure is not None else []
    findings += [Finding(text=text, section="comparison", weight=0.8) for text in _firsts(found.orders)]
    return report_of(study, f"{study.provenance.source}, repairs", findings, sections)


def _filters(figure: FigureData) -> Section:
    return Section(id="filters", title="As filters", figure=figure)


def _changes(changes: Sequence[Change]) -> TableData:
    columns = [Column(name="measure", label="measure"), *_numbers("before", "after"), Column(name="verdict", label="")]
    rows = [[c.title, c.before, c.after, c.verdict] for c in changes]
    return TableData(id="changes", title="Measures before and after", columns=columns, rows=rows)


def _scores(scores: Sequence[Difference]) -> TableData:
    columns = [
        Column(name="set", label="set"),
        Column(name="what", label="score"),
        Column(name="n", label="items", form="count"),
    ]
    columns += [*_numbers("before", "after", "low", "high"), Column(name="verdict", label="")]
    rows = [[s.name, s.what, s.n, s.before, s.after, s.low, s.high, s.verdict] for s in scores]
    return TableData(
        id="scores",
        title="Scores before and after",
        columns=columns,
        rows=rows,
        note="low … high: the 95 % interval of the difference.",
    )


def documents_report(study: Study, found: RepairedDocuments) -> Report:
    """Documents and queries: measures, scores and thresholds before and after, cosines of random documents."""
    worse = f"Worse than before: {', '.join(found.worse)}." if found.worse else "No score got worse."
    before, after = found.histograms
    columns = [Column(name="rate", label="random pairs above", form="percent"), *_numbers("before", "after")]
    marks = TableData(
        id="thresholds",
        title="The cosine that a share of random queries and documents exceeds",
        columns=columns,
        rows=[[rate, a, b] for rate, (a, b) in found.thresholds.items()],
    )
    section = Section(
        id="proof",
        title=f"{found.repair.method}: before and after",
        sentences=[*([worse] if found.scores else []), *found.notes],
        figure=cosines_figure(before, {found.repair.method: after}, found.repair.shape[0]),
        tables=[t for t in (_scores(found.scores), marks, _changes(found.changes)) if t.rows],
        how="The repair is fitted on the documents and applied to both sides. Scores before and after are of the same queries, "
        "drawn together: the interval is that of the difference.",
    )
    finding = Finding(text=worse, section="proof", weight=1.0, tone="bad" if found.worse else "good")
    findings = [finding] if found.scores else []
    return report_of(study, f"{study.provenance.source}, {found.repair.method}", findings, [section])


def _firsts(orders: Sequence[Order]) -> list[str]:
    """How often each of the rivals comes first, and how often beyond the interval of the step to the second."""
    firsts: dict[str, list[bool]] = {}
    for order in orders:
        firsts.setdefault(order.names[0], []).append(bool(order.steps) and order.steps[0].low > 0)
    told = sorted(firsts.items(), key=lambda found: -len(found[1]))
    return [
        f"Of {', '.join(sorted(orders[0].names))} the first is {name} on {len(shown)} of {len(orders)} sets; on {sum(shown)} of "
        "them the interval of the step leaves out 0."
        for name, shown in told
    ]


def _rows(found: RepairComparison) -> TableData:
    """Measures and sets as rows, repairs as columns."""
    columns = [Column(name="of", label=""), *_numbers(*(row.name for row in found.rows))]
    rows: list[list[Any]] = [
        [name.replace("_", " "), *(row.measures.get(name) for row in found.rows)] for name in found.rows[0].measures
    ]
    rows += [[score.name, *(row.scores[i].after for row in found.rows)] for i, score in enumerate(found.rows[0].scores)]
    return TableData(id="repairs", title="Measures and scores by repair", columns=columns, rows=rows)


def _steps(found: RepairComparison) -> TableData:
    columns = [Column(name=name, label=name) for name in ("set", "better", "worse")] + _numbers(
        "difference", "low", "high"
    )
    rows = [
        [order.name, a, b, s.after - s.before, s.low, s.high]
        for order in found.orders
        for (a, b), s in zip(pairwise(order.names), order.steps, strict=True)
    ]
    return TableData(
        id="orders", title="The order of three on each set, with the interval of each step", columns=columns, rows=rows
    )


def _numbers(*names: str) -> list[Column]:
    return [Column(name=name, label=name.replace("_", " "), form="number") for name in names]
