"""The fold of the tiled scan: per row a screened list, then exact lists; and the pairs that may be the farthest.

A screened list holds the largest values v of a row. With ρ the kernel's bound and v_k the k-th value held, at least k
cosines of the row are ≥ v_k − ρ, so a neighbour has c ≥ v_k − ρ and v ≥ v_k − 2ρ: `keep` is that, and only rises. A
list that dropped a value ≥ its final keep for want of room is *flooded*, and its row is finished by a dense pass.

`margin` is at least 2ρ + 2⁻²²: a float32 difference of numbers in [−2, 2] errs by at most 2⁻²³, so that the computed
v_k − margin is ≤ v_k − 2ρ.
"""

from __future__ import annotations

import threading

import numpy as np

from armillary.scan import loops
from armillary.scan.crew import Crew
from armillary.scan.dense import pair_cosines
from armillary.scan.kernels import Candidates
from armillary.scan.plan import LOWS, Plan
from armillary.scan.rows import BLOCK, Distinct


class Lists:
    """Screened lists of n rows, filled tile by tile from several threads, under one lock."""

    def __init__(self, plan: Plan, bound: float) -> None:
        n = plan.n
        self.k, self.bound = plan.k, bound
        self.margin = np.nextafter(np.float32(2 * bound + 2.0**-22), np.float32(4))
        self.values = np.full((n, plan.room), -2, np.float32)
        self.others = np.full((n, plan.room), -1, np.int32)
        self.dropped = np.full(n, -3, np.float32)
        self.keep = np.full(n, -np.inf, np.float32)
        self.low = np.empty((LOWS, 2), np.int32)
        self.low_values = np.empty(LOWS, np.float32)
        self.lows = 0
        self.low_flooded = False
        self.least = np.float32(2)
        self._lock = threading.Lock()

    @property
    def floor(self) -> np.float32:
        """The pair of least cosine has a value at or below this: the least value seen + margin."""
        return np.float32(-2) if self.low_flooded else self.least + self.margin

    def insert(self, found: Candidates, count: int) -> None:
        """Put the candidates of one tile where they belong."""
        if not count:
            return
        with self._lock:
            self.least = min(self.least, found.v[:count].min())
            self.lows = loops.insert(
                *(found.i, found.j, found.v, count, self.values, self.others, self.dropped, self.keep),
                *(self.k, self.margin, self.floor, self.low, self.low_values, self.lows),
            )
            if self.lows > LOWS // 2:
                self._compact()

    def _compact(self) -> None:
        """Forget low pairs above the floor; if too many remain, all are left to a pass of their own."""
        if self.lows > LOWS:
            self.low_flooded, self.lows = True, 0
            return
        stay = np.flatnonzero(self.low_values[: self.lows] <= self.floor)
        self.low[: len(stay)], self.low_values[: len(stay)] = self.low[stay], self.low_values[stay]
        self.lows = len(stay)

    def farthest(self, rows: Distinct) -> tuple[float, int, int] | None:
        """The pair of least cosine, the first by (i, j) of a tie; None if the low pairs were flooded."""
        self._compact()
        if self.low_flooded:
            return None
        i, j = self.low[: self.lows].astype(np.int64).T
        value = pair_cosines(rows, i, j)
        first = np.lexsort((j, i, value))[0]
        return float(value[first]), int(i[first]), int(j[first])

    def finish(self, rows: Distinct, crew: Crew) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(positions, cosines, flooded): exact lists by (value descending, position ascending), and rows left out."""
        n = len(rows)
        ids, best, flooded = np.empty((n, self.k), np.int64), np.empty((n, self.k), np.float64), np.zeros(n, np.bool_)

        def work(start: int, _worker: int) -> None:
            loops.finish_lists(
                *(rows.x, rows.first, rows.squared, self.values, self.others, self.dropped, self.margin),
                *(start, min(start + BLOCK, n), best, ids, flooded),
            )

        crew.each(work, range(0, n, BLOCK))
        return ids, best, np.flatnonzero(flooded)
