"""A table made here as a file that `armillary` opens again: `NAME.safetensors`, and its tokens beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from armillary.errors import UsageError
from armillary.storage import atomic_path
from armillary.table import Table

TENSOR = "embedding.weight"


def save(table: Table, path: Path) -> list[Path]:
    """Write the rows to `path` and the tokens to `NAME.tokens.parquet`; the files written.

    UsageError unless the name ends in `.safetensors` and its folder exists.
    """
    check_target(path)
    from safetensors.numpy import save_file

    rows = np.ascontiguousarray(table.vectors.block(0, len(table)))
    with atomic_path(path) as temporary:
        save_file({TENSOR: rows}, temporary, metadata={"source": table.provenance.source})
    return [path, _save_tokens(table, path.with_suffix(".tokens.parquet"))]


def check_target(path: Path) -> None:
    """Whether a table can be written there, told before the work is done rather than after."""
    if path.suffix != ".safetensors":
        raise UsageError(f"expected a file name that ends in .safetensors, found {path.name}")
    if not path.parent.is_dir():
        raise UsageError(f"expected a folder {path.parent} to write {path.name} into, found none", "make it first")


def _save_tokens(table: Table, path: Path) -> Path:
    import pyarrow as pa
    from pyarrow import parquet

    tokens = [table.token(id) for id in range(len(table))]
    columns = {
        "id": pa.array([t.id for t in tokens], pa.int64()),
        "bytes": pa.array([t.bytes for t in tokens], pa.binary()),
        "text": [t.text for t in tokens],
        "kind": [t.kind.label for t in tokens],
        "name": [t.name for t in tokens],
    }
    with atomic_path(path) as temporary:
        parquet.write_table(pa.table(columns), temporary)
    return path
