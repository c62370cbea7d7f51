"""One line of a text file of word vectors, read exactly: the word, and d numbers taken from the right.

Separators are space and tab only; a line ends at byte 0x0A only. So words may hold no-break spaces, U+0085, spaces,
or nothing at all. This is the slow reader: `text_rows` reads the regular lines of a file in blocks and leaves to
this one what is not regular, and every complaint.
"""

from __future__ import annotations

import re
from typing import NoReturn

from armillary.errors import UnreadableError

NUMBER: re.Pattern[bytes] = re.compile(
    rb"[+-]?(?:[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?|nan|inf(?:inity)?)\Z", re.I
)
_LONGEST = 400  # no number is longer; a longer field costs no more to refuse
_CONFLICT = re.compile(rb"<{7}|={7}|>{7}|\|{7}")
_SPARSE = re.compile(rb"[ \t][0-9]+:[+-]?[0-9.]+(?:[ \t]|\Z)")


def trim(line: bytes) -> bytes:
    """A line without its newline, and without separators or a carriage return at its end."""
    return line.rstrip(b" \t\r\n")


def trailing_numbers(line: bytes, most: int = 1 << 30) -> tuple[bytes, list[bytes]]:
    """(the word, the numbers at the right of a line); each number needs a separator to its left.

    One separator parts word and numbers; more of them belong to the word. Between numbers a run of separators is one.
    """
    rest = trim(line)
    numbers: list[bytes] = []
    while len(numbers) < most:
        body = rest.rstrip(b" \t")
        start = max(body.rfind(b" "), body.rfind(b"\t")) + 1
        field = body[start : start + _LONGEST + 1]
        if start == 0 or len(field) > _LONGEST or not NUMBER.match(field):
            break
        numbers.append(field)
        rest = body[: start - 1]
    return rest, numbers[::-1]


def parse_line(line: bytes, width: int, number: int, name: str) -> tuple[bytes, list[bytes]]:
    """The word and its d numbers, still as text; UnreadableError names line, found and expected."""
    word, numbers = trailing_numbers(line, width)
    if len(numbers) < width:
        _refuse(line, len(numbers), width, number, name)
    _, more = trailing_numbers(word)
    if more and _is_value(more[-1], numbers):
        _refuse(line, width + len(more), width, number, name)
    return word, numbers


def _is_value(field: bytes, numbers: list[bytes]) -> bool:
    """Whether a number to the left of a row's numbers is one too many, and not the end of a word like `Boeing 747`."""
    return not field.isdigit() or all(n.lstrip(b"+-").isdigit() for n in numbers)


def _refuse(line: bytes, found: int, width: int, number: int, name: str) -> NoReturn:
    shown = trim(line)
    if _CONFLICT.match(shown):
        what, cure = "a conflict marker of a version control system", "resolve the conflict first"
    elif _SPARSE.search(shown):
        what, cure = "index:value pairs", "this is a sparse format; write every number of every row"
    elif not shown:
        what, cure = "an empty line", "delete it"
    else:
        what = f"{found:,} in {shown[:40].decode('utf-8', 'backslashreplace')!r}"
        cure = "the row is short or long; write the word and then every number, parted by spaces"
    raise UnreadableError(f"line {number:,} of {name}: expected a word and {width:,} numbers, found {what}", cure)


def looks_like_fault(line: bytes) -> bool:
    """Whether a line is a conflict marker or sparse: then the file is text of vectors with a known fault."""
    return bool(_CONFLICT.match(line) or _SPARSE.search(trim(line)))
