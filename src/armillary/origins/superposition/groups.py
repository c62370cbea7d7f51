"""Features that never, always or independently occur together, and which of them come to share a direction.

Five hundred features in a hundred dimensions by default, in sets of five. In a *never* set at most one feature is
active at a time, in an *always* set all or none, in an *independent* set each by itself; every single feature is
active with the same probability p, so that only the company it keeps differs.

How many dimensions there are decides. The second moment of an always set is p(I/12 + 11ᵀ/4): its sum carries 4p/3,
each of the four ways to differ p/12, a quarter of the p/3 of a feature by itself. Where room is short the sum is what
is stored, and the set shares one direction; with room its features part, and those that never meet still share.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.answer import Listing
from armillary.errors import UsageError, check_range
from armillary.origins.superposition.measures import cosines, dimensionality
from armillary.origins.superposition.toy import MOST_FEATURES, ToyModels, train

FEATURES, DIMENSIONS, SET = 500, 100, 5
KINDS = ("never", "always", "independent")
SHARED = 0.5  # |cosine| from which two features share a direction


@dataclass(frozen=True)
class Company:
    """Pairs of one set of one kind: their mean cosine, mean |cosine|, and the share with |cosine| ≥ ½."""

    kind: str
    pairs: int
    mean_cosine: float
    mean_absolute: float
    shared: float
    dimensionality: float


@dataclass(frozen=True, eq=False, repr=False)
class Groups(Listing):
    """What the company of features does to their directions; the last row is pairs of different sets, the null."""

    companies: tuple[Company, ...]
    models: ToyModels
    kinds: np.ndarray  # (n,) index into KINDS
    sets: np.ndarray  # (n,)

    @property
    def title(self) -> str:
        return self.models.title

    @property
    def notes(self) -> list[str]:
        never, always = (c.mean_absolute for c in self.companies[:2])
        more = "more" if never > always else "less"
        return [
            f"Features that never occur together share directions {more} than those that always do: mean |cosine| "
            f"{never:.3f} and {always:.3f}.",
            f"Shared: the share of pairs with |cosine| of {SHARED} or more.",
            *self.models.notes[:-1],
        ]

    def columns(self) -> dict[str, list[Any]]:
        rows = self.companies
        return {
            "together": [c.kind for c in rows],
            "pairs": [c.pairs for c in rows],
            "mean_cosine": [c.mean_cosine for c in rows],
            "mean_absolute_cosine": [c.mean_absolute for c in rows],
            "shared": [c.shared for c in rows],
            "D": [c.dimensionality for c in rows],
        }

    def to_dict(self) -> dict[str, Any]:
        return {**self.columns(), "models": self.models.to_dict()}


def groups(
    features: int = FEATURES,
    dimensions: int = DIMENSIONS,
    probability: float = 0.05,
    steps: int = 2000,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Groups:
    """Train one model on sets of five features of three kinds, and measure which share a direction (Elhage 2022).

    UsageError unless there is a set of each kind, and p ≤ 1/5: of five that never meet none is active more often.
    """
    check_range("features", features, SET * len(KINDS), MOST_FEATURES)
    if not 0 < probability <= 1 / SET:
        raise UsageError(f"expected a probability above 0 and up to {1 / SET:g}, found {probability:g}")
    sets = np.arange(features) // SET
    kinds = sets % len(KINDS)
    law = _Law(sets, kinds, probability)
    models = train(
        features, dimensions, (probability,), instances=1, steps=steps, seed=seed, progress=progress, draw=law.draw
    )
    return Groups(_companies(models.weights[0], kinds, sets), models, kinds, sets)


class _Law:
    """The law of co-occurrence: draws batches in which every feature is active with the same probability."""

    def __init__(self, sets: np.ndarray, kinds: np.ndarray, probability: float, batch: int = 512) -> None:
        import torch

        self.sets, self.kinds = torch.from_numpy(sets), torch.from_numpy(kinds)
        self.slot = torch.arange(len(sets)) % SET
        self.probability, self.batch, self.count = probability, batch, int(sets.max()) + 1

    def draw(self, _: int, generator: Any) -> Any:
        import torch

        n, p = len(self.sets), self.probability
        by_set = torch.rand(self.batch, self.count, generator=generator)[:, self.sets]  # one draw a set
        by_feature = torch.rand(self.batch, n, generator=generator)
        never = (by_set >= p * self.slot) & (by_set < p * (self.slot + 1))  # disjoint intervals: at most one
        active = torch.where(self.kinds == 0, never, torch.where(self.kinds == 1, by_set < p, by_feature < p))
        return (torch.rand(self.batch, n, generator=generator) * active)[None]


def _companies(weights: np.ndarray, kinds: np.ndarray, sets: np.ndarray) -> tuple[Company, ...]:
    table = cosines(weights)
    shares = dimensionality(weights)
    first, second = np.triu_indices(len(sets), 1)
    inside = sets[first] == sets[second]
    found = []
    for index, kind in enumerate((*KINDS, "different sets")):
        chosen = inside & (kinds[first] == index) if index < len(KINDS) else ~inside
        values = table[first[chosen], second[chosen]]
        own = shares[kinds == index] if index < len(KINDS) else shares
        absolute = np.abs(values)
        found.append(
            Company(
                kind,
                len(values),
                float(values.mean()),
                float(absolute.mean()),
                float((absolute >= SHARED).mean()),
                float(own.mean()),
            )
        )
    return tuple(found)
