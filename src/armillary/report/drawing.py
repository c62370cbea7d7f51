"""Figures as inline SVG, drawn from their data by matplotlib.

Colours are written as CSS variables, so that one picture serves paper, night and print; text stays text. What a
series is decides how it looks: measured in the accent, nulls in grey, bounds as thin dashed lines.
"""

from __future__ import annotations

import io
import re
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.report.model import FigureData, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

WIDTH, HEIGHT = 7.2, 2.9  # inches at 72 to the inch: the column is 720 px wide

# a colour that matplotlib writes -> the variable that takes its place
_VARIABLE_OF = {
    "#010101": "var(--ink)",
    "#020202": "var(--soft)",
    "#030303": "var(--accent)",
    "#040404": "var(--null)",
    "#050505": "var(--matched)",
    "#060606": "var(--rule)",
    "#070707": "var(--paper)",
}
_INK, _SOFT, _ACCENT, _NULL, _MATCHED, _RULE, _PAPER = _VARIABLE_OF
_CATEGORIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")  # Okabe & Ito
_STYLE_OF: dict[str, dict[str, Any]] = {
    "measured": {"color": _ACCENT, "linewidth": 1.8, "zorder": 4},
    "random": {"color": _NULL, "linewidth": 1.3, "zorder": 2},
    "matched": {"color": _MATCHED, "linewidth": 1.5, "linestyle": (0, (1, 1.2)), "zorder": 5},
    "bound": {"color": _INK, "linewidth": 0.8, "linestyle": (0, (5, 3)), "zorder": 1},
}
_FEW = 3  # points that each mean something: drawn large, above all else
_LOCK = Lock()  # matplotlib's settings are of the process; a page may draw two reports at once


def draw(figure: FigureData) -> str:
    """The figure as an `<svg>` element with its alternative text."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": figure.id, "font.size": 9.5, "text.parse_math": False}
    with _LOCK, matplotlib.rc_context(settings):
        canvas = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        canvas.patch.set_alpha(0)
        axes = canvas.add_subplot()
        _dress(axes, figure)
        categories = iter(_CATEGORIES)
        for series in figure.series:
            style = _STYLE_OF.get(series.role) or {"color": next(categories, _INK), "linewidth": 1.5}
            _add(axes, series, style)
        _label(axes, figure)
        stream = io.StringIO()
        FigureCanvasSVG(canvas).print_svg(stream, metadata={"Date": None, "Creator": None})
    return _inline(stream.getvalue(), figure)


def _dress(axes: Axes, figure: FigureData) -> None:
    axes.patch.set_alpha(0)
    axes.spines[["top", "right"]].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(_RULE)
    axes.tick_params(colors=_SOFT, labelsize=9, length=3, width=0.8)
    axes.set_xlabel(figure.x_label, color=_SOFT)
    axes.set_ylabel(figure.y_label, color=_SOFT)
    if figure.x_names:
        axes.set_xticks(range(1, len(figure.x_names) + 1), figure.x_names)
    elif not figure.x_log and all(isinstance(x, int) for series in figure.series for x in series.x):
        from matplotlib.ticker import MaxNLocator

        axes.xaxis.set_major_locator(MaxNLocator(integer=True))  # layers, steps: no half ones
    if figure.x_log:
        axes.set_xscale("log")
        _plain_ticks(axes.xaxis)
    if figure.y_log:
        axes.set_yscale("log")
        _plain_ticks(axes.yaxis)


def _plain_ticks(axis: Axis) -> None:
    """Powers of ten as plain numbers: 0.01, 1, 1,000."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _add(axes: Axes, series: Series, style: dict[str, Any]) -> None:
    x, y = (np.array(values, float) for values in (series.x, series.y))  # None is NaN: a gap
    if series.form == "mark":
        for place in x:
            axes.axvline(place, label=series.name, **style)
    elif series.form == "steps":
        axes.stairs(y, x, label=series.name, fill=False, **style)
        if series.role == "measured":
            axes.stairs(y, x, fill=True, color=style["color"], alpha=0.18, linewidth=0)
    elif series.form == "bars":
        axes.bar(x, y, label=series.name, color=style["color"], width=_bar_width(x))
    elif series.form == "points":
        few = len(x) <= _FEW
        size, alpha, order = (7.0, 1.0, 6) if few else (2.6, 0.7, style.get("zorder", 3))
        axes.plot(
            x, y, "o", label=series.name, markersize=size, markeredgewidth=0, alpha=alpha, color=style["color"], zorder=order
        )  # fmt: skip
    else:
        axes.plot(x, y, label=series.name, **style)
        if len(series.low):
            low, high = (np.array(values, float) for values in (series.low, series.high))
            axes.fill_between(x, low, high, color=style["color"], alpha=0.14, linewidth=0)


def _bar_width(x: np.ndarray) -> float:
    return 0.8 * float(np.diff(x).min(initial=np.inf)) if len(x) > 1 else 0.8


def _label(axes: Axes, figure: FigureData) -> None:
    """A legend above the axes, where it hides no data."""
    if len(figure.series) > 1:
        axes.legend(
            loc="lower left", bbox_to_anchor=(0, 1.0), ncols=4, frameon=False, labelcolor=_INK, fontsize=9,
            handlelength=1.6, borderaxespad=0.2, columnspacing=1.4,
        )  # fmt: skip
    axes.margins(x=0.01)
    if not figure.y_log and all(
        value is None or value >= 0 for series in figure.series for value in (*series.y, *series.low)
    ):
        axes.set_ylim(bottom=0)


def _inline(svg: str, figure: FigureData) -> str:
    """Strip what only a file needs, name the picture, and let the page's theme colour it."""
    from html import escape

    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r' xmlns:xlink="[^"]*"', "", svg) if "xlink:href" not in svg else svg
    svg = svg.replace("xlink:href", "href").replace(' xmlns="http://www.w3.org/2000/svg"', "")
    svg = re.sub(r' xmlns:xlink="[^"]*"', "", svg)
    svg = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", svg)
    svg = re.sub(r"(id=\"|url\(#|href=\"#)(?=[\w-])", rf"\g<1>{figure.id}-", svg)
    for written, variable in _VARIABLE_OF.items():
        svg = svg.replace(written, variable)
    name = f"<title>{escape(figure.alt)}</title>"
    opening, rest = svg.split(">", 1)
    opening = re.sub(r' (?:width|height)="[^"]*"', "", opening)
    return f'{opening} role="img">{name}{rest}'
