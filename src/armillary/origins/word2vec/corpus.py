"""A corpus as word ids in sentences: from a text, a gz, a folder of them, or a public corpus by name.

A word is a run of letters, digits and inner apostrophes, in lower case; words of other kinds of script are as the
text's own spaces separate them, so Chinese must come segmented. A line is a sentence; one longer than 1,000 words is
cut. Bytes that are not UTF-8 become the replacement character, which separates words, and their lines are counted.
"""

from __future__ import annotations

import gzip
import re
import zlib
from array import array
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np

from armillary.errors import UnreadableError, UsageError
from armillary.shapes import Int32, Int64

BUILT_IN: dict[str, tuple[str, ...]] = {
    "dictionary": ("corpus-gcide", "corpus-wordnet"),
    "gcide": ("corpus-gcide",),
    "wordnet": ("corpus-wordnet",),
    "chinese": ("corpus-zh",),
}
LONGEST = 1000
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True, eq=False)
class Corpus:
    """Words that occur `minimum_count` times, by (count descending, word ascending), and the text in their ids.

    `ids` (t): all kept words in order; `starts` (s+1): where each sentence begins. `read` counts all words read,
    `odd_lines` the lines with bytes that are not UTF-8.
    """

    source: str
    words: tuple[str, ...]
    counts: Int64[np.ndarray, "v"]
    ids: Int32[np.ndarray, "t"]
    starts: Int64[np.ndarray, "s+1"]
    read: int
    odd_lines: int

    def __len__(self) -> int:
        """How many words of the vocabulary the text holds."""
        return len(self.ids)

    @cached_property
    def index(self) -> dict[str, int]:
        """Word to id."""
        return {word: id for id, word in enumerate(self.words)}

    @cached_property
    def sentence_of(self) -> Int32[np.ndarray, "t"]:
        """The sentence that each word stands in."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))

    def sentences(self) -> Iterator[list[str]]:
        """The sentences as lists of words."""
        for start, stop in zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True):
            yield [self.words[i] for i in self.ids[start:stop].tolist()]

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "words_read": self.read,
            "words_kept": len(self.ids),
            "vocabulary": len(self.words),
            "sentences": len(self.starts) - 1,
            "lines_not_utf8": self.odd_lines,
        }


def open_corpus(source: str | Path, minimum_count: int = 5) -> Corpus:
    """The corpus of a path or a built-in name (dictionary, gcide, wordnet, chinese).

    UnreadableError where there is no such file or data set; UsageError where fewer than two words occur often
    enough.
    """
    reader = _Lines(_files(str(source)))
    return of_lines(reader, str(source), minimum_count, reader)


def of_lines(lines: Iterable[str], source: str, minimum_count: int = 5, reader: _Lines | None = None) -> Corpus:
    """The corpus of lines of text."""
    first: dict[str, int] = {}  # word -> order of first appearance
    ids = array("i")
    lengths: list[int] = []
    for line in lines:
        words = _WORD.findall(line.lower())
        for start in range(0, len(words), LONGEST):
            part = words[start : start + LONGEST]
            ids.extend([first.setdefault(w, len(first)) for w in part])
            lengths.append(len(part))
    text = np.frombuffer(ids, np.int32) if ids else np.zeros(0, np.int32)
    counts = np.bincount(text, minlength=len(first))
    kept = sorted((-int(counts[i]), word, i) for word, i in first.items() if counts[i] >= minimum_count)
    if len(kept) < 2:
        common = Counter({w: int(counts[i]) for w, i in first.items()}).most_common(1)
        raise UsageError(
            f"expected two words or more that occur {minimum_count:,} times in {source}, found {len(kept)} among "
            f"{len(text):,} words"
            + (f"; the commonest, {common[0][0][:30]!r}, occurs {common[0][1]:,} times" if common else ""),
            "give a longer text, or a lower --minimum-count",
        )
    renumbered = np.full(len(first), -1, np.int32)
    renumbered[[i for _, _, i in kept]] = np.arange(len(kept))
    new = renumbered[text]
    sentence = np.repeat(np.arange(len(lengths)), lengths)[new >= 0]
    sizes = np.bincount(sentence, minlength=len(lengths))
    starts = np.concatenate([[0], np.cumsum(sizes[sizes > 0])]).astype(np.int64)
    return Corpus(
        source=source,
        words=tuple(word for _, word, _ in kept),
        counts=np.array([-c for c, _, _ in kept], np.int64),
        ids=new[new >= 0],
        starts=starts,
        read=len(text),
        odd_lines=reader.odd if reader else 0,
    )


def _files(source: str) -> list[Path]:
    if source in BUILT_IN:
        from armillary.catalog import data_path

        return [data_path(name) for name in BUILT_IN[source]]
    path = Path(source)
    if path.is_dir():
        files = sorted(f for f in path.rglob("*") if f.is_file() and not f.name.startswith("."))
        if not files:
            raise UnreadableError(f"expected text files in the folder {path}, found none")
        return files
    if not path.exists():
        raise UnreadableError(
            f"expected a text, a .gz or a folder at {path}, found nothing",
            f"the built-in corpora are {', '.join(BUILT_IN)}",
        )
    return [path]


class _Lines:
    """The lines of files, gz by its first bytes, and how many held bytes that are not UTF-8."""

    def __init__(self, files: list[Path]) -> None:
        self.files: list[Path] = files
        self.odd: int = 0

    def __iter__(self) -> Iterator[str]:
        for file in self.files:
            try:
                with _opened(file) as opened:
                    for line in opened:
                        text = line.decode("utf-8", "replace")
                        self.odd += "\ufffd" in text
                        yield text
            except (OSError, EOFError, zlib.error) as error:
                raise UnreadableError(f"{file} cannot be read as text: {error}") from error


def _opened(file: Path) -> gzip.GzipFile | BufferedReader:
    """The bytes of a text, unzipped; UnreadableError for UTF-16, which would read as single letters."""
    with file.open("rb") as raw:
        head = raw.read(2)
    if head in (BOM_UTF16_LE, BOM_UTF16_BE):
        raise UnreadableError(f"expected UTF-8, found UTF-16 in {file}", "convert it: iconv -f UTF-16 -t UTF-8")
    return gzip.open(file) if head == b"\x1f\x8b" else file.open("rb")
