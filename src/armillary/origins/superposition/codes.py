"""Interference of a random code: what k active directions add up to on one that is not active.

k unit vectors drawn at random and added, read along another: the sum of k independent cosines, each of mean 0 and
variance 1/d, so of variance k/d exactly. A code does better than random only by arranging its directions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.answer import Answer, number
from armillary.bounds import interference
from armillary.errors import UsageError


@dataclass(frozen=True, repr=False)
class Interference(Answer):
    """Measured mean square of what is read, its standard error, and k/d."""

    dimensions: int
    active: int
    trials: int
    measured: float
    error: float
    expected: float

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))

    def __str__(self) -> str:
        return (
            f"{self.active:,} active directions of a random code in {self.dimensions:,} dimensions, read on an inactive "
            f"one: mean square {number(self.measured)} ± {number(self.error, 1)}, expected k/d = {number(self.expected)}"
        )


def random_interference(dimensions: int, active: int, trials: int = 20_000, seed: int = 0) -> Interference:
    """The mean square of Σ_k u_k·v for random unit u_k, v over `trials` draws; UsageError unless all are ≥ 1.

    v may be a coordinate axis without loss, since the u_k are uniform.
    """
    if min(dimensions, active, trials) < 1:
        raise UsageError(f"expected d, k and trials of 1 or more, found {dimensions}, {active}, {trials}")
    generator = np.random.default_rng(seed)
    read = np.empty(trials)
    step = max(1, 4_000_000 // (active * dimensions))
    for start in range(0, trials, step):
        rows = generator.standard_normal((min(step, trials - start), active, dimensions))
        rows /= np.linalg.norm(rows, axis=2, keepdims=True)
        read[start : start + step] = rows[:, :, 0].sum(axis=1)
    squared = read**2
    error = float(squared.std() / np.sqrt(trials))
    return Interference(dimensions, active, trials, float(squared.mean()), error, interference(active, dimensions))
