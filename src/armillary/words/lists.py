"""Lists of words: those that Armillary ships, and a user's own (text, CSV, JSON).

The text form is sections under `[name]` (or `[category / subgroup]`), and below each a pair a line, or words
separated by spaces or tabs; a line that starts with # is a comment. CSV is `category,word` or `category,subgroup,
word`; JSON is {name: [word, …]} or {name: [[a, b], …]}.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from armillary.errors import UnreadableError, UsageError

LANGUAGES = ("en", "zh")
LARGEST_FILE = 64 << 20


@dataclass(frozen=True)
class Section:
    """A named part of a list: `lines`, each of one or more words; `subgroup` empty unless the name has one."""

    name: str
    lines: tuple[tuple[str, ...], ...]
    subgroup: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """Every word, in order."""
        return tuple(word for line in self.lines for word in line)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The lines as pairs; UsageError if one has not two words."""
        for line in self.lines:
            if len(line) != 2:
                raise UsageError(f"expected two words a line in [{self.name}], found {' '.join(line)!r}")
        return tuple((a, b) for a, b in self.lines)


@cache
def shipped(name: str, language: str) -> tuple[Section, ...]:
    """The list `ladder`, `sets` or `categories` in `en` or `zh`."""
    if language not in LANGUAGES:
        raise UsageError(f"expected a language of the shipped lists ({', '.join(LANGUAGES)}), found {language!r}")
    text = resources.files("armillary.words").joinpath("data", f"{name}_{language}.txt").read_text("utf-8")
    return parse_sections(text, f"{name}_{language}.txt")


def read_sections(path: Path) -> tuple[Section, ...]:
    """A user's list, by the ending of its name; UsageError if it holds no word, UnreadableError if it is no list."""
    text = read_text(path)
    if path.suffix == ".json":
        sections = _from_json(text, path)
    elif path.suffix in (".csv", ".tsv"):
        sections = _from_csv(text, "\t" if path.suffix == ".tsv" else ",")
    else:
        sections = parse_sections(text, path.name)
    if not any(section.lines for section in sections):
        raise UsageError(f"expected words in {path}, found an empty list")
    return sections


def read_text(path: Path) -> str:
    """A file as UTF-8 text, its size checked first."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise UsageError(f"expected a list of at most {LARGEST_FILE >> 20} MiB, found {path} larger")
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise UnreadableError(f"expected a text file at {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UnreadableError(f"expected UTF-8 text in {path}, found byte {error.start} that is none") from error


def parse_sections(text: str, source: str = "list") -> tuple[Section, ...]:
    """Sections of the text form; words before the first `[name]` belong to one named after the source."""
    sections: list[tuple[str, list[tuple[str, ...]]]] = []
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("[") and line.endswith("]"):
            sections.append((line[1:-1].strip(), []))
        elif line and not line.startswith("#"):
            if not sections:
                sections.append((Path(source).stem, []))
            sections[-1][1].append(tuple(line.split()))
    return tuple(_section(name, lines) for name, lines in sections)


def _section(name: str, lines: list[tuple[str, ...]]) -> Section:
    category, _, subgroup = name.partition("/")
    return Section(category.strip(), tuple(lines), subgroup.strip())


def _from_csv(text: str, delimiter: str) -> tuple[Section, ...]:
    sections: dict[str, list[tuple[str, ...]]] = {}
    for row in csv.reader(text.splitlines(), delimiter=delimiter):
        cells = [cell.strip() for cell in row if cell.strip()]
        if len(cells) >= 2 and [c.lower() for c in cells] not in (
            ["category", "word"],
            ["category", "subgroup", "word"],
        ):
            sections.setdefault(" / ".join(cells[:-1][:2]), []).append((cells[-1],))
    return tuple(_section(name, lines) for name, lines in sections.items())


def _from_json(text: str, path: Path) -> tuple[Section, ...]:
    try:
        data: Any = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise UnreadableError(f"expected JSON in {path}: {error}") from error
    if not isinstance(data, dict) or not all(isinstance(v, list) for v in data.values()):
        raise UnreadableError(f"expected an object of lists in {path}, found {type(data).__name__}")
    return tuple(_section(str(name), [_json_line(item, path) for item in items]) for name, items in data.items())


def _json_line(item: Any, path: Path) -> tuple[str, ...]:
    words = item if isinstance(item, list) else [item]
    if not words or not all(isinstance(word, str) and word.strip() for word in words):
        raise UnreadableError(f"expected words or lists of words in {path}, found {item!r}")
    return tuple(words)
