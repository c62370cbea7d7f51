"""What a change of the table did to a score: both measured on the same pairs, with an interval of the difference.

Two intervals that overlap say little about a difference; the pairs are the same before and after, so they are drawn
together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from armillary.errors import ArmillaryError
from armillary.table import Table
from armillary.words.evaluation import mean_ranks, mean_vectors, spearman

DRAWS = 1_000
Verdict = Literal["better", "worse", "no difference shown"]


@dataclass(frozen=True)
class Difference:
    """A score before and after on `n` items, and the 95 % bootstrap interval of after − before; higher is better."""

    name: str
    what: str
    before: float
    after: float
    low: float
    high: float
    n: int

    @property
    def verdict(self) -> Verdict:
        """Better or worse where the interval leaves out 0."""
        return "better" if self.low > 0 else "worse" if self.high < 0 else "no difference shown"

    def to_dict(self) -> dict[str, Any]:
        return {**self.__dict__, "difference": self.after - self.before, "verdict": self.verdict}


def similarity_difference(
    before: Table, after: Table, name: str, pairs: Sequence[tuple[str, str, float]], seed: int = 0
) -> Difference | None:
    """Spearman with people's scores on the pairs that both tables cover; None for fewer than ten, or less than half."""
    words = {word for a, b, _ in pairs for word in (a, b)}
    one, other = mean_vectors(before, words)[0], mean_vectors(after, words)[0]
    both = one.keys() & other.keys()
    known = [(a, b, score) for a, b, score in pairs if a in both and b in both]
    if len(known) < max(10, len(pairs) / 2):
        return None
    x, y = (np.array([vectors[a] @ vectors[b] for a, b, _ in known]) for vectors in (one, other))
    scores = np.array([score for _, _, score in known])
    low, high = _interval(x, y, scores, seed)
    return Difference(name, "Spearman", spearman(x, scores), spearman(y, scores), low, high, len(known))


def mean_difference(name: str, what: str, before: np.ndarray, after: np.ndarray, seed: int = 0) -> Difference:
    """The mean of a score by query before and after, with the interval over queries."""
    at = np.random.default_rng(seed).integers(0, len(before), (DRAWS, len(before)))
    low, high = np.quantile((after - before)[at].mean(axis=1), [0.025, 0.975])
    return Difference(name, what, float(before.mean()), float(after.mean()), float(low), float(high), len(before))


def similarity_sets() -> dict[str, list[tuple[str, str, float]]]:
    """The similarity sets of the data set `evaluation`, words lower-cased; empty where it is not fetched."""
    from armillary.catalog import data_path
    from armillary.words.evaluation_sets import SETS, read_similarity

    found: dict[str, list[tuple[str, str, float]]] = {}
    for known in SETS:
        if known.kind != "similarity":
            continue
        try:
            pairs = read_similarity(data_path(f"evaluation/{known.file}"))
        except ArmillaryError:  # not fetched
            continue
        found[known.name] = [(a, b, s) for a, b, s in pairs]
        if known.language == "en":
            found[known.name] = [(a.lower(), b.lower(), s) for a, b, s in pairs]
    return found


def similarity_differences(before: Table, after: Table, seed: int = 0) -> list[Difference]:
    """Every set of which the tables cover ten pairs and half or more."""
    found = (similarity_difference(before, after, name, pairs, seed) for name, pairs in similarity_sets().items())
    return [difference for difference in found if difference is not None]


def _interval(x: np.ndarray, y: np.ndarray, scores: np.ndarray, seed: int) -> tuple[float, float]:
    rng, found = np.random.default_rng(seed), []
    for _ in range(DRAWS // 100):
        at = rng.integers(0, len(x), (100, len(x)))
        people = mean_ranks(scores[at])
        found.append(_correlation(mean_ranks(y[at]), people) - _correlation(mean_ranks(x[at]), people))
    low, high = np.nanquantile(np.concatenate(found), [0.025, 0.975])
    return float(low), float(high)


def _correlation(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.vecdot(a, b) / np.sqrt(np.vecdot(a, a) * np.vecdot(b, b))
