"""Files that name the rows of a bare table: `--tokens FILE` (txt, JSON, Parquet, sentencepiece) and the sidecar of our writer.

The sidecar of `table.safetensors` is `table.tokens.parquet`, with the columns id, bytes, text, kind and name. As
everywhere, content decides what a file is. Tokens are joined to rows by id; what is missing becomes no-token.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from armillary.errors import UnreadableError
from armillary.formats.parquet_file import read_parquet, said
from armillary.formats.tokens import TokenList, fit_to_rows, has_vocabulary, read_vocabulary
from armillary.formats.tokens.sentencepiece_model import is_sentencepiece
from armillary.formats.vocabularies import vocabulary_facts
from armillary.storage import is_file
from armillary.table import Kind, Table, Vocabulary, unused_or_normal

SIDECAR = ".tokens.parquet"
_CURE = "write a text file with a token a line, or JSON, or Parquet"
TOKEN_COLUMNS = ("token", "tokens", "word", "words", "text", "name", "index", "__index_level_0__")
ID_COLUMNS = ("id", "ids", "row", "index", "token_id", "idx")


def sidecar_of(path: Path) -> Path:
    """Where the tokens of a bare table lie: beside it, its name without its ending plus `.tokens.parquet`."""
    return path.with_name(path.stem + SIDECAR)


def sidecars_beside(path: Path) -> list[Path]:
    """Files with the tokens of a bare table, in order: under its whole name, under its name without the ending."""
    places = (path.with_name(path.name + SIDECAR), sidecar_of(path))
    return [place for place in places if is_file(place)]


def with_tokens(table: Table, path: Path, tokens: Path | None) -> Table:
    """The table with its rows named by `tokens`, or else by the sidecar beside `path`; unchanged if there is none."""
    file = tokens or next(iter(sidecars_beside(path)), None)
    if file is None:
        return table
    vocabulary = read_tokens(file, table.shape[0])
    if tokens is not None and not _named(vocabulary):
        raise UnreadableError(f"expected tokens in {file}, found none", "write a text file with a token a line")
    report = table.load_report
    claims = report.contradictions
    if vocabulary.beyond or (vocabulary.kinds.size and Kind.NO_TOKEN in vocabulary.kinds):
        claims = (*claims, _misfit(file.name, vocabulary, table.shape[0]))
    read = (*report.files_read, file.name)
    report = replace(report, files_read=read, contradictions=claims, **vocabulary_facts(vocabulary))
    return replace(table, vocabulary=vocabulary, load_report=report)


def _misfit(name: str, vocabulary: Vocabulary, rows: int) -> str:
    """How a file of tokens and the rows disagree, and what becomes of those left over."""
    named, beyond = _named(vocabulary), len(vocabulary.beyond)
    nameless = rows - named + beyond
    told = f"{name} names {named:,} {'row' if named == 1 else 'rows'}, and the table has {rows:,}"
    padded = f"{nameless:,} without a token {'is' if nameless == 1 else 'are'} left out of what is measured"
    spare = f"{beyond:,} {'name belongs' if beyond == 1 else 'names belong'} to no row"
    return f"{told}: {' and '.join([padded] * bool(nameless) + [spare] * bool(beyond))}"


def _named(vocabulary: Vocabulary) -> int:
    return int((vocabulary.kinds != Kind.NO_TOKEN).sum()) + len(vocabulary.beyond)


def read_tokens(file: Path, rows: int) -> Vocabulary:
    """The vocabulary in a token file, fitted to that many rows. UnreadableError if it holds no tokens."""
    if file.is_dir() and has_vocabulary(file):
        return read_vocabulary(file, rows)
    if not file.is_file():
        found = "a folder without a tokenizer" if file.is_dir() else "a pipe or a device"
        raise UnreadableError(f"expected a file of tokens, found {found} at {file}", "save the tokens, one a line")
    try:
        with file.open("rb") as opened:
            head = opened.read(256)
        if head.startswith(b"PAR1"):
            return _from_parquet(file, rows)
        if is_sentencepiece(head):
            return read_vocabulary(file, rows)
        if head.lstrip()[:1] in (b"{", b"["):
            parsed = _json(file)
            if parsed is not None:
                return _from_json(parsed, file, rows)
        return _from_lines(file.read_bytes(), rows)
    except OSError as error:
        raise UnreadableError(f"{file} cannot be read: {error.strerror}", _CURE) from error


def list_tokens(file: str | Path) -> list[bytes]:
    """The tokens in a file that names rows, in order of id, without those that are empty."""
    path = Path(file)
    if not path.is_file():
        raise UnreadableError(f"expected a file of tokens, found none at {path}", "one token a line")
    return [token.bytes for token in read_tokens(path, 0).beyond if token.bytes]


def _from_lines(content: bytes, rows: int) -> Vocabulary:
    """One token a line; lines end at byte 0x0A, a carriage return before every one of them is dropped."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if lines and lines[-1] == b"":
        lines.pop()
    if lines and all(line.endswith(b"\r") for line in lines):
        lines = [line[:-1] for line in lines]
    return from_columns(range(len(lines)), lines, rows)


