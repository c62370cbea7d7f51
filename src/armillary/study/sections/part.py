"""What one section adds to a report, and the small things several sections need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.answer import quoted
from armillary.measure import Measure
from armillary.report import Column, Finding, Headline, MeasureValue, Section, TableData
from armillary.table import Table

if TYPE_CHECKING:
    from armillary.study.study import Study

SHOWN_TOKENS = 4  # of a group of tokens that a sentence or a cell names


@dataclass(frozen=True)
class Part:
    """A section with the measures it shows, its findings, and its headlines (by place 0 … 3)."""

    section: Section
    measures: tuple[MeasureValue, ...] = ()
    findings: tuple[Finding, ...] = ()
    headlines: dict[int, Headline] = field(default_factory=dict)


def published(measures: Iterable[Measure]) -> tuple[MeasureValue, ...]:
    """Measures in their published form."""
    return tuple(MeasureValue.of(measure) for measure in measures)


def by_name(measures: Iterable[MeasureValue]) -> dict[str, MeasureValue]:
    """Measures by their names."""
    return {measure.name: measure for measure in measures}


def token_columns(*names: str) -> list[Column]:
    """An id and a text column for each name."""
    return [c for n in names for c in (Column(name=f"{n}_id", label="id", form="id"), Column(name=n, label=n))]


def named(table: Table, ids: Sequence[int] | np.ndarray, most: int = SHOWN_TOKENS) -> str:
    """The first tokens of a list, and how many more there are."""
    shown = ", ".join(quoted(table.token(int(i)).text) for i in ids[:most])
    return f"{shown} and {len(ids) - most:,} more" if len(ids) > most else shown


def twins(study: Study, ids: Sequence[int] | np.ndarray, most: int = SHOWN_TOKENS) -> str:
    """The first rows of a list of repeated ones, each with the row it repeats, and how many more there are."""
    first = {i: group[0] for group in study.facts.equal_groups for i in group[1:]}
    token = study.table.token
    shown = ", ".join(f"{quoted(token(int(i)).text)} = {quoted(token(first[int(i)]).text)}" for i in ids[:most])
    return f"{shown} and {len(ids) - most:,} more" if len(ids) > most else shown


def counted(values: np.ndarray, bins: int) -> tuple[list[float], list[float]]:
    """(edges, share of rows in each bin) of finite values, over the range that holds all but 1 in 1,000 a side."""
    low, high = np.quantile(values, [0.001, 0.999])
    least = 4.0 * bins * np.spacing(max(abs(low), abs(high)))
    if high - low < least:  # equal but for rounding: no histogram, one bar
        half = max(0.5, least)
        low, high = low - half, high + half
    counts, edges = np.histogram(values, bins=bins, range=(low, high))
    return edges.tolist(), (counts / len(values)).tolist()


def rows_of(columns: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Columns as rows."""
    return [list(row) for row in zip(*columns, strict=True)]


def table_of(id: str, title: str, columns: list[Column], rows: list[list[Any]], note: str = "") -> TableData:
    """A table of a section."""
    return TableData(id=id, title=title, columns=columns, rows=rows, note=note)
