"""The rung that runs anywhere: a float32 product by BLAS, then a compiled test against the thresholds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32

from armillary.scan import loops
from armillary.scan.bound import screen_bound
from armillary.scan.crew import Crew
from armillary.scan.kernels import Candidates
from armillary.scan.plan import Plan, Tile
from armillary.scan.rows import Distinct


@dataclass(frozen=True, eq=False)
class Portable:
    """Unit rows in float32; v is their product, within `screen_bound` of the cosine."""

    unit: Float32[np.ndarray, "n d"]
    tiles: list[Float32[np.ndarray, "t"]]
    bound: float
    name: str = "portable"

    @classmethod
    def prepare(cls, rows: Distinct, plan: Plan, crew: Crew) -> Portable:
        """Normalise the rows; a tile of values for each worker."""
        tiles = [np.empty(plan.rows * plan.columns, np.float32) for _ in range(crew.threads)]
        return cls(rows.units, tiles, screen_bound(rows.x.shape[1]))

    def sweep(self, tile: Tile, keep: Float32[np.ndarray, "n"], floor: float, out: Candidates, worker: int) -> int:
        """Screen one tile into `out`; returns the number of pairs."""
        i0, i1, j0, j1 = tile
        values = self.tiles[worker][: (i1 - i0) * (j1 - j0)].reshape(i1 - i0, j1 - j0)
        np.matmul(self.unit[i0:i1], self.unit[j0:j1].T, out=values)
        return int(loops.select(values, i0, j0, keep, np.float32(floor), out.i, out.j, out.v))
