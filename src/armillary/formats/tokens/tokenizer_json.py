"""`tokenizer.json`, the file of the `tokenizers` library: its vocabulary read as plain JSON, its encoder on demand.

Reading the JSON is enough to name every row; the library's own model, which takes longer to build than the table to
open, waits for the first text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from armillary.errors import UnreadableError
from armillary.formats.tokens.library import LibraryTokenizer, Spelled
from armillary.formats.tokens.spelling import (
    Spelling,
    byte_level,
    byte_of,
    kind_by_name,
    plain,
    sentencepiece,
    wordpiece,
)
from armillary.formats.tokens.tokenlist import TokenList
from armillary.table import Kind

_MOST_IDS = 2**63  # ids are claims, and need only be numbers that an array holds, until a row answers them
_PARTS = ("normalizers", "pretokenizers", "decoders", "processors")


def read_json(path: Path) -> Any:
    """The JSON value of a file; UnreadableError with the place for anything else."""
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"{path.name}: expected JSON, found {error}", "fetch the file again") from error
    except OSError as error:
        raise UnreadableError(f"{path} cannot be read: {error.strerror}") from error


def is_tokenizer_json(value: Any) -> bool:
    """Whether a JSON value is a file of the `tokenizers` library."""
    return isinstance(value, dict) and isinstance(value.get("model"), dict) and "vocab" in value["model"]


def tokens_of_tokenizer_json(value: Mapping[str, Any], path: Path) -> TokenList:
    """The token list of a tokenizer file that has been read; `path` is where the library finds it again.

    UnreadableError where a part of it is of another kind than the library writes.
    """
    try:
        return _token_list(value, path)
    except (TypeError, AttributeError, ValueError, OverflowError) as error:  # a part that is no list, map, number …
        raise UnreadableError(
            f"{path.name}: expected a file of the tokenizers library, found a part of another kind: {error}",
            "fetch the file again",
        ) from error


def _token_list(value: Mapping[str, Any], path: Path) -> TokenList:
    model: Mapping[str, Any] = value["model"]
    entries = _entries(model["vocab"], path)
    added = _added(value, path)
    named = {id: name for id, name, _ in entries} | {id: name for id, (name, _) in added.items()}
    ids = np.array(sorted(named), np.int64)
    names = [named[id] for id in ids.tolist()]
    raw = list(map(_spelling(value, model), names))
    kinds = np.full(len(names), Kind.NORMAL, np.uint8)
    for id, (name, kind) in added.items():  # added tokens are plain text
        place = int(np.searchsorted(ids, id))
        raw[place], kinds[place] = plain(name), kind
    if model.get("byte_fallback"):
        _mark_bytes(names, kinds, raw)
    for i in [i for i, name in enumerate(names) if name.startswith(("<", "["))]:
        kinds[i] = kind_by_name(names[i], Kind(int(kinds[i])))
    return TokenList(raw, names, kinds, ids, _scores(entries, ids), _tokenizer(value, path, raw, names, ids))


def _tokenizer(value: Mapping[str, Any], path: Path, raw: list[bytes], names: list[str], ids: np.ndarray) -> Any:
    def make() -> Any:
        from tokenizers import Tokenizer

        return Tokenizer.from_file(str(path))

    continues = (lambda i: names[i].startswith("##")) if _type(value["model"]) == "WordPiece" else None
    return LibraryTokenizer(make, Spelled(raw, ids, prefixed=_prefixed(value), continues=continues), path.name)


def _entries(vocab: Any, path: Path) -> list[tuple[int, str, float | None]]:
    """(id, name, score) of the model's own vocabulary: a map of ids, or a list of (name, log-probability)."""
    if isinstance(vocab, dict) and all(type(id) is int and 0 <= id < _MOST_IDS for id in vocab.values()):
        return [(id, name, None) for name, id in vocab.items()]
    if isinstance(vocab, list) and all(isinstance(e, list) and len(e) == 2 and isinstance(e[0], str) for e in vocab):
        return [(id, name, float(score)) for id, (name, score) in enumerate(vocab)]
    raise UnreadableError(
        f"{path.name}: expected a vocabulary of names and ids, found {type(vocab).__name__} of other things"
    )


def _added(value: Mapping[str, Any], path: Path) -> dict[int, tuple[str, Kind]]:
    found: dict[int, tuple[str, Kind]] = {}
    for entry in value.get("added_tokens") or ():
        try:
            id, name = int(entry["id"]), str(entry["content"])
        except (KeyError, TypeError, ValueError) as error:
            raise UnreadableError(
                f"{path.name}: expected id and content of an added token, found {entry!r:.80}"
            ) from error
        if not 0 <= id < _MOST_IDS:
            raise UnreadableError(f"{path.name}: expected the id of an added token, found {id} for {name!r:.80}")
        found[id] = name, Kind.CONTROL if entry.get("special") else Kind.USER_DEFINED
    return found


def _type(model: Mapping[str, Any]) -> str:
    """BPE, Unigram, WordPiece or WordLevel; files of old versions do not say."""
    guess = "Unigram" if isinstance(model["vocab"], list) else "BPE" if "merges" in model else "WordPiece"
    return str(model.get("type") or guess)


def _components(value: Mapping[str, Any], *keys: str) -> Iterator[Mapping[str, Any]]:
    """All components under these keys, sequences opened."""
    waiting = [value.get(key) for key in keys]
    while waiting:
        component = waiting.pop(0)
        if isinstance(component, dict):
            yield component
            waiting += [part for key in _PARTS for part in component.get(key) or ()]


def _spelling(value: Mapping[str, Any], model: Mapping[str, Any]) -> Spelling:
    if _type(model) == "WordPiece":
        return wordpiece
    components = list(_components(value, "normalizer", "pre_tokenizer", "decoder"))
    types = {component.get("type") for component in components}
    if "ByteLevel" in types:
        return byte_level
    replaces = any(
        "▁" in (c.get("content"), (c.get("pattern") or {}).get("String"))
        for c in components
        if c.get("type") == "Replace"
    )
    return sentencepiece if "Metaspace" in types or replaces else plain


def _prefixed(value: Mapping[str, Any]) -> bool:
    """Whether the tokenizer puts a space before a text."""
    for component in _components(value, "normalizer", "pre_tokenizer"):
        kind = component.get("type")
        if kind == "Prepend" and component.get("prepend") in ("▁", " "):
            return True
        if kind == "Metaspace" and component.get("prepend_scheme", "always") != "never":
            return bool(component.get("add_prefix_space", True))
        if kind == "ByteLevel" and component.get("add_prefix_space"):
            return True
    return False


def _mark_bytes(names: list[str], kinds: np.ndarray, raw: list[bytes]) -> None:
    """Tokens that stand for one byte; they do only where the model says that it falls back on bytes."""
    for i in [i for i, name in enumerate(names) if name.startswith("<0x")]:
        if kinds[i] == Kind.NORMAL and (byte := byte_of(names[i])) is not None:
            kinds[i], raw[i] = Kind.BYTE, byte


def _scores(entries: list[tuple[int, str, float | None]], ids: np.ndarray) -> np.ndarray | None:
    scores = {id: score for id, _, score in entries if score is not None}
    return np.array([scores.get(id, np.nan) for id in ids.tolist()], np.float32) if scores else None
