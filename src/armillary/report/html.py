"""The report as one HTML file that opens with the network off and prints without cut tables.

Everything that comes from a model is text: jinja2 escapes it. Only the SVG that `drawing` made is put in as markup.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from armillary.answer import count, seconds
from armillary.report import cells
from armillary.report.drawing import draw
from armillary.report.model import Column, FigureData, Report

MOST_OPEN, PREVIEW = 12, 8  # rows of a table that stands open; of a longer one, before its fold

_CONTROLS = (  # of U+2400 … U+2421
    "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US SP DEL"
)
_NAMES = _CONTROLS.split()
_SPELLED = re.compile("▁{4,}|[\u2400-\u2421]+")

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
        "shown": shown,
        "null_columns": cells.null_columns,
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


def shown(text: str) -> Markup:
    """Text of a model's as markup that shows it and does nothing: what fonts lack or draw as a bar is spelled out.

    A symbol of a control character (␊) stands as its name in small letters, a run of spaces (▁▁▁▁ …) as one and its length.
    """
    return Markup(_SPELLED.sub(_spelled, str(escape(text))))  # noqa: S704  # escaped, then our own spans


def _spelled(match: re.Match[str]) -> str:
    run = match[0]
    if run[0] == "▁":
        return f'▁<span class="sign">×{len(run)}</span>'
    return "".join(f'<span class="sign" title="{symbol}">{_NAMES[ord(symbol) - 0x2400]}</span>' for symbol in run)


def _source(name: str) -> Markup:
    return Markup((_TEMPLATES / name).read_text(encoding="utf-8"))  # noqa: S704  # our own file


def _sort_key(value: Any, column: Column) -> str:
    """What the script sorts a cell by: the value at full precision, not as it is written."""
    return "" if value is None else repr(float(value)) if column.form in cells.NUMERIC else str(value)
