"""All pairs of rows from a cosine on, streamed to a file: near-duplicate search in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.errors import UsageError
from armillary.storage import atomic_path
from armillary.study.files import checked_path

if TYPE_CHECKING:
    import pyarrow

    from armillary.scan import PairBlock
    from armillary.study.study import Progress, Study

_GROUP = 1 << 17
"""Pairs written at a time."""


def check_threshold(threshold: float) -> None:
    """UsageError unless it is a cosine."""
    if not -1.0 <= threshold <= 1.0:
        raise UsageError(f"expected a cosine from −1 to 1, found {threshold}")


def save_pairs_above(
    study: Study, threshold: float, path: str | Path, kernel: str = "auto", progress: Progress | None = None
) -> int:
    """Write every pair with a cosine of at least `threshold` to Parquet or CSV, whole or not at all; how many there are.

    Columns a_id, a, b_id, b, cosine, a_id < b_id; the order is that of the search, by blocks of rows. Memory is bounded
    however many pairs there are.
    """
    from armillary.scan import pairs_above

    check_threshold(threshold)
    total, target = 0, checked_path(path)
    blocks = pairs_above(study.code, threshold, kernel=kernel, progress=progress)
    with atomic_path(target) as temporary, _writer(temporary, target.suffix.lower()) as write:
        for group in _groups(blocks):
            write(_arrow(study, group))
            total += sum(len(block.i) for block in group)
        if not total:
            write(_arrow(study, []))
    return total


def _groups(blocks: Iterator[PairBlock]) -> Iterator[list[PairBlock]]:
    """Blocks in groups of about `_GROUP` pairs."""
    held: list[PairBlock] = []
    for block in blocks:
        held.append(block)
        if sum(len(one.i) for one in held) >= _GROUP:
            yield held
            held = []
    if held:
        yield held


def _arrow(study: Study, group: list[PairBlock]) -> pyarrow.Table:
    import pyarrow

    ids = study.code.ids
    left, right = (
        ids[np.concatenate([getattr(block, side) for block in group])] if group else np.zeros(0, np.int64)
        for side in ("i", "j")
    )
    known, place = np.unique(np.concatenate([left, right]), return_inverse=True)
    texts = pyarrow.array([study.table.token(int(i)).text for i in known], pyarrow.string())
    value = np.concatenate([block.value for block in group]) if group else np.zeros(0)
    a, b = texts.take(place[: len(left)]), texts.take(place[len(left) :])
    return pyarrow.table({"a_id": left, "a": a, "b_id": right, "b": b, "cosine": value})


@contextmanager
def _writer(path: Path, ending: str) -> Iterator[Any]:
    """A function that appends an Arrow table to the file."""
    import pyarrow.parquet as parquet
    from pyarrow import csv

    make, writer = (parquet.ParquetWriter if ending == ".parquet" else csv.CSVWriter), None

    def write(table: pyarrow.Table) -> None:
        nonlocal writer
        writer = writer or make(str(path), table.schema)
        writer.write_table(table)

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()
