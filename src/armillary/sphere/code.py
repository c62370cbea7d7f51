"""The code of a table: its rows as directions on the unit sphere, and which rows are left out and why.

A view, not a copy: no normalised table is ever kept. Who needs unit rows divides a block by the root of its squared
norms; who needs exact cosines uses raw rows and float64 norms, so that ties stay ties.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from armillary.errors import UsageError
from armillary.shapes import Float32, Float64, Int64
from armillary.table import OUTSIDE, SCALE, Kind, Table

BLOCK_ROWS = 4096


@dataclass(frozen=True, eq=False)
class Code:
    """Rows of a table that are directions. `ids` (n) ascending; `excluded` maps a reason to the ids it left out.

    Left out always: zero, non-finite and no-token rows. Everything else is kept, unused, control, byte and
    duplicate rows included, unless a kind was named to `of`.
    """

    table: Table
    ids: Int64[np.ndarray, "n"]
    excluded: Mapping[str, Int64[np.ndarray, "m"]]

    @classmethod
    def of(cls, table: Table, without: Collection[Kind] = ()) -> Code:
        """The code of a table, kinds named in `without` left out; UsageError if no row remains."""
        facts = table.row_facts
        kinds = table.vocabulary.kinds
        reasons = {
            Kind.NO_TOKEN.label: np.flatnonzero(kinds == Kind.NO_TOKEN),
            OUTSIDE: facts.outside,
            "zero": facts.zero,
            "non-finite": facts.non_finite,
            **{kind.label: np.flatnonzero(kinds == kind) for kind in without},
        }
        keep = np.ones(len(table), bool)
        excluded: dict[str, np.ndarray] = {}
        for reason, ids in reasons.items():  # a row is counted under the first reason that leaves it out
            new = ids[keep[ids]]
            keep[ids] = False
            if len(new):
                excluded[reason] = new.astype(np.int64)
        ids = np.flatnonzero(keep).astype(np.int64)
        if not len(ids):
            reasons_found = ", ".join(f"{len(v):,} {k}" for k, v in excluded.items())
            raise UsageError(
                "expected at least one row with a direction, found "
                + (f"none among {len(table):,} ({reasons_found})" if len(table) else "a table without rows"),
                SCALE
                if OUTSIDE in excluded
                else "armillary info MODEL lists the tables of a file, and --tensor NAME opens another",
            )
        return cls(table, ids, excluded)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)"""
        return len(self.ids), self.table.shape[1]

    @property
    def is_whole(self) -> bool:
        """Whether no row is left out, so that positions are ids."""
        return len(self.ids) == len(self.table)

    def block(self, start: int, stop: int) -> Float32[np.ndarray, "m d"]:
        """Raw rows at positions start … stop−1; may be a read-only view."""
        if self.is_whole:
            return self.table.vectors.block(start, stop)
        return self.table.vectors.take(self.ids[start:stop])

    def take(self, positions: Int64[np.ndarray, "m"]) -> Float32[np.ndarray, "m d"]:
        """Raw rows at these positions of the code (not ids), as a new array."""
        return self.table.vectors.take(self.ids[np.asarray(positions, np.int64)])

    def blocks(
        self, rows: int = BLOCK_ROWS
    ) -> Iterator[tuple[int, Float32[np.ndarray, "m d"], Float64[np.ndarray, "m"]]]:
        """(first position, raw float32 rows, float64 squared norms) over the code in order."""
        for start in range(0, len(self), rows):
            block = self.block(start, min(start + rows, len(self)))
            yield start, block, np.einsum("nd,nd->n", block, block, dtype=np.float64)

    def unit_blocks(self, rows: int = BLOCK_ROWS) -> Iterator[tuple[int, Float64[np.ndarray, "m d"]]]:
        """(first position, unit rows in float64) over the code in order."""
        for start, block, squared in self.blocks(rows):
            yield start, block / np.sqrt(squared)[:, None]
