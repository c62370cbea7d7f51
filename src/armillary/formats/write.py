"""Write a table as safetensors, with its tokens beside it: whole or not at all, and read back before it counts.

Rows are float32 in C order, written block by block; the sidecar `NAME.tokens.parquet` holds id, bytes, text, kind
and name of every row, so that the pair opens again as the same table.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import WorkError
from armillary.formats.safetensors_header import read_header
from armillary.formats.sidecar import sidecar_to_write
from armillary.formats.token_files import sidecar_of, token_columns
from armillary.storage import atomic_path
from armillary.table import Table, Vocabulary

TENSOR = "embedding.weight"


def write_safetensors(
    rows: Table | ArrayLike, path: str | Path, tokens: Sequence[str | bytes] | Vocabulary | None = None
) -> tuple[Path, ...]:
    """Write a table, or an array with its tokens, and give back the paths of both.

    The sidecar is written where there are tokens and it does not say them already. UsageError if the folder is missing,
    the array is no table, or the sidecar is another table's;
    WorkError if the disk fails or what is read back differs; a file that was there before is untouched then.
    """
    path = Path(path)
    words = None if isinstance(tokens, Vocabulary) else tokens
    table = rows if isinstance(rows, Table) else Table.from_array(rows, words)
    vocabulary = tokens if isinstance(tokens, Vocabulary) else table.vocabulary
    return write_with_tokens(path, vocabulary, lambda temporary: _write_rows(table, temporary))


def write_with_tokens(path: Path, vocabulary: Vocabulary, write: Callable[[Path], None]) -> tuple[Path, ...]:
    """What `write` writes, at `path`, and the tokens in the file beside it that is found again: both or neither."""
    beside = sidecar_to_write(path, vocabulary)
    with atomic_path(path) as temporary:
        if beside is None:
            write(temporary)
        else:
            with atomic_path(beside) as temporary_beside:
                write(temporary)
                write_tokens(vocabulary, temporary_beside)
    return (path,) if vocabulary.named_by_id else (path, beside or sidecar_of(path))


def _write_rows(table: Table, path: Path) -> None:
    V, d = table.shape
    fields = {
        "__metadata__": {"format": "pt", "written_by": "armillary"},
        TENSOR: {"dtype": "F32", "shape": [V, d], "data_offsets": [0, 4 * V * d]},
    }
    header = json.dumps(fields, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)  # numbers begin at a multiple of eight
    written = hashlib.sha256()
    with path.open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        for _, block in table.blocks():
            numbers = np.ascontiguousarray(block, "<f4")
            file.write(numbers.data)
            written.update(numbers.data)
    _read_back(path, written.digest())


def _read_back(path: Path, digest: bytes) -> None:
    entry = read_header(path, str(path)).tensors[TENSOR]
    with path.open("rb") as file:
        file.seek(entry.begin)
        if hashlib.file_digest(file, "sha256").digest() != digest:
            raise WorkError(f"what was read back from {path} differs from what was written", "check the disk")


def write_tokens(vocabulary: Vocabulary, path: Path) -> None:
    """Write a vocabulary as a Parquet file of the sidecar's columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {"id": pa.int64(), "bytes": pa.binary(), "text": pa.string(), "kind": pa.string(), "name": pa.string()}
    columns = token_columns(vocabulary)
    pq.write_table(pa.table({name: pa.array(columns[name], kind) for name, kind in types.items()}), path)
