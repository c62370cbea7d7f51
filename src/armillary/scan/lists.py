"""The fold of the scan: exact lists of nearest rows, and the least pair, filled from several threads.

Every value in a list is the cosine as defined, and the order (value descending, position ascending) has no ties, so
that the lists at the end are the k first of all pairs whatever the order in which they came, how often a pair came, and
where the work was interrupted. `keep` of a row is at most its k-th largest cosine: from a sample to begin with, then
the last value of its full list. A pair below it cannot enter.
"""

from __future__ import annotations

import threading

import numpy as np

from armillary.scan import loops
from armillary.scan.kernels import PADDING, Candidates, Sides, Thresholds
from armillary.scan.quick import quick_sum
from armillary.shapes import Float64, Int32, Int64


class Lists:
    """Lists of k for each row of one side; of both, where a table meets itself."""

    sides: Sides
    lock: threading.Lock
    cut: Thresholds
    values: Float64[np.ndarray, "m k"]
    others: Int32[np.ndarray, "m k"]
    keep: Float64[np.ndarray, "m"]
    least: Float64[np.ndarray, "1"]
    pair: Int64[np.ndarray, "2"]

    def __init__(self, sides: Sides, k: int) -> None:
        m, n = len(sides.left), len(sides.right)
        self.sides, self.lock = sides, threading.Lock()
        self.values, self.others = np.full((m, k), -2.0), np.full((m, k), -1, np.int32)
        self.keep = np.full(m, -2.0)
        self.least, self.pair = np.full(1, 2.0 if sides.same else -2.0), np.full(2, -1, np.int64)
        rows = np.full(m + PADDING, np.inf, np.float32)
        rows[:m] = -2
        columns = rows if sides.same else np.full(n + PADDING, np.inf, np.float32)
        self.cut = Thresholds(rows, columns, np.float32(self.least[0]))
        self._columns = self.keep if sides.same else np.full(n, np.inf)
        self._quick = quick_sum(sides.left, sides.right)

    def warm(self, start: int, keep: np.ndarray, floor: float) -> None:
        """Lower bounds of the k-th cosines of rows `start` …, and an upper bound of the least, known beforehand."""
        with self.lock:
            stop = start + len(keep)
            self.keep[start:stop] = np.maximum(self.keep[start:stop], keep)
            self.cut.rows[start:stop] = self.keep[start:stop] - 2.0**-24
            if self.sides.same:
                self.cut.floor = min(self.cut.floor, _above(floor))

    def hold(self, threshold: float) -> None:
        """Want every pair with a cosine of at least `threshold`, and no other."""
        self.keep[:] = threshold
        self.cut.rows[: len(self.keep)] = threshold - 2.0**-23 * max(1.0, abs(threshold))
        self.cut.floor = np.float32(-4)

    def score(self, found: Candidates, count: int) -> int:
        """Score the first `count` candidates; those that matter move to the front. Returns how many."""
        left, right = self.sides.left, self.sides.right
        return loops.score(
            *(left.x, left.first, left.squared, right.x, right.first, right.squared, self.keep, self._columns),
            *(float(self.cut.floor), *self._quick, found.i, found.j, found.value, count),
        )

    def take(self, found: Candidates, count: int) -> None:
        """Score the first `count` candidates, and put those that matter into their lists."""
        count = self.score(found, count)
        if not count:
            return
        with self.lock:
            loops.insert(
                *(self.values, self.others, self.keep, self.cut.rows, self.least, self.pair, self.sides.same),
                *(found.i, found.j, found.value, count),
            )
            if self.sides.same:
                self.cut.floor = min(self.cut.floor, _above(float(self.least[0])))

    @property
    def lowest(self) -> tuple[float, int, int]:
        """The pair of least cosine, the first by (i, j) of a tie; of one table only."""
        return float(self.least[0]), int(self.pair[0]), int(self.pair[1])

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """All that is known so far, as it stands."""
        return {
            "values": self.values,
            "others": self.others,
            "keep": self.keep,
            "least": self.least,
            "pair": self.pair,
        }

    def refresh(self) -> None:
        """Make the thresholds those of the lists, after these were filled from elsewhere."""
        self.cut.rows[: len(self.keep)] = self.keep - 2.0**-24
        if self.sides.same:
            self.cut.floor = _above(float(self.least[0]))


def _above(value: float) -> np.float32:
    """At or above a cosine, as float32."""
    return np.float32(value + 2.0**-24)
