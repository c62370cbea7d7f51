"""What a report is, as data: the published JSON. HTML and Markdown are drawn from it and from nothing else.

A figure is its data with a statement for a title; how it is drawn is decided by the roles of its series, so that
measured data, nulls and bounds look the same everywhere. Numbers that are no numbers (NaN, infinity) are null.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from armillary.measure import Measure

SCHEMA_VERSION = 1


def _finite(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _cell(value: Any) -> Any:
    value = _finite(value)
    return value.hex() if isinstance(value, bytes) else value


def _plain(value: Any) -> Any:
    """Plain values throughout: measures may carry numpy numbers and arrays in their detail."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return _cell(value)


Real = Annotated[float | None, BeforeValidator(_finite)]
Cell = Annotated[bool | int | float | str | None, BeforeValidator(_cell)]
Facts = Annotated[dict[str, Any], BeforeValidator(_plain)]
Role = Literal["measured", "random", "matched", "bound", "category"]
Form = Literal["line", "steps", "bars", "points", "mark"]


class _Part(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")


class NullValue(_Part):
    """What a measure would be by chance or at best."""

    value: Real
    error: Real = None
    how: str


class NullValues(_Part):
    """`bound`: the best any code of this size can do; `random`, `matched`: random codes."""

    bound: NullValue | None = None
    random: NullValue | None = None
    matched: NullValue | None = None


class MeasureValue(_Part):
    """A measured number with what it means, how sure it is, and its nulls."""

    name: str
    title: str
    value: Real
    unit: str
    kind: Literal["exact", "bound", "estimate"]
    error: Real
    n: int
    nulls: NullValues
    definition: str
    space: str
    source: str
    detail: Facts = Field(default_factory=dict)

    @classmethod
    def of(cls, measure: Measure) -> MeasureValue:
        """The published form of a measure."""
        return cls.model_validate(measure.to_dict())


class Series(_Part):
    """One line, step, bar, cloud of points or vertical mark (`x` holds the place, `y` is empty) of a figure.

    `low`, `high`: the ends of an interval about each `y` of a line, drawn as a band; empty for none.
    """

    name: str
    role: Role
    form: Form
    x: Sequence[Real]
    y: Sequence[Real] = ()
    low: Sequence[Real] = Field(default_factory=list)
    high: Sequence[Real] = Field(default_factory=list)

    @classmethod
    def of(
        cls,
        form: Form,
        name: str,
        x: Iterable[Real],
        y: Iterable[Real] = (),
        role: Role = "measured",
        low: Iterable[Real] = (),
        high: Iterable[Real] = (),
    ) -> Series:
        """A series of arrays or anything else that holds numbers."""
        return cls(name=name, role=role, form=form, x=list(x), y=list(y), low=list(low), high=list(high))


class FigureData(_Part):
    """A picture as data. `title` is a statement, `alt` says what is to be seen without it.

    `x_names`: what the places 1, 2, 3 … on the horizontal axis are; empty where it is a number line.
    """

    id: str
    title: str
    alt: str
    x_label: str
    y_label: str
    series: list[Series]
    caption: str = ""
    x_log: bool = False
    y_log: bool = False
    x_names: list[str] = Field(default_factory=list)


class Column(_Part):
    """One column of a table; `form` says how its cells are written."""

    name: str
    label: str
    form: Literal["text", "id", "count", "number", "cosine", "percent"] = "text"


class TableData(_Part):
    """A table: rows of cells in the order of its columns.

    `shades`: for each cell how much of the accent stands behind it, 0 … 1; empty for a plain table.
    """

    id: str
    title: str
    columns: list[Column]
    rows: list[list[Cell]]
    note: str = ""
    shades: list[list[Real]] = Field(default_factory=list)


class Finding(_Part):
    """A sentence a reader should not miss. `weight` 0 … 1 orders them; `tone` says whether it is good news."""

    text: str
    section: str
    weight: float
    tone: Literal["good", "bad", "plain"] = "plain"


class Headline(_Part):
    """One of the four figures at the top."""

    label: str
    value: str
    note: str


class Section(_Part):
    """One section: sentences, a figure, measures and tables, and how it is computed."""

    id: str
    title: str
    sentences: list[str] = Field(default_factory=list)
    figure: FigureData | None = None
    measures: list[str] = Field(default_factory=list)  # names, in the order shown
    tables: list[TableData] = Field(default_factory=list)
    how: str = ""


class Report(_Part):
    """A whole report. `scanned` says whether the all-pairs scan is part of it."""

    schema_version: Literal[1] = SCHEMA_VERSION
    armillary: str
    name: str
    provenance: Facts
    load_report: Facts
    row_facts: Facts
    headlines: list[Headline]
    findings: list[Finding]
    sections: list[Section]
    measures: list[MeasureValue]
    scanned: bool
    seconds: Real

    def __repr__(self) -> str:
        return f"Report({self.name}: {len(self.findings)} findings, {len(self.measures)} measures)"

    def __str__(self) -> str:
        return "\n".join([self.name, *(f"- {finding.text}" for finding in self.findings)])

    def _repr_html_(self) -> str:
        from html import escape

        items = "".join(f"<li>{escape(finding.text)}</li>" for finding in self.findings)
        return f"<p><strong>{escape(self.name)}</strong></p><ul>{items}</ul>"

    def measure(self, name: str) -> MeasureValue:
        """The measure of that name; KeyError if the report has none."""
        for measure in self.measures:
            if measure.name == name:
                return measure
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document as plain values."""
        return self.model_dump(mode="json")

    def save(self, path: Any) -> None:
        """Write the report as `.html`, `.json` or `.md`, whole or not at all; UsageError for another ending."""
        from armillary.report.saving import save

        save(self, path)


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by how much they matter to the reader; equal weights keep their order."""
    return sorted(findings, key=lambda finding: -finding.weight)
