"""The cache of the hub's own library (`HF_HOME`): a model that it holds whole is opened where it lies."""

from __future__ import annotations

import json
import re
from pathlib import Path

_COMMIT = re.compile(r"[0-9a-f]{40}")
_WHOLE = ("model.safetensors", "pytorch_model.bin")


def cached_model(repository: str, revision: str, file: str) -> Path | None:
    """The folder of a snapshot that has its weights, or the file in it; None where there is none."""
    from huggingface_hub import constants

    root = Path(constants.HF_HUB_CACHE) / f"models--{repository.replace('/', '--')}"
    try:
        known = root / "refs" / revision
        commit = revision if _COMMIT.fullmatch(revision) else known.read_text().strip()
        folder = root / "snapshots" / commit
        if file:
            return folder / file if (folder / file).is_file() else None
        return folder if _has_weights(folder) else None
    except (OSError, ValueError):
        return None


def _has_weights(folder: Path) -> bool:
    if any((folder / name).is_file() for name in _WHOLE):
        return True
    for index in (*folder.glob("*.safetensors.index.json"), *folder.glob("*.bin.index.json")):
        shards = set(json.loads(index.read_bytes()).get("weight_map", {}).values())
        return bool(shards) and all((folder / shard).is_file() for shard in shards)
    return False
