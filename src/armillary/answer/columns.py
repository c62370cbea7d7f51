"""Text tables whose columns stay aligned: wide characters, right-to-left tokens, combining marks.

Widths are counted in terminal cells, not characters. A cell with right-to-left text stands in a Unicode isolate on
request (a terminal that lays out both directions would otherwise move the numbers beside it).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Literal

Align = Literal["left", "right"]

_OPEN, _CLOSE = "\u2068", "\u2069"  # FIRST STRONG ISOLATE, POP DIRECTIONAL ISOLATE: no cells of their own
_ELLIPSIS = "…"
_NO_TOKEN = re.compile(r"⟨[^⟩]*⟩|#\d+")
LONGEST_WORD, LONGEST_LINE = 300, 1_500  # characters of a line for people: whole paths stay, whole files do not
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")
# controls but the newline, line separators, and marks that turn a line's direction; not our own isolates and colours
_ACTS = re.compile(
    r"(?!\x1b\[(?:0|1|2|33)m)[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066\u2067\ud800-\udfff]"
)


def inert(text: str) -> str:
    """`text` with what acts on a terminal as visible symbols (ESC is ␛): names of files and tensors are hostile too."""
    return _ACTS.sub(_symbol, text)


def one_line(text: str) -> str:
    """`text` in one line, inert, and no longer than a person reads: long words and long texts lose their middle."""
    line = " ".join(text.split()) if "\n" in text or "\r" in text else text
    short = _LONG_WORD.sub(lambda word: _without_middle(word[0], LONGEST_WORD), line)
    return inert(_without_middle(short, LONGEST_LINE))


def _without_middle(text: str, longest: int) -> str:
    """`text` in at most `longest` characters: its first two thirds and its end, an ellipsis between them."""
    first = 2 * longest // 3
    return text if len(text) <= longest else text[:first] + _ELLIPSIS + text[first + 1 - longest :]


def _symbol(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # surrogateescape: a byte of a file's name that is no UTF-8
        return f"\\x{code - 0xDC00:02X}"
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else f"\\u{{{code:04X}}}"


def quoted(token: str) -> str:
    """A token inside a sentence, so that it is seen where it ends; ⟨empty⟩ and a row's number, #42, are no tokens."""
    return token if _NO_TOKEN.fullmatch(token) else f"“{token}”"


def space_note(texts: Iterable[str]) -> str:
    """What the mark ▁ stands for, where one of these display strings has it; else nothing to say."""
    return "▁ stands for a space, before a word or inside a token." if any("▁" in text for text in texts) else ""


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
    cells = [[cut(one_line(cell), widest) for cell in row] for row in ([header] if header else []) + [*rows]]
    widths = [max((cell_width(row[c]) for row in cells), default=0) for c in range(len(align))]
    return "\n".join(gap.join(_padded(row, widths, align, isolate)).rstrip() for row in cells)


def _padded(row: Sequence[str], widths: Sequence[int], align: Sequence[Align], isolate: bool) -> list[str]:
    padded: list[str] = []
    for cell, width, side in zip(row, widths, align, strict=True):
        fill = " " * (width - cell_width(cell))
        shown = isolated(cell) if isolate else cell
        padded.append(fill + shown if side == "right" else shown + fill)
    return padded
