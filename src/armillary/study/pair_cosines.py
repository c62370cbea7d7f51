"""Cosines of random pairs of rows, as they are and after a repair: the same pairs, so that pictures compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.repairs import Repair
from armillary.shapes import Float64
from armillary.sphere import Code

PAIRS, BINS, SEED, _BLOCK = 20_000, 100, 0, 4_096


@dataclass(frozen=True, eq=False)
class Histogram:
    """Share of the pairs in each of 100 bins over [−1, 1], their mean, and how many pairs were drawn."""

    shares: Float64[np.ndarray, "bins"]
    mean: float
    pairs: int

    @property
    def edges(self) -> Float64[np.ndarray, "edges"]:
        """Where the bins begin and end."""
        return np.linspace(-1.0, 1.0, len(self.shares) + 1)

    def to_dict(self) -> dict[str, Any]:
        return {"edges": self.edges.tolist(), "shares": self.shares.tolist(), "mean": self.mean, "pairs": self.pairs}


def pair_histogram(code: Code, repair: Repair | None = None, pairs: int = PAIRS, seed: int = SEED) -> Histogram:
    """The histogram of seeded random pairs of different rows of a code, through a repair if one is given.

    A pair of which a row has no direction after the repair is left out.
    """
    cosines = pair_cosines(code, repair, pairs, seed)
    counts = np.histogram(cosines, BINS, (-1.0, 1.0))[0]
    return Histogram(counts / max(1, len(cosines)), float(cosines.mean()) if len(cosines) else 0.0, len(cosines))


def pair_cosines(
    code: Code, repair: Repair | None = None, pairs: int = PAIRS, seed: int = SEED
) -> Float64[np.ndarray, "p"]:
    """Their cosines, in float64; none for a single row."""
    random, n = np.random.default_rng(seed), len(code)
    if n < 2:
        return np.zeros(0)
    i = random.integers(0, n, pairs)
    j = (i + random.integers(1, n, pairs)) % n
    found = []
    for start in range(0, pairs, _BLOCK):
        sides = (code.take(at[start : start + _BLOCK]) for at in (i, j))
        a, b = (side.astype(np.float64) if repair is None else repair.apply(side) for side in sides)
        with np.errstate(invalid="ignore", divide="ignore"):
            found.append(np.vecdot(a, b) / np.sqrt(np.vecdot(a, a) * np.vecdot(b, b)))
    cosines = np.concatenate(found)
    return np.clip(cosines[np.isfinite(cosines)], -1.0, 1.0)
