"""Word vectors as text: GloVe (no header) and word2vec (a line "V d" first), also called `.vec`.

Whether the first line is a header is decided by reading the file both ways, and the width by what the rows hold. A
header whose counts are wrong is reported; the rows are what is there.
"""

from __future__ import annotations

import mmap
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from armillary.errors import UnreadableError, UsageError
from armillary.formats.refusals import named_refusal
from armillary.formats.source import Format, Request, Source
from armillary.formats.text_line import looks_like_fault, parse_line, trailing_numbers
from armillary.formats.text_rows import parse_block
from armillary.formats.vocabularies import vocabulary_facts
from armillary.shapes import Float32
from armillary.table import ArrayRows, LoadReport, Provenance, Table, Vocabulary

_BLOCK = 16 << 20  # bytes of text read at a time
_BOM = b"\xef\xbb\xbf"
_HEADER = re.compile(rb"([0-9]{1,18})[ \t]([0-9]{1,9})[ \t\r]*\n?\Z")
_SAMPLE_LINES, _SAMPLE_BYTES = 200, 4 << 20


def _recognises(source: Source) -> bool:
    """Text in which one of the first lines ends in a number, or is a known fault of such a file."""
    head = source.head
    if b"\0" in head or named_refusal(head) or source.is_folder:
        return False
    lines = head.removeprefix(_BOM).split(b"\n")[:50]
    return any(trailing_numbers(line, 1)[1] or looks_like_fault(line) for line in lines)


def _open(source: Source, request: Request) -> Table:
    if request.tensor is not None:
        raise UsageError(f"{source.name} holds one table without a name, and no tensor {request.tensor}")
    with source.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        layout = _layout(data, source.name)
        words, rows = _read(data, layout, source.name)
    vocabulary = Vocabulary.of_words(words)
    report = LoadReport(
        format="word2vec text" if layout.header else "GloVe text",
        files_read=(source.path.name,),
        stored="text",
        rows=len(rows),
        width=layout.width,
        tied_because="a file of word vectors holds one table",
        contradictions=_wrong_header(layout, len(rows)),
        notes=layout.notes,
        **vocabulary_facts(vocabulary),
    )
    return Table(ArrayRows(rows), vocabulary, Provenance(source.name, stored="text"), report)


@dataclass(frozen=True)
class _Layout:
    """Where rows begin and end, how many lines that is, how wide they are, and the header's (rows, width) if any."""

    begin: int
    end: int
    lines: int
    width: int
    header: tuple[int, int] | None
    notes: tuple[str, ...]


def _layout(data: mmap.mmap, name: str) -> _Layout:
    bom = len(_BOM) if data[:3] == _BOM else 0
    end, blank = _end_of_rows(data)
    lines = _count_lines(data, bom, end)
    if not lines:
        raise UnreadableError(f"expected rows of word vectors in {name}, found only empty lines")
    after_first = data.find(b"\n", bom, end) + 1 or end
    claim = _HEADER.match(data[bom : min(after_first, bom + 100)])
    claimed = (int(claim[1]), int(claim[2])) if claim else None
    width, header = _decide(_sample(data, bom, end), lines, claimed, name)
    notes = (
        *(["a byte-order mark at the start was dropped"] if bom else []),
        *([f"{blank:,} empty lines at the end were dropped"] if blank else []),
        *(
            ["lines end with a carriage return, which was dropped"]
            if data[after_first - 2 : after_first] == b"\r\n"
            else []
        ),
    )
    begin = after_first if header else bom
    return _Layout(begin, end, lines - (header is not None), width, header, notes)


def _decide(
    sample: list[bytes], lines: int, claimed: tuple[int, int] | None, name: str
) -> tuple[int, tuple[int, int] | None]:
    """(width, header or None): what both readings of the first line say, held against the lines after it."""
    if claimed is None:
        return _width(sample, 1, name), None
    if lines == 1:  # one line of two counts: an empty table if it says so, else one row of one number
        return (claimed[1], claimed) if claimed[0] == 0 and claimed[1] > 0 else (1, None)
    rest = sample[1:]
    width = claimed[1] if _fits(rest, claimed[1], name) else _width(rest, 2, name)
    if width == 1 and claimed != (lines - 1, 1) and _fits(sample, 1, name):
        return 1, None
    return width, claimed


def _fits(lines: list[bytes], width: int, name: str) -> bool:
    try:
        for line in lines:
            parse_line(line, width, 0, name)
    except UnreadableError:
        return False
    return width > 0


def _width(lines: list[bytes], number: int, name: str) -> int:
    """The width that most lines have; a word that ends in a number makes a line look wider, but few are like that."""
    counts = Counter(len(trailing_numbers(line)[1]) for line in lines)
    width = next((w for w, _ in counts.most_common() if w > 0), 1)
    if counts[width] == 0:
        parse_line(lines[0], width, number, name)  # raises: no line has a number
    return width


def _sample(data: mmap.mmap, begin: int, end: int) -> list[bytes]:
    """The first lines, whole ones only, but at least the first two."""
    lines: list[bytes] = []
    at = begin
    while at < end and len(lines) < _SAMPLE_LINES and (at - begin < _SAMPLE_BYTES or len(lines) < 2):
        stop = data.find(b"\n", at, end) + 1 or end
        lines.append(data[at:stop])
        at = stop
    return lines


def _end_of_rows(data: mmap.mmap) -> tuple[int, int]:
    """Where the last line that is not empty ends, and how many empty lines follow it."""
    size = len(data)
    last = size
    while last and data[last - 1] in b"\r\n":
        last -= 1
    end = (data.find(b"\n", last) + 1 or size) if last else 0
    return end, data[end:size].count(b"\n")


def _count_lines(data: mmap.mmap, begin: int, end: int) -> int:
    lines = sum(data[at : min(at + _BLOCK, end)].count(b"\n") for at in range(begin, end, _BLOCK))
    return lines + (end > begin and data[end - 1] != 10)


def _blocks(data: mmap.mmap, begin: int, end: int) -> Iterator[bytes]:
    """Whole lines, about 16 MiB at a time, each block ending with a newline."""
    while begin < end:
        stop = data.rfind(b"\n", begin, min(begin + _BLOCK, end)) + 1
        stop = stop or data.find(b"\n", begin, end) + 1 or end
        block = data[begin:stop]
        yield block if block.endswith(b"\n") else block + b"\n"
        begin = stop


def _read(data: mmap.mmap, layout: _Layout, name: str) -> tuple[list[bytes], Float32[np.ndarray, "V d"]]:
    """Words and rows. A number takes two bytes of text at least, so no more rows than that are allocated."""
    most = (layout.end - layout.begin) // (2 * layout.width) + 1
    rows = np.empty((min(layout.lines, most), layout.width), np.float32)
    words: list[bytes] = []
    for block in _blocks(data, layout.begin, layout.end):
        line = len(words) + 1 + (layout.header is not None)
        found, numbers = parse_block(block, layout.width, line, name)
        rows[len(words) : len(words) + len(found)] = numbers
        words += found
    return words, rows


def _wrong_header(layout: _Layout, rows: int) -> tuple[str, ...]:
    if layout.header is None or layout.header == (rows, layout.width):
        return ()
    V, d = layout.header
    return (f"the header says {V:,} rows of {d:,} numbers, and the file holds {rows:,} of {layout.width:,}",)


FORMAT = Format("word vectors as text", _recognises, _open)
