"""Plain lists of tokens: a line a word, a JSON list or map, a parquet column, and the two files of older BPE models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from armillary.errors import UnreadableError
from armillary.formats.tokens.bytelevel import byte_level_tokenizer
from armillary.formats.tokens.library import LibraryTokenizer, Spelled
from armillary.formats.tokens.spelling import byte_level, kind_by_name, plain, wordpiece
from armillary.formats.tokens.tokenizer_json import read_json
from armillary.formats.tokens.tokenlist import TokenList
from armillary.formats.tokens.wordpiece import looks_lowercase, wordpiece_tokenizer
from armillary.table import Kind

_BERT_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_TEXT_COLUMNS = ("bytes", "text", "token", "word", "name")


def list_of_names(names: Sequence[str], ids: np.ndarray | None = None) -> TokenList:
    """A plain list of words; duplicates keep every row."""
    kinds = np.array([kind_by_name(name, Kind.NORMAL) for name in names], np.uint8)
    return TokenList([plain(name) for name in names], names, kinds, ids)


def tokens_of_lines(path: Path) -> TokenList:
    """A word a line; lines end at byte 0x0A (or 0x0D 0x0A) only, so any other character may be part of a word."""
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    lines = data.removesuffix(b"\n").split(b"\n") if data else []
    return list_of_names([line.removesuffix(b"\r").decode("utf-8", "surrogateescape") for line in lines])


def tokens_of_json_words(value: Any, path: Path) -> TokenList:
    """A JSON list of words, or a map from word to id or from id to word."""
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return list_of_names(value)
    if isinstance(value, dict) and value:
        pairs = [_pair(key, item) for key, item in value.items()]
        if all(pair is not None for pair in pairs):
            found = [pair for pair in pairs if pair is not None]
            return list_of_names([name for _, name in found], np.array([id for id, _ in found], np.int64))
    raise UnreadableError(f"{path.name}: expected a list of words or a map of words and ids, found neither")


def _pair(key: str, value: Any) -> tuple[int, str] | None:
    """(id, word) of one entry of a map in either direction."""
    if type(value) is int and 0 <= value < 2**63:
        return value, key
    if isinstance(value, str) and key.isdecimal() and len(key) < 19:
        return int(key), value
    return None


def tokens_of_parquet(path: Path) -> TokenList:
    """Columns of a parquet file: `bytes` or `text` (or `token`, `word`, `name`), and if present `id`, `name`, `kind`."""
    import pyarrow.parquet as parquet
    from pyarrow import ArrowException

    try:
        table = parquet.read_table(path)
    except (ArrowException, OSError) as error:
        raise UnreadableError(f"{path.name}: expected a parquet file, found: {error}") from error
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    words = next((columns[name] for name in _TEXT_COLUMNS if name in columns), None)
    if words is None or not all(isinstance(word, str | bytes) for word in words):
        raise UnreadableError(
            f"{path.name}: expected a column of tokens named {', '.join(_TEXT_COLUMNS)}, found "
            f"{', '.join(table.column_names)}"
        )
    raw = [word if isinstance(word, bytes) else plain(word) for word in words]
    own = columns.get("name") or [None] * len(raw)
    names = [n if isinstance(n, str) else r.decode("utf-8", "surrogateescape") for n, r in zip(own, raw, strict=True)]
    ids = np.array(columns["id"], np.int64) if "id" in columns else None
    return TokenList(raw, names, _kinds(columns.get("kind"), names, path), ids)


def _kinds(labels: list[Any] | None, names: list[str], path: Path) -> np.ndarray:
    if labels is None:
        return np.array([kind_by_name(name, Kind.NORMAL) for name in names], np.uint8)
    try:
        return np.array([Kind(x) if isinstance(x, int) else Kind.from_label(x) for x in labels], np.uint8)
    except (ValueError, TypeError) as error:
        raise UnreadableError(f"{path.name}: expected kinds of tokens, found {error}") from error


def tokens_of_vocab_txt(path: Path) -> TokenList:
    """BERT's `vocab.txt`: a WordPiece token a line, ids in order."""
    names = tokens_of_lines(path).names
    special = [name for name in _BERT_SPECIAL if name in set(names)]
    kinds = np.array([Kind.CONTROL if name in special else kind_by_name(name, Kind.NORMAL) for name in names], np.uint8)
    raw = [wordpiece(name) for name in names]
    config = path.with_name("tokenizer_config.json")
    said = read_json(config).get("do_lower_case") if config.is_file() else None
    lowercase = said if isinstance(said, bool) else looks_lowercase(names)
    spelled = Spelled(raw, continues=lambda i: names[i].startswith("##"))
    tokenizer = LibraryTokenizer(
        lambda: wordpiece_tokenizer(names, lowercase=lowercase, added=special), spelled, path.name
    )
    return TokenList(raw, names, kinds, tokenizer=tokenizer)


def tokens_of_vocab_and_merges(path: Path) -> TokenList:
    """GPT-2's `vocab.json` with `merges.txt` beside it: byte-level BPE."""
    found = tokens_of_json_words(read_json(path), path)
    ids = found.ids if found.ids is not None else np.arange(len(found.names))
    special = [name for name in found.names if name.startswith("<") and name.endswith(">") and len(name) > 2]
    kinds = np.array([Kind.CONTROL if n in set(special) else Kind.NORMAL for n in found.names], np.uint8)
    raw = [plain(n) if n in set(special) else byte_level(n) for n in found.names]
    spelled = Spelled(raw, ids)
    by_name = dict(zip(found.names, ids.tolist(), strict=True))

    def make() -> Any:
        lines = path.with_name("merges.txt").read_text("utf-8").split("\n")
        pairs = [(left, right) for left, _, right in (line.partition(" ") for line in lines) if left and right]
        pairs = pairs[1:] if pairs[:1] and pairs[0][0] == "#version:" else pairs
        return byte_level_tokenizer(by_name, pairs, "gpt-2", special)

    return TokenList(raw, found.names, kinds, ids, tokenizer=LibraryTokenizer(make, spelled, path.name))
