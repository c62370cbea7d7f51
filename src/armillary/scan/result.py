"""What an exact scan of all pairs finds. Plain arrays: no token, no file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from armillary.shapes import Float32, Float64, Int64, Integer


class Rows(Protocol):
    """What can be scanned: n raw float32 rows, none zero and none with a non-finite value."""

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d)"""
        ...

    def block(self, start: int, stop: int) -> Float32[np.ndarray, "m d"]:
        """Rows at positions start … stop−1."""
        ...

    def take(self, positions: Integer[np.ndarray, "m"]) -> Float32[np.ndarray, "m d"]:
        """Rows at these positions, as a new array."""
        ...


@dataclass(frozen=True)
class Pair:
    """Two rows and their cosine; i < j."""

    value: float
    i: int
    j: int


@dataclass(frozen=True)
class Moments:
    """Mean of cos and of cos² over the pairs i < j, exact to float64 rounding."""

    mean: float
    mean_square: float


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts of cosines in 2,048 left-closed bins on [−1, 1]; the last bin holds 1 too.

    `counts` sum to `pairs`. `kind` is exact (all pairs) or estimate (`pairs` seeded random pairs); the standard
    error of a share p of an estimate is √(p(1−p)/pairs).
    """

    counts: Int64[np.ndarray, "b"]
    pairs: int
    kind: Literal["exact", "estimate"]

    @property
    def edges(self) -> Float64[np.ndarray, "b+1"]:
        """Bin edges from −1 to 1."""
        return np.linspace(-1.0, 1.0, len(self.counts) + 1)


@dataclass(frozen=True, eq=False)
class Scan:
    """The exact all-pairs scan of n rows.

    `k`: neighbours a row, clipped to n−1. `ids` (n): the row's id, ascending. `neighbors` (n, k): *ids*, by
    (cosine descending, id ascending), self left out by id, equal rows kept. `similarities` (n, k): float64 cosines,
    each by the one loop that defines a cosine. `certificate` (n): True where the k-th neighbour is separated from
    every row left out by more than twice the proved error of the float64 loop, so that the neighbours are those of
    exact arithmetic in every kernel; False where a tie was settled by the loop and the id. `occurrence` (n): how many rows count this row among their k nearest. `closest`, `farthest`: extreme
    pairs (value, then i, then j); None for a single row. `closest_distinct`: the closest pair among rows that are
    not equal. `pairs`: n(n−1)/2.
    """

    k: int
    ids: Int64[np.ndarray, "n"]
    neighbors: Int64[np.ndarray, "n k"]
    similarities: Float64[np.ndarray, "n k"]
    certificate: np.ndarray  # bool "n"
    occurrence: Int64[np.ndarray, "n"]
    closest: Pair | None
    farthest: Pair | None
    closest_distinct: Pair | None
    moments: Moments | None
    histogram: Histogram | None
    pairs: int
    seconds: float
    kernel: str

    def __repr__(self) -> str:
        n, k = self.neighbors.shape
        return f"Scan({n:,} rows, k = {k}, {self.pairs:,} pairs, exact, {self.kernel}, {self.seconds:.1f} s)"
