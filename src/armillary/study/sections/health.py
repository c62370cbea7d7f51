"""Rows that look under-trained, with the evidence; the other odd rows stand in the section of what was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armillary.answer import count
from armillary.report import Column, Finding, Section
from armillary.study.sections.part import Part, published, rows_of, table_of

if TYPE_CHECKING:
    from armillary.study.health import Health
    from armillary.study.study import Study

NEEDS_SCAN = False
ID = "health"
LISTED = 50


def compose(study: Study, scanned: bool) -> Part:
    """Kinds counted as measures, indicators with their thresholds, the first candidates."""
    found = study.soundness
    measures = published(found.measures)
    suspects = found.kinds.get("under-trained")
    listed = found.candidates(LISTED) if suspects is not None else []
    section = Section(
        id=ID,
        title="Rows that look under-trained",
        sentences=[found.verdict, *([found.rule] if found.rule else []), found.tying],
        measures=[measure.name for measure in measures],
        tables=[_candidates(listed, _unit(found))] if listed else [],
        how="Reference rows are tokens that no text contains. Each has a distance to the mean of the others; the 95th "
        "percentile of these is the soft threshold, and a row at or below it is as near to their mean as they are (Land & "
        "Bartolo 2024). It is a suspicion: only a prompt to the running model verifies it. The round trip through the "
        "tokenizer is left to armillary health.",
    )
    findings = ()
    if suspects is not None and len(suspects):
        text = (
            f"{count(len(suspects))} {'token looks' if len(suspects) == 1 else 'tokens look'} under-trained "
            f"({found.kinds_of(suspects)}): as near to rows that no text can train as those lie to one another."
        )
        findings = (Finding(text=text, section=ID, weight=0.6, tone="bad"),)
    return Part(section, measures, findings)


def _unit(found: Health) -> str:
    """What the values are that order the candidates."""
    leading = found.under_trained.leading if found.under_trained else None
    return leading.unit if leading else ""


def _candidates(listed: list[dict], unit: str):
    columns = [
        Column(name="id", label="id", form="id"),
        Column(name="token", label="token"),
        Column(name="value", label=unit, form="number"),
        Column(name="share", label="rows at or below", form="percent"),
        Column(name="votes", label="indicators that agree", form="count"),
    ]
    names = ("id", "text", "value", "share_at_or_below", "votes")
    rows = rows_of([[row[name] for row in listed] for name in names])
    return table_of("candidates", f"The {count(len(rows))} most suspicious rows", columns, rows)
