"""Text rows in blocks: the regular lines of a block become numbers in a few array operations.

A line is regular if it holds exactly d separators (one more is allowed at its end): a word, then d numbers. Where the
fields lie is found by numpy, and pyarrow's correctly rounded parser reads them in place. Any other line, and every
line of a block in which some field is no number, goes through `text_line`, which is exact and slow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armillary.formats.text_line import parse_line
from armillary.shapes import Bool, Float32, Int64

_NEWLINE, _RETURN, _SPACE, _TAB = 10, 13, 32, 9


class _Lines(NamedTuple):
    """Where things lie in a block: starts and ends of lines, separators, and per line its first separator."""

    starts: Int64[np.ndarray, "n"]
    ends: Int64[np.ndarray, "n"]
    separators: Int64[np.ndarray, "s"]
    first: Int64[np.ndarray, "n"]
    regular: Bool[np.ndarray, "n"]
    trailing: Bool[np.ndarray, "n"]


def parse_block(block: bytes, width: int, line: int, name: str) -> tuple[list[bytes], Float32[np.ndarray, "n d"]]:
    """Words and rows of whole lines; `line` is the number of the first. UnreadableError names the line at fault."""
    lines = _find_lines(block, width)
    words: list[bytes] = [b""] * len(lines.starts)
    rows = np.empty((len(lines.starts), width), np.float32)
    regular = np.flatnonzero(lines.regular)
    values = _regular_numbers(block, lines, regular, width)
    if values is None:
        regular, values = regular[:0], np.empty((0, width), np.float32)
    rows[regular] = values
    word_ends = lines.separators[lines.first[regular]] if len(regular) else regular
    for i, start, end in zip(regular.tolist(), lines.starts[regular].tolist(), word_ends.tolist(), strict=True):
        words[i] = block[start:end]
    _parse_others(block, lines, np.setdiff1d(np.arange(len(words)), regular), words, rows, line, name)
    return words, rows


def _find_lines(block: bytes, width: int) -> _Lines:
    codes = np.frombuffer(block, np.uint8)
    newlines = np.flatnonzero(codes == _NEWLINE)
    starts = np.concatenate([[0], newlines[:-1] + 1])
    ends = newlines - ((codes[newlines - 1] == _RETURN) & (newlines > starts))
    separators = np.flatnonzero((codes == _SPACE) | (codes == _TAB))
    first = np.searchsorted(separators, starts)
    count = np.searchsorted(separators, ends) - first
    last = codes[np.maximum(ends - 1, 0)]
    trailing = (ends > starts) & ((last == _SPACE) | (last == _TAB))
    return _Lines(starts, ends, separators, first, count - trailing == width, trailing)


def _regular_numbers(
    block: bytes, lines: _Lines, regular: Int64[np.ndarray, "n"], width: int
) -> Float32[np.ndarray, "n d"] | None:
    """Numbers of the regular lines, parsed in place; None if a field is no number.

    To pyarrow the block is one column of strings, field, gap, field, gap …, in which every gap is null.
    """
    import pyarrow as pa

    if not len(regular):
        return np.empty((0, width), np.float32)
    before = lines.separators[lines.first[regular][:, None] + np.arange(width)]  # n d
    after = np.empty_like(before)
    after[:, :-1] = before[:, 1:]
    at_end = np.minimum(lines.first[regular] + width, len(lines.separators) - 1)
    after[:, -1] = np.where(lines.trailing[regular], lines.separators[at_end], lines.ends[regular])
    offsets = np.empty(2 * before.size + 1, np.int32)
    offsets[0:-1:2], offsets[1:-1:2], offsets[-1] = before.ravel() + 1, after.ravel(), len(block)
    every_other = pa.py_buffer(bytes([0b01010101]) * (len(offsets) // 8 + 1))
    strings = pa.StringArray.from_buffers(
        len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(block), every_other, before.size
    )
    try:
        numbers = strings.cast(pa.float32())
    except pa.ArrowInvalid:
        return None
    return np.frombuffer(numbers.buffers()[1], np.float32, len(offsets) - 1)[::2].reshape(-1, width)


def _parse_others(
    block: bytes,
    lines: _Lines,
    others: Int64[np.ndarray, "n"],
    words: list[bytes],
    rows: Float32[np.ndarray, "n d"],
    line: int,
    name: str,
) -> None:
    import pyarrow as pa

    texts: list[bytes] = []
    for i in others.tolist():
        words[i], numbers = parse_line(block[lines.starts[i] : lines.ends[i]], rows.shape[1], line + i, name)
        texts += numbers
    if texts:
        parsed = pa.array([t.decode("ascii") for t in texts], pa.string()).cast(pa.float32())
        rows[others] = parsed.to_numpy().reshape(-1, rows.shape[1])
