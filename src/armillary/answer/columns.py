"""Text tables whose columns stay aligned: wide characters, right-to-left tokens, combining marks.

Widths are counted in terminal cells, not characters. A cell with right-to-left text stands in a Unicode isolate on
request (a terminal that lays out both directions would otherwise move the numbers beside it).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Literal

Align = Literal["left", "right"]

_OPEN, _CLOSE = "\u2068", "\u2069"  # FIRST STRONG ISOLATE, POP DIRECTIONAL ISOLATE: no cells of their own
_ELLIPSIS = "…"


def cell_width(text: str) -> int:
    """How many terminal cells `text` takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def isolated(text: str) -> str:
    """`text` in a direction isolate if it holds right-to-left characters, else as it is."""
    if text.isascii() or not any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in text):
        return text
    return f"{_OPEN}{text}{_CLOSE}"


def cut(text: str, width: int) -> str:
    """`text` in at most `width` cells, an ellipsis in place of what is cut."""
    if cell_width(text) <= width:
        return text
    kept = ""
    for character in text:
        if cell_width(kept + character) > width - 1:
            break
        kept += character
    return kept + _ELLIPSIS


def aligned(
    rows: Sequence[Sequence[str]],
    align: Sequence[Align],
    header: Sequence[str] = (),
    *,
    isolate: bool = False,
    widest: int = 40,
    gap: str = "  ",
) -> str:
    """Rows of strings as one text with aligned columns; cells wider than `widest` are cut; no trailing spaces."""
    cells = [[cut(cell, widest) for cell in row] for row in ([header] if header else []) + [*rows]]
    widths = [max((cell_width(row[c]) for row in cells), default=0) for c in range(len(align))]
    return "\n".join(gap.join(_padded(row, widths, align, isolate)).rstrip() for row in cells)


def _padded(row: Sequence[str], widths: Sequence[int], align: Sequence[Align], isolate: bool) -> list[str]:
    padded: list[str] = []
    for cell, width, side in zip(row, widths, align, strict=True):
        fill = " " * (width - cell_width(cell))
        shown = isolated(cell) if isolate else cell
        padded.append(fill + shown if side == "right" else shown + fill)
    return padded
