"""What a Hugging Face `config.json` claims about a model: its sizes, its class, whether its tables are tied."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from armillary.formats.layouts import embedding_scale, has_output_table

_LARGEST = 50_000_000  # bytes of a config that is read


@dataclass(frozen=True)
class Config:
    """Claims of a config, each None where it makes none. `settings` are those of the text model."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    architecture: str = ""
    vocabulary_size: int | None = None
    tied: bool | None = None
    has_output: bool | None = None
    licence: str = ""
    note: str = ""

    def scale(self, width: int) -> float:
        """The factor that the model multiplies rows by on look-up."""
        return embedding_scale(self.architecture, width, self.settings)


def read_config(folder: Path) -> Config:
    """The config of a folder; empty if there is none, with a note if it cannot be read."""
    path = folder / "config.json"
    if not path.is_file():
        return Config()
    try:
        if path.stat().st_size > _LARGEST:
            return Config(note=f"config.json of {path.stat().st_size:,} bytes is too large to be one, and is ignored")
        fields = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return Config(note="config.json is no JSON, and is ignored")
    if not isinstance(fields, dict):
        return Config(note="config.json is no JSON object, and is ignored")
    return _from_fields(fields)


def _from_fields(fields: dict[str, Any]) -> Config:
    nested = fields.get("text_config")
    text = {**fields, **nested} if isinstance(nested, dict) else fields
    architectures = fields.get("architectures")
    names = [a for a in architectures if isinstance(a, str)] if isinstance(architectures, list) else []
    size, tied, kind = text.get("vocab_size"), text.get("tie_word_embeddings"), text.get("model_type")
    return Config(
        settings=text,
        architecture=kind if isinstance(kind, str) else (names[0] if names else ""),
        vocabulary_size=size if type(size) is int else None,
        tied=tied if isinstance(tied, bool) else None,
        has_output=has_output_table(names) if names else None,
    )
