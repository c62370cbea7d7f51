"""A Parquet file read whole, with what its header claims held against its size first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from armillary.errors import UnreadableError

_RATIO, _SPARE = 64, 1 << 20  # values a file may claim: this many a byte, and this many more


def read_parquet(path: Path, name: str) -> Any:
    """The columns of a file. UnreadableError where it claims more values than its bytes can hold; pyarrow's own errors.

    One row of every group is read before its columns are asked about: pyarrow 26 ends the whole process when a column
    whose statistics contradict its schema is asked about, and raises OSError when it is read.
    """
    import pyarrow.parquet as pq

    with pq.ParquetFile(path, memory_map=True) as file:
        meta = file.metadata
        for group in range(meta.num_row_groups):
            next(iter(file.iter_batches(1, row_groups=[group], use_threads=False)), None)
        groups = [meta.row_group(group) for group in range(meta.num_row_groups)]
        values = sum(group.column(i).num_values for group in groups for i in range(meta.num_columns))
        check_claim(max(meta.num_rows, values), path.stat().st_size, name)
        return file.read(use_threads=False)


def check_claim(values: int, size: int, name: str) -> None:
    """UnreadableError where a file of `size` bytes claims more values than any vectors have."""
    if values > _RATIO * size + _SPARE:
        raise UnreadableError(
            f"{name} of {size:,} bytes claims {values:,} values, as no vectors do", "write the file again"
        )


def said(error: Exception) -> str:
    """The first line of what pyarrow says of a file, cut to a hundred characters."""
    return (str(error).strip().splitlines() or ["no reason given"])[0][:100]
