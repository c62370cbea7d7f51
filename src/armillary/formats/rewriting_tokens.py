"""New tokens in the tokenizer files of a folder: `tokenizer.json` and its config, `vocab.txt`, or `added_tokens.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from armillary.errors import UsageError
from armillary.formats.tokens.tokenizer_json import is_tokenizer_json, read_json

_FILE, _CONFIG, _LIST, _ADDED = "tokenizer.json", "tokenizer_config.json", "vocab.txt", "added_tokens.json"
_PLAIN = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}


def add_tokens(folder: Path, added: Mapping[int, bytes]) -> tuple[list[str], list[str]]:
    """Write new tokens into the tokenizer files of a folder of ours; (files changed, notes).

    UsageError for a token that is no UTF-8: none of these files can hold it.
    """
    if not added:
        return [], []
    tokens = {id: _text(raw, id) for id, raw in sorted(added.items())}
    if (folder / _FILE).is_file():
        changed = _into_tokenizer_json(folder, tokens)
        beside = (folder / _LIST).is_file() and _into_vocab_txt(folder / _LIST, tokens)
        return [*changed, *([_LIST] if beside else [])], []
    if (folder / _LIST).is_file() and _into_vocab_txt(folder / _LIST, tokens):
        return [_LIST], []
    if any((folder / name).is_file() for name in ("vocab.json", "tokenizer.model", "spiece.model")):
        path = folder / _ADDED
        known: dict[str, int] = read_json(path) if path.is_file() else {}
        _write(path, known | {text: id for id, text in tokens.items()})
        return [_ADDED], []
    return [], ["the folder has no tokenizer file: the new tokens are named in the record alone"]


def _text(raw: bytes, id: int) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise UsageError(
            f"expected UTF-8 in the new token of row {id:,}, found {raw!r:.60}",
            "a tokenizer file holds text; name an output that ends in .safetensors",
        ) from None


def _into_tokenizer_json(folder: Path, tokens: Mapping[int, str]) -> list[str]:
    path = folder / _FILE
    value = read_json(path)
    if not is_tokenizer_json(value):
        raise UsageError(f"expected a file of the tokenizers library in {_FILE}, found other JSON")
    entries: list[Any] = list(value.get("added_tokens") or [])
    entries += [{"id": id, "content": text, **_PLAIN} for id, text in tokens.items()]
    value["added_tokens"] = sorted(entries, key=lambda entry: entry["id"])
    _write(path, value)
    config = folder / _CONFIG
    fields = read_json(config) if config.is_file() else None
    decoder = fields.get("added_tokens_decoder") if isinstance(fields, dict) else None
    if not isinstance(decoder, dict):
        return [_FILE]
    decoder |= {str(id): {"content": text, **_PLAIN} for id, text in tokens.items()}
    _write(config, fields)
    return [_FILE, _CONFIG]


def _into_vocab_txt(path: Path, tokens: Mapping[int, str]) -> bool:
    """Append tokens to a list whose line number is the id; False where they would not land on their ids."""
    content = path.read_bytes()
    content += b"" if content.endswith(b"\n") or not content else b"\n"
    if content.count(b"\n") != min(tokens) or any("\n" in text or "\r" in text for text in tokens.values()):
        return False
    path.write_bytes(content + "".join(f"{text}\n" for text in tokens.values()).encode())
    return True


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", "utf-8")
