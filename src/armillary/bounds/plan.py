"""The planner: everything that is known beforehand about V unit vectors in d dimensions, in one object."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from armillary.answer import Answer
from armillary.bounds.arguments import require_code
from armillary.bounds.capacity import johnson_lindenstrauss_dimension, log_capacity, log_capacity_lower
from armillary.bounds.coherence import best_sidelnikov, orthoplex, rankin, welch
from armillary.bounds.extremes import (
    coherence_mean,
    coherence_quantile,
    maximal_cosine_mean,
    maximal_cosine_quantile,
    minimum_angle_quantile,
)
from armillary.bounds.levenshtein import levenshtein, levenshtein_lines
from armillary.bounds.pair import cosine_sd, mean_absolute_cosine, uniformity
from armillary.bounds.text import describe

COHERENCES = (0.1, 0.2, 0.3, 0.5)
DISTORTIONS = (0.1, 0.2, 0.5)


@dataclass(frozen=True)
class Extreme:
    """The law of an extreme of a random code: 5 % quantile, median, 95 % quantile, mean."""

    q05: float
    median: float
    q95: float
    mean: float


@dataclass(frozen=True)
class Capacity:
    """How many vectors a random code keeps to coherence ε: log₁₀ V where its median is ε, and log₁₀ e^{dε²/4} below it.

    A code placed with care holds more: d vectors always fit, at right angles.
    """

    coherence: float
    log10_size: float
    log10_lower: float


@dataclass(frozen=True, repr=False)
class Plan(Answer):
    """What V unit vectors in d dimensions can be, and what a random code of that size is.

    Bounds on the coherence: `welch`, `sidelnikov` (best order), `levenshtein_lines`, `orthoplex`; the largest is
    `coherence_bound`. Bounds on the maximal cosine: `rankin`, `levenshtein`; the largest is `cosine_bound`.
    `random_…` is a random code: `random_angle` the median of its smallest angle. Angles are in degrees.
    """

    size: int
    dimension: int
    welch: float
    sidelnikov: float
    sidelnikov_order: int
    orthoplex: float
    levenshtein_lines: float
    rankin: float
    levenshtein: float
    random_sd: float
    random_mean_absolute: float
    random_uniformity: float
    random_coherence: Extreme
    random_cosine: Extreme
    random_angle: float
    capacities: tuple[Capacity, ...]
    projections: tuple[tuple[float, int], ...]

    @property
    def coherence_bound(self) -> float:
        """No code of this size has a smaller coherence."""
        return max(self.welch, self.sidelnikov, self.levenshtein_lines, self.orthoplex)

    @property
    def cosine_bound(self) -> float:
        """No code of this size has a smaller maximal cosine."""
        return max(self.rankin, self.levenshtein)

    @property
    def welch_angle(self) -> float:
        """The angle whose cosine is Welch's bound: no code of V lines has all its angles larger."""
        return _angle(self.welch)

    @property
    def largest_angle(self) -> float:
        """No code of this size has a larger minimum angle."""
        return _angle(self.cosine_bound)

    def to_dict(self) -> dict[str, Any]:
        """Every field and derived bound, as JSON types."""
        derived = ("coherence_bound", "cosine_bound", "welch_angle", "largest_angle")
        return {**asdict(self), **{name: getattr(self, name) for name in derived}}

    def __str__(self) -> str:
        return describe(self)


def plan(size: int, dimension: int) -> Plan:
    """The plan of V = size unit vectors in d = dimension; UsageError unless 2 ≤ V ≤ 10⁹ and 1 ≤ d ≤ 10⁶."""
    require_code(size, dimension)
    bound, order = best_sidelnikov(size, dimension)
    return Plan(
        size=size,
        dimension=dimension,
        welch=welch(size, dimension),
        sidelnikov=bound,
        sidelnikov_order=order,
        orthoplex=orthoplex(size, dimension),
        levenshtein_lines=levenshtein_lines(size, dimension),
        rankin=rankin(size, dimension),
        levenshtein=levenshtein(size, dimension),
        random_sd=cosine_sd(dimension),
        random_mean_absolute=mean_absolute_cosine(dimension),
        random_uniformity=uniformity(dimension),
        random_coherence=_extreme(coherence_quantile, coherence_mean(size, dimension), size, dimension),
        random_cosine=_extreme(maximal_cosine_quantile, maximal_cosine_mean(size, dimension), size, dimension),
        random_angle=minimum_angle_quantile(size, dimension),
        capacities=tuple(capacity(dimension, coherence) for coherence in COHERENCES),
        projections=tuple((eps, johnson_lindenstrauss_dimension(size, eps)) for eps in DISTORTIONS),
    )


def capacity(dimension: int, coherence: float) -> Capacity:
    """How many vectors of a random code in d dimensions keep to coherence ε in (0, 1): its median, and surely."""
    logarithms = log_capacity(dimension, coherence), log_capacity_lower(dimension, coherence)
    return Capacity(coherence, *(value / math.log(10.0) for value in logarithms))


def _extreme(quantile: Callable[[int, int, float], float], mean: float, size: int, dimension: int) -> Extreme:
    q05, median, q95 = (quantile(size, dimension, share) for share in (0.05, 0.5, 0.95))
    return Extreme(q05, median, q95, mean)


def _angle(cosine: float) -> float:
    return math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
