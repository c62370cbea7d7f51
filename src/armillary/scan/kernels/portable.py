"""The rung that runs anywhere: a float32 product by BLAS, then a compiled test against the thresholds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armillary.scan import loops
from armillary.scan.bound import screen_bound
from armillary.scan.crew import Crew
from armillary.scan.kernels import Candidates, Sides, Thresholds
from armillary.scan.plan import Plan, Tile
from armillary.shapes import Float32


@dataclass(frozen=True, eq=False)
class Portable:
    """Unit rows in float32; the product v of a pair is within `screen_bound` of its cosine."""

    rows: Float32[np.ndarray, "m d"]
    columns: Float32[np.ndarray, "n d"]
    tiles: list[Float32[np.ndarray, "t"]]
    margin: np.float32
    offset: int
    name: str = "portable"

    @classmethod
    def prepare(cls, sides: Sides, plan: Plan, crew: Crew) -> Portable:
        """Normalise the rows; a tile of values for each worker.

        The margin covers the bound and one rounding of keep − margin, a number below 4: 2⁻²³.
        """
        tiles = [np.empty(plan.rows * plan.columns, np.float32) for _ in range(crew.threads)]
        margin = np.nextafter(np.float32(screen_bound(sides.right.x.shape[1]) + 2.0**-22), np.float32(1))
        return cls(sides.left.units, sides.right.units, tiles, margin, sides.offset)

    def sweep(self, tile: Tile, cut: Thresholds, cursor: int, out: Candidates, worker: int) -> tuple[int, int]:
        """Screen the rows of one tile from the cursor on; (pairs in `out`, where to go on or −1)."""
        i0, i1, j0, j1 = tile
        i0 += cursor
        values = self.tiles[worker][: (i1 - i0) * (j1 - j0)].reshape(i1 - i0, j1 - j0)
        np.matmul(self.rows[i0:i1], self.columns[j0:j1].T, out=values)
        found, stopped = loops.select(
            values, i0, j0, self.offset, cut.rows, cut.columns, self.margin, np.float32(cut.floor), out.i, out.j
        )
        return found, cursor + stopped if stopped < i1 - i0 else -1


def prepare(sides: Sides, plan: Plan, crew: Crew) -> Portable:
    """Normalise and compile."""
    return Portable.prepare(sides, plan, crew)
