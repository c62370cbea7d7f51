"""How far work in several stages is, and rows that tell when they are read, so that whatever reads them can be stopped.

Long work is made of steps that know nothing of one another. The stages join their progress to one; what the caller's
progress raises goes through the step that told it, which is how a page or Ctrl-C ends the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from armillary.shapes import Float32, Integer
from armillary.table import RowDecoder, Table

Progress = Callable[[int, int], None]  # (done, total)
STEPS = 1_000  # of the whole


class Stages:
    """The progress of stages that take these `shares` of the time, told to one `progress`."""

    def __init__(self, progress: Progress | None, *shares: float) -> None:
        self._progress, self._shares = progress, [share / sum(shares) for share in shares]
        self._begun, self._told = 0, 0

    def next(self) -> Progress:
        """The progress of the next stage; the whole never goes back, whichever stage tells."""
        at, self._begun = self._begun, self._begun + 1
        start, share = sum(self._shares[:at]), self._shares[at]

        def tell(done: int, total: int) -> None:
            if self._progress:
                self._told = max(self._told, round(STEPS * (start + share * min(1.0, done / max(1, total)))))
                self._progress(self._told, STEPS)

        return tell


class _HeardRows:
    """Rows of another decoder; each reading tells how many were read so far."""

    def __init__(self, rows: RowDecoder, hear: Callable[[int], None]) -> None:
        self._rows, self._hear = rows, hear
        self.shape: tuple[int, int] = rows.shape

    def block(self, start: int, stop: int) -> Float32[np.ndarray, "n d"]:
        self._hear(stop - start)
        return self._rows.block(start, stop)

    def take(self, ids: Integer[np.ndarray, "n"]) -> Float32[np.ndarray, "n d"]:
        self._hear(len(ids))
        return self._rows.take(ids)


def heard(table: Table, progress: Progress | None, passes: int = 1) -> Table:
    """The same table, which tells progress(rows read, rows) as often as it is read; `passes`: how often all rows will be.

    The pass behind `row_facts` is not done again where it was done.
    """
    if progress is None:
        return table
    read, total = 0, passes * len(table)

    def hear(rows: int) -> None:
        nonlocal read
        read += rows
        progress(min(read, total), total)

    there = replace(table, vectors=_HeardRows(table.vectors, hear))
    if "row_facts" in table.__dict__:
        there.__dict__["row_facts"] = table.row_facts  # where the cached property would put it
    return there
