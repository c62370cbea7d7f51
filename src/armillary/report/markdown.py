"""The report as Markdown: the same sentences and tables; figures as their statements with their captions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from armillary.report import cells
from armillary.report.model import MeasureValue, Report, Section, TableData

MOST_ROWS = 40  # of a table; the JSON holds them all

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")


def render(report: Report) -> str:
    """The whole document."""
    by_name = {measure.name: measure for measure in report.measures}
    parts = [f"# {text(report.name)}", _headlines(report), "## Findings", *_findings(report)]
    for section in report.sections:
        parts += _section(section, by_name)
    parts.append(f"---\n\nMade by Armillary {report.armillary}. Report format {report.schema_version}.")
    return "\n\n".join(part for part in parts if part) + "\n"


def text(raw: str) -> str:
    """Text of a model's as Markdown that shows it and does nothing else."""
    return _SPECIAL.sub(r"\\\1", " ".join(raw.splitlines()))


def _headlines(report: Report) -> str:
    rows = [[h.label, h.value, h.note] for h in report.headlines]
    return _table(["", "", ""], rows, ["left", "right", "left"])


def _findings(report: Report) -> Iterable[str]:
    return ["\n".join(f"{i}. {text(finding.text)}" for i, finding in enumerate(report.findings, 1))]


def _section(section: Section, by_name: dict[str, MeasureValue]) -> Iterable[str]:
    yield f"## {text(section.title)}"
    yield " ".join(text(sentence) for sentence in section.sentences)
    if section.figure:
        yield f"*{text(section.figure.title)}* {text(section.figure.alt)} {text(section.figure.caption)}".strip()
    measures = [by_name[name] for name in section.measures if name in by_name]
    if measures:
        yield _measures(measures)
    for table in section.tables:
        yield from _listed(table)
    if section.how:
        yield f"How this is computed: {text(section.how)}"


def _measures(measures: Sequence[MeasureValue]) -> str:
    nulls = cells.null_columns(measures)
    rows = [
        [m.title, cells.measured(m), *(cells.null(getattr(m.nulls, field), m) for field, _ in nulls), m.definition]
        for m in measures
    ]
    header = ["measure", "value", *(head for _, head in nulls), "definition"]
    return _table(header, rows, ["left", *["right"] * (1 + len(nulls)), "left"])


def _listed(table: TableData) -> Iterable[str]:
    yield f"**{text(table.title)}**"
    rows = [[cells.cell(v, c) for v, c in zip(row, table.columns, strict=True)] for row in table.rows[:MOST_ROWS]]
    align = ["right" if c.form in cells.NUMERIC else "left" for c in table.columns]
    yield _table([c.label for c in table.columns], rows, align)
    if len(table.rows) > MOST_ROWS:
        yield f"{len(table.rows) - MOST_ROWS:,} more rows are in the JSON report."
    if table.note:
        yield text(table.note)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], align: Sequence[str]) -> str:
    rule = ["---:" if side == "right" else "---" for side in align]
    lines = [[text(name) for name in header], rule, *([text(value) for value in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
