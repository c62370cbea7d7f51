"""Odd packings turned into plain files: each function works inside a folder that holds one entry's members."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Iterable, Sequence
from html.parser import HTMLParser
from pathlib import Path

from armillary.storage import atomic_path


def word_index(folder: Path) -> None:
    """A Parquet column of words in the order of the rows becomes the token file beside the array."""
    from pyarrow import parquet

    (array,) = folder.glob("*.npy")
    index = folder / "index.parquet"
    _write_tokens(array, parquet.read_table(index).column("index").to_pylist())
    index.unlink()


def dictionary_prose(folder: Path) -> None:
    """A dictd dictionary (gzip) becomes `gcide.txt`: a paragraph a line, pronunciations and sources left out."""
    packed = folder / "gcide.dict.dz"
    text = gzip.decompress(packed.read_bytes()).decode("utf-8", "replace")
    paragraphs = (" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text))
    _write_lines(folder / "gcide.txt", map(_prose, paragraphs))
    packed.unlink()


def glosses(folder: Path) -> None:
    """WordNet's `data.*` become `glosses.txt`: what stands after the bar, a synset a line."""
    parts = sorted(folder.glob("data.*"))
    lines = (line for part in parts for line in part.read_text("utf-8").splitlines() if not line.startswith("  "))
    _write_lines(folder / "glosses.txt", (line.partition(" | ")[2].strip() for line in lines))
    for part in parts:
        part.unlink()


def dictionary(folder: Path) -> None:
    """WordNet's `data.*` become `dictionary.tsv`: headwords (with a bar between), part of speech, definition, a synset a line."""
    parts = sorted(folder.glob("data.*"))
    lines = (line for part in parts for line in part.read_text("utf-8").splitlines() if not line.startswith("  "))
    _write_lines(folder / "dictionary.tsv", map(_headwords, lines))
    for part in parts:
        part.unlink()


def segmented_news(folder: Path) -> None:
    """News with a tag after every word (`迈向/v  充满/v`) becomes `news.txt`: words with a space between, a line a line."""
    tagged = folder / "199801.txt"
    lines = tagged.read_text("utf-8", "replace").splitlines()
    _write_lines(folder / "news.txt", (" ".join(word.rpartition("/")[0] for word in line.split()) for line in lines))
    tagged.unlink()


def vocabularies(folder: Path) -> None:
    """Of llama.cpp's `models/`, only the vocabularies (`ggml-vocab-*`) with their texts and ids are kept."""
    for path in [*folder.iterdir()]:
        if path.is_dir():
            shutil.rmtree(path)
        elif not path.name.startswith("ggml-vocab-"):
            path.unlink()


def help_pages(folder: Path) -> None:
    """HTML help pages become `pages.jsonl`: {"path", "title", "text"} a line, sorted by path."""
    pages = sorted((folder / "html").rglob("*.html"), key=lambda page: page.relative_to(folder).as_posix())
    records = ((page.relative_to(folder / "html").as_posix(), *_page_text(page)) for page in pages)
    _write_lines(
        folder / "pages.jsonl",
        (
            json.dumps({"path": path, "title": title, "text": text}, ensure_ascii=False)
            for path, title, text in records
            if text
        ),
    )
    for page in pages:
        page.unlink()
    for directory in sorted((folder / "html").rglob("*"), reverse=True):
        directory.rmdir()
    (folder / "html").rmdir()


def _headwords(line: str) -> str:
    """`offset file type count word id word id … | definition; "example"`: the count is two hexadecimal digits."""
    facts, _, gloss = line.partition(" | ")
    fields = facts.split()
    words = [re.sub(r"\(\w+\)$", "", word).replace("_", " ") for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]]
    part = {"n": "noun", "v": "verb", "a": "adjective", "s": "adjective", "r": "adverb"}[fields[2]]
    definition = gloss.partition('; "')[0].strip()
    return "\t".join(("|".join(words), part, definition))


def _write_tokens(array: Path, words: Sequence[str | None]) -> None:
    """`NAME.tokens.parquet` beside `NAME.npy`: id, bytes, text, kind; a row without a word is no-token."""
    import pyarrow as pa
    from pyarrow import parquet

    from armillary.table import Kind, unused_or_normal, visible

    kinds = [Kind.NO_TOKEN if word is None else unused_or_normal(word) for word in words]
    raw = [(word or "").encode("utf-8", "surrogateescape") for word in words]
    columns = {
        "id": pa.array(range(len(words)), pa.int64()),
        "bytes": pa.array(raw, pa.binary()),
        "text": pa.array([visible(b) for b in raw], pa.string()),
        "kind": pa.array([kind.label for kind in kinds], pa.string()),
    }
    with atomic_path(array.with_suffix(".tokens.parquet")) as temporary:
        parquet.write_table(pa.table(columns), temporary)


def _write_lines(target: Path, lines: Iterable[str]) -> None:
    with atomic_path(target) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines if line)


_PRONUNCIATION = re.compile(r"\\[^\\]{1,80}\\")
_SOURCE = re.compile(r"\s*\[[^\[\]]{1,60}\]$")


def _prose(paragraph: str) -> str:
    without = _SOURCE.sub("", _PRONUNCIATION.sub("", paragraph))
    return " ".join(without.replace("{", "").replace("}", "").split())


class _HelpText(HTMLParser):
    """The title and the text of the display area of one help page."""

    _END = ("SearchFrame", "DonationFrame")
    _BREAKS = frozenset({"p", "div", "td", "th", "li", "br", "h1", "h2", "h3", "h4", "h5", "h6"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.parts: list[str] = []
        self._in_title = self._in_area = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        identifier = dict(attrs).get("id")
        self._in_title = tag == "title"
        self._in_area = (self._in_area or identifier == "DisplayArea") and identifier not in self._END
        if tag in self._BREAKS:  # words of two cells or lines stay two words
            self.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif self._in_area:
            self.parts.append(data)


def _page_text(page: Path) -> tuple[str, str]:
    reader = _HelpText()
    reader.feed(page.read_text("utf-8"))
    return " ".join(reader.title.split()), " ".join("".join(reader.parts).split())
