"""What a comparison of two tables found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armillary.geometry.two_tables.join import Join
from armillary.measure import Measure
from armillary.shapes import Float64, Int64


@dataclass(frozen=True)
class Moved:
    """A row of the first table that the second holds, number for number, under another token."""

    a: int
    b: int


@dataclass(frozen=True, eq=False)
class TableComparison:
    """Two tables of the same tokens.

    `join`: how the tokens correspond; `used` (n): positions in the join whose rows have a direction in both.
    `equal`: how many of all joined rows are equal in every number (non-finite ones never are). `moved`: rows found
    under another token. `cosines` (n): of each used token, `how`: as it is, or after a rotation. `norm_ratios` (n): ‖y‖/‖x‖.
    """

    join: Join
    used: Int64[np.ndarray, "n"]
    equal: int
    moved: tuple[Moved, ...]
    measures: tuple[Measure, ...]
    cosines: Float64[np.ndarray, "n"]
    how: str
    norm_ratios: Float64[np.ndarray, "n"]

    def measure(self, name: str) -> Measure | None:
        """The measure of that name, if it could be taken."""
        return next((m for m in self.measures if m.name == name), None)

    def movers(self, most: int = 20) -> Int64[np.ndarray, "m"]:
        """Positions (into `used`) of the tokens that moved most: lowest cosine first, then lowest id."""
        order = np.lexsort((self.join.a[self.used], self.cosines))
        changed = order[self.cosines[order] < 1.0]
        return changed[:most]
