"""A repaired table: the rows of another one, mapped when they are asked for, so that nothing is held twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from armillary.errors import UsageError
from armillary.repairs.repair import Repair
from armillary.shapes import Float32, Integer
from armillary.table import ArrayRows, RowDecoder, Table


class RepairedRows:
    """Rows of a decoder through a repair, computed in float64 and rounded once to float32; a value too large is ±∞."""

    def __init__(self, rows: RowDecoder, repair: Repair) -> None:
        self._rows, self._repair = rows, repair
        self.shape: tuple[int, int] = (rows.shape[0], repair.shape[1])

    def block(self, start: int, stop: int) -> Float32[np.ndarray, "n d"]:
        return self._rounded(self._rows.block(start, stop))

    def take(self, ids: Integer[np.ndarray, "n"]) -> Float32[np.ndarray, "n d"]:
        return self._rounded(self._rows.take(ids))

    def _rounded(self, rows: Float32[np.ndarray, "n d"]) -> Float32[np.ndarray, "n d"]:
        with np.errstate(over="ignore"):
            return self._repair.apply(rows).astype(np.float32)


def repaired_table(table: Table, repair: Repair) -> Table:
    """The table with every row repaired, the same tokens, and a provenance that names the repair; rows are mapped lazily.

    UsageError for a repair of another width.
    """
    if table.shape[1] != repair.shape[0]:
        raise UsageError(f"expected a repair for {table.shape[1]:,} coordinates, found one for {repair.shape[0]:,}")
    provenance = replace(
        table.provenance, source=f"{table.provenance.source}, {repair.method}", stored="F32", scale=1.0
    )
    report = replace(table.load_report, width=repair.shape[1], stored="F32")
    return Table(RepairedRows(table.vectors, repair), table.vocabulary, provenance, report, table.header)


def held_in_memory(table: Table, progress: Callable[[int, int], None] | None = None) -> Table:
    """The same table with its rows computed once and held, for what reads them several times.

    progress(rows done, rows).
    """
    rows = np.empty(table.shape, np.float32)
    for start, block in table.blocks():
        rows[start : start + len(block)] = block
        if progress:
            progress(start + len(block), len(rows))
    return replace(table, vectors=ArrayRows(rows))
