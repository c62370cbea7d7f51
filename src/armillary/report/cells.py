"""How the values of a report are written in a table, the same in HTML and Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from armillary.answer import cosine, count, interval, number, percent
from armillary.report.model import Column, MeasureValue, NullValue

_NULLS = {"bound": "bound", "random": "random code", "matched": "matched code"}
NUMERIC: frozenset[str] = frozenset({"id", "count", "number", "cosine", "percent"})


def cell(value: Any, column: Column) -> str:
    """One cell as text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    writers = {"id": str, "count": lambda v: count(int(v)), "cosine": cosine, "percent": percent, "text": str}
    return writers.get(column.form, lambda v: number(float(v)))(value)


def null_columns(measures: Iterable[MeasureValue]) -> list[tuple[str, str]]:
    """(field, head) of the kinds of null that any of the measures has: a column of dashes says nothing."""
    measures = list(measures)
    return [(field, head) for field, head in _NULLS.items() if any(getattr(m.nulls, field) for m in measures)]


def measured(measure: MeasureValue) -> str:
    """The value of a measure with its error and unit; a bracket or estimate says so."""
    return _with_unit(_value(measure.value, measure.error, measure.unit), measure.unit)


def null(value: NullValue | None, measure: MeasureValue) -> str:
    """A null of a measure, written as the measure is; a dash where it has no meaning.

    Extremes and hubs grow with the number of rows, so a draw of 20,000 is no null for a table of 262,144: beside a
    drawn null stands, in brackets, what the table itself has on as many rows.
    """
    if value is None:
        return "—"
    same_size = measure.detail.get("subsample") if value.how.startswith("estimate") else None
    beside = f" ({_degrees(_value(same_size['value'], None, measure.unit), measure.unit)})" if same_size else ""
    return _degrees(_value(value.value, value.error, measure.unit), measure.unit) + beside


def _value(value: float | None, error: float | None, unit: str) -> str:
    if value is None:
        return "—"
    if unit == "share":
        return f"{interval(100.0 * value, 100.0 * error)} %" if error else percent(value)
    if error:
        return interval(value, error)
    if float(value).is_integer() and abs(value) < 1e7:
        return count(int(value))
    return cosine(value) if unit in ("", "cosine") and abs(value) < 1 and abs(value) > 0.9995 else number(float(value))


def _with_unit(text: str, unit: str) -> str:
    if unit in ("", "cosine", "share", "°"):
        return _degrees(text, unit)
    return f"{text} {unit.removesuffix('s') if text == '1' else unit}"


def _degrees(text: str, unit: str) -> str:
    """The one unit that belongs to the number itself; a column of nulls repeats no other."""
    return f"{text}°" if unit == "°" and text != "—" else text