def _json(file: Path) -> Any:
    """The JSON of a file, or None if it is none: a list of words may begin with a bracket."""
    try:
        return json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        return None


def _from_json(parsed: Any, file: Path, rows: int) -> Vocabulary:
    if isinstance(parsed, dict) and isinstance(parsed.get("model"), dict):
        return read_vocabulary(file, rows)
    if isinstance(parsed, list) and all(isinstance(word, str) for word in parsed):
        return from_columns(range(len(parsed)), [_bytes(w) for w in parsed], rows)
    if isinstance(parsed, dict) and all(type(id) is int for id in parsed.values()):
        return from_columns(list(parsed.values()), [_bytes(w) for w in parsed], rows)
    raise UnreadableError(
        f"expected a list of tokens, an object from token to id, or a tokenizer.json in {file}, found other JSON",
        _CURE,
    )


def _bytes(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")


def _from_parquet(file: Path, rows: int) -> Vocabulary:
    import pyarrow as pa

    try:
        ids, words, names, kinds = _parquet_columns(file)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError) as error:
        raise UnreadableError(f"{file} is no readable Parquet file: {said(error)}", _CURE) from error
    return from_columns(range(len(words)) if ids is None else ids, words, rows, names=names, kinds=kinds)


def _parquet_columns(file: Path) -> tuple[list[int] | None, list[bytes], list[str] | None, list[Any] | None]:
    """Ids, bytes, names and kinds, as far as there are columns of them."""
    import pyarrow as pa

    table = read_parquet(file, str(file))
    words = column(table, ("bytes", *TOKEN_COLUMNS), lambda t: is_string(t) or pa.types.is_binary(t))
    if words is None:
        found = ", ".join(table.column_names)[:100]
        raise UnreadableError(
            f"expected a column token, word or text in {file}, found {found}",
            _CURE,
        )
    ids = column(table, ID_COLUMNS, pa.types.is_integer)
    names = column(table, ("name",), is_string)
    kinds = column(table, ("kind",), lambda t: is_string(t) or pa.types.is_integer(t))
    return (
        None if ids is None else ids.to_pylist(),
        words.cast(pa.binary()).fill_null(b"").to_pylist(),
        None if names is None else names.to_pylist(),
        None if kinds is None else kinds.to_pylist(),
    )


def column(table: Any, names: tuple[str, ...], fits: Callable[[Any], bool]) -> Any:
    """The first column of one of these names whose type fits, or None."""
    return next((table[n] for n in names if n in table.column_names and fits(table.schema.field(n).type)), None)


def is_string(kind: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def from_columns(
    ids: Sequence[int],
    raw: Sequence[bytes],
    rows: int,
    *,
    names: Sequence[str | None] | None = None,
    kinds: Sequence[str | int] | None = None,
) -> Vocabulary:
    """A vocabulary of `rows` tokens from columns joined by id; ids without a row are listed as beyond.

    UnreadableError if an id is negative or given twice, or a kind has no such name.
    """
    _check_ids(ids)
    spelled = [w.decode("utf-8", "surrogateescape") for w in raw] if names is None else [n or "" for n in names]
    codes = [unused_or_normal(n) for n in spelled] if kinds is None else [_kind(k) for k in kinds]
    where = None if isinstance(ids, range) and len(ids) == len(raw) else np.array(ids, np.int64)
    return fit_to_rows(TokenList(raw, spelled, np.array(codes, np.uint8), where), rows)


def _check_ids(ids: Sequence[int]) -> None:
    if isinstance(ids, range):
        return
    if len(set(ids)) != len(ids):
        raise UnreadableError("expected every id once among the tokens, found one twice", "give each row one token")
    if ids and min(ids) < 0:
        raise UnreadableError(
            f"expected ids from 0 up among the tokens, found {min(ids)}",
            _CURE,
        )


def _kind(value: str | int) -> Kind:
    try:
        return Kind.from_label(value) if isinstance(value, str) else Kind(value)
    except ValueError as error:
        raise UnreadableError(f"a token's kind is not known: {error}", _CURE) from error


def token_columns(vocabulary: Vocabulary) -> Mapping[str, Sequence[Any]]:
    """The columns of the sidecar: id, bytes, text (for the eye), kind by label, and the vocabulary's own name."""
    tokens = list(vocabulary)
    return {
        "id": [t.id for t in tokens],
        "bytes": [t.bytes for t in tokens],
        "text": [t.text for t in tokens],
        "kind": [t.kind.label for t in tokens],
        "name": [t.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for t in tokens],
    }
