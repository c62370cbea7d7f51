"""Where the tokens of a written table go, and whose tokens already lie there.

`rows.npy` and `rows.safetensors` share the sidecar `rows.tokens.parquet`, so a table may be written beside another of its
stem only if both have the same tokens; tokens of another table are never replaced.
"""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from armillary.errors import UnreadableError, UsageError
from armillary.formats.token_files import SIDECAR, read_tokens, sidecar_of, sidecars_beside, token_columns
from armillary.storage import check_places
from armillary.table import Vocabulary

# endings of tables without tokens of their own, which a sidecar may name
_BARE = frozenset(
    [".safetensors", ".npy", ".npz", ".bin", ".pt", ".pth", ".ckpt", ".onnx", ".gguf", ".parquet", ".arrow", ".feather"]
)


def check_table_name(path: Path) -> None:
    """UsageError for a name that a sidecar has: tokens would be looked for there."""
    if path.name.endswith(SIDECAR):
        raise UsageError(f"expected a name for a table, found {path.name}, a name for tokens", "name another file")


def sidecar_to_write(path: Path, vocabulary: Vocabulary | None) -> Path | None:
    """The file for the tokens of a table written to `path`; None where there are none, or that file says them already.

    None for a vocabulary: it is not known yet. UsageError where neither file can be, or the tokens that lie there belong to another table, or
    would name the rows of one that has no tokens.
    """
    check_table_name(path)
    needed = vocabulary is None or not vocabulary.named_by_id
    check_places(path, *([sidecar_of(path)] if needed else []))
    for beside in sidecars_beside(path):
        if not needed:
            _refuse(beside, f"which would name the rows of {path.name}, and they have no tokens")
        if vocabulary is not None and _says(beside, vocabulary):
            return None
        if beside != sidecar_of(path) or not path.exists():
            _refuse(beside, "the tokens of another table")
        others = sorted(p.name for p in path.parent.glob("*") if p.stem == path.stem and p.suffix.lower() in _BARE)
        if others != [path.name]:
            _refuse(beside, f"the tokens of {', '.join(name for name in others if name != path.name)[:100]} too")
    return sidecar_of(path) if needed else None


def _refuse(beside: Path, whose: str) -> NoReturn:
    raise UsageError(f"expected no other tokens in {beside}, found {whose}", "name another file, or move that one away")


def _says(file: Path, vocabulary: Vocabulary) -> bool:
    """Whether a file of tokens gives this vocabulary."""
    try:
        found = read_tokens(file, len(vocabulary))
    except UnreadableError:
        return False
    return not found.beyond and token_columns(found) == token_columns(vocabulary)
