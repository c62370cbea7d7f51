"""A similarity matrix as a heat map for the terminal: shades that read without colour, numbers where they fit.

A shade says how many standard deviations a cosine lies above that of two random rows, so it means the same in a table
whose cosines all lie high and in one where they do not. The pairs stand in a table of numbers beside it.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence

import numpy as np

from armillary.answer import cell_width, cosine, isolated, one_line
from armillary.answer.columns import cut
from armillary.cli.output import is_terminal, paint
from armillary.shapes import Float64

SHADES: dict[float, str] = {1.0: "░", 2.0: "▒", 3.0: "▓", 5.0: "█"}  # by the least z of each
WIDEST_LABEL, CELL = 16, 8
GAP = "  "


def heat_map(labels: Sequence[str], cosines: Float64[np.ndarray, "n n"], mean: float, sd: float) -> str:
    """The matrix of cosines between words; `mean` and `sd` are those of the cosine of two random rows of the table.

    Shades on a terminal alone, as bars; numbers left out where the terminal is too narrow for them.
    """
    names = [cut(one_line(label), WIDEST_LABEL) for label in labels]
    shades = [[shade((value - mean) / sd if sd else 0.0) for value in row] for row in cosines.tolist()]
    margin = max(map(cell_width, names))
    fits = margin + len(names) * (CELL + len(GAP)) + len(GAP) <= shutil.get_terminal_size((100, 24)).columns
    if not fits:
        return _narrow(names, shades, margin) if is_terminal() else ""
    head = GAP + " " * margin + "".join(GAP + _filled(cut(name, CELL), CELL, right=True) for name in names)
    rows = [
        GAP + _filled(name, margin) + "".join(GAP + _cell(*cell) for cell in zip(row, dark, strict=True))
        for name, row, dark in zip(names, cosines.tolist(), shades, strict=True)
    ]
    return "\n".join([head, *rows, *_legend()])


def shade(z: float) -> str:
    """One of five shades: blank below one standard deviation, full from five."""
    return next((s for least, s in reversed(SHADES.items()) if z >= least), " ")


def _cell(value: float, dark: str) -> str:
    return (paint(2 * dark, "accent") if is_terminal() else GAP) + f"{cosine(value):>6}"


def _narrow(names: Sequence[str], shades: Sequence[Sequence[str]], margin: int) -> str:
    """Two cells of shade a pair, columns by number."""
    head = GAP + " " * (margin + 4) + " ".join(f"{i:>2}" for i in range(1, len(names) + 1))
    rows = [
        f"{GAP}{i:>2} {_filled(name, margin)} " + " ".join(paint(2 * s, "accent") for s in row)
        for i, (name, row) in enumerate(zip(names, shades, strict=True), 1)
    ]
    return "\n".join([head, *rows, *_legend()])


def _legend() -> list[str]:
    if not is_terminal():
        return []
    steps = ", ".join(f"{2 * s} {least:.0f}" for least, s in SHADES.items())
    return [f"{GAP}{steps} or more standard deviations above two random rows"]


def _filled(text: str, width: int, right: bool = False) -> str:
    fill = " " * (width - cell_width(text))
    shown = isolated(text) if is_terminal() else text
    return fill + shown if right else shown + fill
