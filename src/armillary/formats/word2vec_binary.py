"""word2vec's binary format: a line "V d", then for each word its bytes, one space, d little-endian float32 numbers.

The original program writes a newline after each vector, gensim writes none. Which one it is, is found by reading the
file both ways: a reading holds only if it uses up every byte. A space inside a word shifts everything after it, so
the sizes no longer add up, and the file is refused rather than read as garbage.
"""

from __future__ import annotations

import mmap
import re
from dataclasses import dataclass

import numpy as np

from armillary.errors import UnreadableError, UsageError
from armillary.formats.source import Format, Request, Source
from armillary.formats.text_line import trailing_numbers
from armillary.formats.vocabularies import vocabulary_facts
from armillary.shapes import Float32, Int64, Integer
from armillary.table import LoadReport, Provenance, Table, Vocabulary

_HEADER = re.compile(rb"([0-9]{1,18}) ([0-9]{1,9})[ \r]*\n")
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
LONGEST_WORD = 10_000  # bytes


def _recognises(source: Source) -> bool:
    """A header of two counts, and then bytes that are no text."""
    header = _HEADER.match(source.head)
    if not header:
        return False
    rest = source.head[header.end() :]
    width = int(header[2])
    if 0 < width == len(trailing_numbers(rest.split(b"\n", 1)[0], width)[1]):
        return False  # text, whatever its words hold
    if _CONTROL.search(rest):
        return True
    fields = rest.split(b"\n", 2)[0].split()
    return len(fields) > 1 and sum(_is_number(f) for f in fields[1:]) < len(fields[1:]) / 2


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class _Reading:
    """Words and where each vector begins; `end` is the first byte not used, `problem` why reading stopped."""

    words: list[bytes]
    starts: list[int]
    end: int
    problem: str


class ScatteredRows:
    """float32 rows that lie between words of a mapped file: row i begins at byte starts[i]."""

    def __init__(self, data: mmap.mmap | bytes, starts: Int64[np.ndarray, "V"], width: int) -> None:
        self._data = data
        self._starts = starts
        self.shape: tuple[int, int] = (len(starts), width)

    def block(self, start: int, stop: int) -> Float32[np.ndarray, "n d"]:
        return self._gather(self._starts[start:stop])

    def take(self, ids: Integer[np.ndarray, "n"]) -> Float32[np.ndarray, "n d"]:
        return self._gather(self._starts[np.asarray(ids, np.int64)])

    def _gather(self, starts: Int64[np.ndarray, "n"]) -> Float32[np.ndarray, "n d"]:
        rows = np.empty((len(starts), self.shape[1]), np.float32)
        for row, start in zip(rows, starts.tolist(), strict=True):
            row[:] = np.frombuffer(self._data, "<f4", self.shape[1], start)
        return rows


def _open(source: Source, request: Request) -> Table:
    if request.tensor is not None:
        raise UsageError(f"{source.name} holds one table without a name, and no tensor {request.tensor}")
    header = _HEADER.match(source.head)
    assert header
    declared, width = int(header[1]), int(header[2])
    if width < 1 or (declared and header.end() + 4 * width + 1 > source.size):
        raise _cut(source, declared, width)
    with source.path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    reading, newline = _read(data, header.end(), declared, width, source)
    vocabulary = Vocabulary.of_words(reading.words)
    rows = ScatteredRows(data, np.array(reading.starts, np.int64), width)
    report = LoadReport(
        format="word2vec binary",
        files_read=(source.path.name,),
        rows=len(reading.words),
        width=width,
        tied_because="a file of word vectors holds one table",
        contradictions=_wrong_count(declared, len(reading.words)),
        notes=("each vector is followed by a newline" if newline else "no newline follows a vector",),
        **vocabulary_facts(vocabulary),
    )
    return Table(rows, vocabulary, Provenance(source.name), report)


def _read(data: mmap.mmap, begin: int, declared: int, width: int, source: Source) -> tuple[_Reading, bool]:
    """The reading that uses up every byte, and whether it has newlines; UnreadableError if neither does."""
    with_newline = _walk(data, begin, width, b"\n")
    if not with_newline.problem and _plausible(with_newline, declared):
        return with_newline, True
    without = _without_garbled(_walk(data, begin, width, b""), data)
    if not without.problem and _plausible(without, declared):
        return without, False
    has_newlines = with_newline.words or any(word.startswith(b"\n") for word in without.words)
    best = with_newline if has_newlines else without
    row = len(best.words)
    after = f" after the word {best.words[-1][:40]!r}" if best.words else ""
    raise UnreadableError(
        f"the sizes in the word2vec file {source.name} do not add up: row {row + 1:,} of {declared:,},"
        f" byte {best.end:,}{after}: {best.problem or 'the words before it hold bytes that no word has'}",
        "the file is cut, or a word holds a space, which this format cannot carry; save it as text",
    )


def _walk(data: mmap.mmap, begin: int, width: int, newline: bytes) -> _Reading:
    """Read words and vectors from `begin` until the end, or until something is not where it must be."""
    words: list[bytes] = []
    starts: list[int] = []
    at, size, step = begin, len(data), 4 * width
    while at < size:
        space = data.find(b" ", at, at + LONGEST_WORD)
        if space < 0:
            return _Reading(words, starts, at, f"no space ends the word that begins here ({size - at:,} bytes left)")
        end = space + 1 + step
        if end > size:
            found = size - space - 1
            return _Reading(words, starts, at, f"expected a vector of {step:,} bytes, found {found:,} bytes")
        if newline and data[end : end + 1] not in (newline, b""):
            return _Reading(words, starts, at, f"no newline at byte {end:,} after the vector")
        words.append(data[at:space])
        starts.append(space + 1)
        at = end + len(newline)
    return _Reading(words, starts, min(at, size), "")


def _plausible(reading: _Reading, declared: int) -> bool:
    """Whether the header agrees, or else at least every word could be one."""
    return len(reading.words) == declared or not any(_CONTROL.search(word) for word in reading.words)


def _without_garbled(reading: _Reading, data: mmap.mmap) -> _Reading:
    """The reading up to a word that must be the end of a vector: without newlines only sizes hold a file together.

    A space in the word before moves its vector, so that its last bytes lead the next word, and then all is in step
    again. Such a word holds control bytes; or it is no UTF-8 (a cut end apart), and moving both by as many bytes as
    there are up to the next space makes both good words.
    """
    for row, word in enumerate(reading.words):
        moved = row and not _is_text(word) and _moves_well(data, reading.starts[row - 1], word)
        if moved or _CONTROL.search(word):
            at = reading.starts[row] - len(word) - 1
            return _Reading(reading.words[:row], reading.starts[:row], at, f"{word[:20]!r} is no word")
    return reading


def _moves_well(data: mmap.mmap, start: int, word: bytes) -> bool:
    space = data.find(b" ", start, start + len(word))
    moved = data[start:space]
    return space > start and not _CONTROL.search(moved) and _is_text(moved) and _is_text(word[space + 1 - start :])


def _is_text(word: bytes) -> bool:
    try:
        word.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True


def _wrong_count(declared: int, found: int) -> tuple[str, ...]:
    return () if declared == found else (f"the header says {declared:,} rows, and the file holds {found:,}",)


def _cut(source: Source, declared: int, width: int) -> UnreadableError:
    return UnreadableError(
        f"the word2vec file {source.name} claims {declared:,} rows of {width:,} numbers, and has {source.size:,} bytes",
        "copy it again",
    )


FORMAT = Format("word2vec binary", _recognises, _open)
