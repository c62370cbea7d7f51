"""Where a model keeps its vocabulary: the known layouts, as data, tried in order.

A failure lists everything that was tried.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from armillary.errors import UnreadableError
from armillary.formats.tokens.tokenizer_json import is_tokenizer_json, read_json, tokens_of_tokenizer_json
from armillary.formats.tokens.tokenlist import TokenList, fit_to_rows
from armillary.formats.tokens.words import (
    tokens_of_json_words,
    tokens_of_lines,
    tokens_of_parquet,
    tokens_of_vocab_and_merges,
    tokens_of_vocab_txt,
)
from armillary.table import Vocabulary


def _json_file(path: Path) -> TokenList:
    value = read_json(path)
    return tokens_of_tokenizer_json(value, path) if is_tokenizer_json(value) else tokens_of_json_words(value, path)


_Reader = Callable[[Path], TokenList]

LAYOUTS: tuple[tuple[tuple[str, ...], _Reader], ...] = (
    (("tokenizer.json",), _json_file),
    (("vocab.json", "merges.txt"), tokens_of_vocab_and_merges),
    (("vocab.txt",), tokens_of_vocab_txt),
    (("tokens.parquet",), tokens_of_parquet),
    (("tokens.json",), _json_file),
    (("tokens.txt",), tokens_of_lines),
)


def read_vocabulary(source: Path, rows: int) -> Vocabulary:
    """The vocabulary in a folder, or in a file of a known kind, laid against `rows` rows.

    UnreadableError names what is wrong with a file, or lists the layouts that were tried in a folder.
    """
    return fit_to_rows(_read_folder(source) if source.is_dir() else _read_file(source), rows)


def has_vocabulary(folder: Path) -> bool:
    """Whether a folder holds one of the known layouts."""
    return any(all((folder / name).is_file() for name in names) for names, _ in LAYOUTS)


def vocabulary_beside(table: Path, rows: int) -> tuple[Vocabulary, Path] | None:
    """The vocabulary that lies beside a table file, and where: `NAME.tokens.*` first, then the folder's own layouts."""
    for ending in ("tokens.parquet", "tokens.json", "tokens.txt"):
        path = table.with_name(f"{table.stem}.{ending}")
        if path.is_file():
            return read_vocabulary(path, rows), path
    for names, _ in LAYOUTS:
        if all((table.parent / name).is_file() for name in names):
            return read_vocabulary(table.parent, rows), table.parent / names[0]
    return None


def _read_folder(folder: Path) -> TokenList:
    for names, read in LAYOUTS:
        if all((folder / name).is_file() for name in names):
            return read(folder / names[0])
    tried = ", ".join(" with ".join(names) for names, _ in LAYOUTS)
    raise UnreadableError(
        f"expected a vocabulary in {folder}, found none of {tried}", "name one with --tokens FILE (txt, json, parquet)"
    )


def _read_file(path: Path) -> TokenList:
    """A file of tokens, its kind decided by content."""
    try:
        with path.open("rb") as file:
            head = file.read(64)
    except OSError as error:
        raise UnreadableError(f"{path} cannot be read: {error.strerror}", "give a file of tokens") from error
    if head[:4] == b"PAR1":
        return tokens_of_parquet(path)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        try:
            return _json_file(path)
        except UnreadableError:
            if head.lstrip()[:1] == b"{" or path.suffix == ".json":  # a list of words may begin with [PAD]
                raise
    return tokens_of_vocab_txt(path) if path.name == "vocab.txt" else tokens_of_lines(path)
