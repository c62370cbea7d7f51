"""A rung of whole numbers: rows quantised once, swept by the compiled tiles of its `Dot`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armillary.scan.crew import Crew
from armillary.scan.kernels import Candidates, Sides, Thresholds
from armillary.scan.kernels.microkernel import Dot
from armillary.scan.kernels.quantise import Quantised, Range, distortion, quantise, rotation, slacks
from armillary.scan.kernels.sweep import Sweep, integer_sweep
from armillary.scan.plan import Tile
from armillary.shapes import Float32


@dataclass(frozen=True, eq=False)
class Integer:
    """Rows and columns as whole numbers (of one table, where it meets itself), their terms, and the sweep of a rung."""

    name: str
    rows: Quantised
    columns: Quantised
    row: Float32[np.ndarray, "2 m"]  # scale, α
    column: Float32[np.ndarray, "2 c"]  # scale, β
    offset: int
    compiled: Sweep

    @classmethod
    def prepare(cls, dot: Dot, spec: Range, sides: Sides, crew: Crew) -> Integer:
        """Quantise the rows; compile the sweep, or take it from the cache."""
        compiled = integer_sweep(dot)
        m, d = len(sides.right), sides.right.x.shape[1]
        q = rotation(m, d)
        columns = quantise(sides.right, spec, q, dot.columns, dot.rows, crew)
        rows = columns if sides.same else quantise(sides.left, spec, q, dot.columns, dot.rows, crew)
        row, column = rows.row.copy(), columns.column.copy()
        row[1], column[1] = slacks(row[1], column[1], distortion(q, d), d)
        return cls(dot.name, rows, columns, row, column, sides.offset, compiled)

    def sweep(self, tile: Tile, cut: Thresholds, cursor: int, out: Candidates, worker: int) -> tuple[int, int]:
        """Screen one tile from the cursor on; (pairs in `out`, where to go on or −1)."""
        keeps = cut.rows, cut.columns, np.float32(cut.floor)
        return self.compiled(
            *(self.rows.rows, self.columns.panels, self.columns.start),
            (self.row, self.column, *keeps, np.float32(2 * self.column[1].max())),
            *(*tile, cursor, self.offset, out.i, out.j),
        )
