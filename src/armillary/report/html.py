"""The report as one HTML file that opens with the network off and prints without cut tables.

Everything that comes from a model is text: jinja2 escapes it. Only the SVG that `drawing` made is put in as markup.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from armillary.answer import count, seconds
from armillary.report import cells
from armillary.report.drawing import draw
from armillary.report.model import Column, FigureData, Report

MOST_OPEN, PREVIEW = 12, 8  # rows of a table that stands open; of a longer one, before its fold

_TEMPLATES = Path(__file__).parent / "templates"


def render(report: Report) -> str:
    """The whole page."""
    return _environment().get_template("report.html.j2").render(report=report)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "cell": cells.cell,
        "measured": cells.measured,
        "null": cells.null,
        "count": count,
        "seconds": seconds,
        "picture": _picture,
        "sort_key": _sort_key,
    }
    environment.globals |= {
        "most": MOST_OPEN,
        "preview": PREVIEW,
        "numeric": cells.NUMERIC,
        "style": _source("report.css"),
        "script": _source("report.js"),
    }
    return environment


def _picture(figure: FigureData) -> Markup:
    return Markup(draw(figure))  # noqa: S704  # our own drawing, its text escaped there


def _source(name: str) -> Markup:
    return Markup((_TEMPLATES / name).read_text(encoding="utf-8"))  # noqa: S704  # our own file


def _sort_key(value: Any, column: Column) -> str:
    """What the script sorts a cell by: the value at full precision, not as it is written."""
    return "" if value is None else repr(float(value)) if column.form in cells.NUMERIC else str(value)
