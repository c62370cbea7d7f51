"""A relation of many pairs: 3CosAdd, 3CosMul, PairDistance, 3CosAvg and LRCos side by side, ranks in every convention.

Each pair (x, y) is asked in turn: from x alone, find y. 3CosAdd, 3CosMul and PairDistance use every other pair as
the example; 3CosAvg the mean difference of the other pairs; LRCos the class of the y's, learned on the other pairs
against the x's, times the cosine to x (Drozd, Gladkova & Matsuoka 2016). All from one table of exact cosines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.answer import Answer
from armillary.errors import UsageError
from armillary.table import Table
from armillary.words.cosines import cosines_to, rank_of
from armillary.words.logistic import logistic_weights
from armillary.words.scores import pair_distance, three_cos_add, three_cos_mul
from armillary.words.variants import variants_of
from armillary.words.word import try_single_id

MOST_PAIRS = 60
RELATION_METHODS = ("baseline", "3CosAdd", "3CosMul", "PairDistance", "3CosAvg", "LRCos")


@dataclass(frozen=True)
class MethodScore:
    """How often a method puts the answer first, over its questions: nothing removed, inputs removed, and inputs with
    their case and space variants removed; `mrr` is the mean reciprocal rank with the inputs removed."""

    method: str
    questions: int
    kept: float
    removed: float
    variants_removed: float
    mrr: float


@dataclass(frozen=True, repr=False)
class Relation(Answer):
    """A relation measured. `covered` of `pairs` are single tokens on both sides; accuracies over all pairs count the
    rest as wrong: multiply by covered/pairs. `null`: share at first of 1,000 questions whose answer is another pair's."""

    name: str
    pairs: int
    covered: int
    scores: tuple[MethodScore, ...]
    null: float
    null_draws: int

    def __str__(self) -> str:
        return f"{self.name}, {self.covered} of {self.pairs} pairs, first with inputs removed: " + ", ".join(
            f"{s.method} {s.removed:.0%}" for s in self.scores
        )

    def to_dict(self) -> dict[str, Any]:
        return {**self.__dict__, "scores": [s.__dict__ for s in self.scores]}


def relation(table: Table, name: str, pairs: Sequence[tuple[str, str]], examples: int = 5, seed: int = 0) -> Relation:
    """Every method on one relation; `examples` other pairs serve each pair-by-pair question.

    UsageError if fewer than three pairs are single tokens on both sides.
    """
    ids = list(dict.fromkeys(_single_pairs(table, pairs)))[:MOST_PAIRS]
    if len(ids) < 3:
        raise UsageError(f"expected at least 3 pairs of single tokens for {name!r}, found {len(ids)} of {len(pairs)}")
    x, y = (np.array(side) for side in zip(*ids, strict=True))
    cosines = cosines_to(table, table.rows(np.concatenate([x, y])))
    race = _Race(table, cosines, x, y)
    averages, lrcos = race.averages(), race.lrcos()
    rng = np.random.default_rng(seed)
    ranks: dict[str, list[tuple[int, int, int]]] = {m: [] for m in RELATION_METHODS}
    shuffled: list[int] = []
    for i in range(len(x)):
        others = np.delete(np.arange(len(x)), i)
        ranks["baseline"].append(race.ranks(race.to_x(i), i, [i]))
        ranks["3CosAvg"].append(race.ranks(averages[i], i, [i]))
        ranks["LRCos"].append(race.ranks(lrcos[i], i, [i]))
        for j in rng.permutation(others)[:examples]:
            add = race.three_cos_add(i, j)
            ranks["3CosAdd"].append(race.ranks(add, i, [i, j], both=j))
            ranks["3CosMul"].append(race.ranks(race.three_cos_mul(i, j), i, [i, j], both=j))
            ranks["PairDistance"].append(race.ranks(race.pair_distance(i, j), i, [i, j], both=j))
            wrong = rng.permutation(np.setdiff1d(others, [j]))[: max(1, 1_000 // (len(x) * examples) + 1)]
            shuffled += [race.ranks(add, w, [i, j], both=j)[1] for w in wrong]
    scores = tuple(_method_score(m, r) for m, r in ranks.items())
    shuffled = shuffled[:1_000]
    return Relation(name, len(pairs), len(ids), scores, float(np.mean(np.array(shuffled) == 1)), len(shuffled))


class _Race:
    """The cosines of all words of a relation to every row, and the scores made of them. x_i is row i, y_i row n + i."""

    def __init__(self, table: Table, cosines: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
        self.y, self.n = y, len(x)
        self.ids = np.concatenate([x, y])
        self.lost = ~np.isfinite(cosines).all(axis=0)
        self.cosines = np.where(self.lost, 0.0, cosines)
        self.among = self.cosines[:, self.ids]
        self.variants = [variants_of(table, [i]) for i in self.ids.tolist()]

    def to_x(self, i: int) -> np.ndarray:
        return self.cosines[i].copy()

    def three_cos_add(self, i: int, j: int) -> np.ndarray:
        rows = [i, j, self.n + j]
        return three_cos_add(self.cosines[rows], np.array([1.0, -1.0, 1.0]), self.among[np.ix_(rows, rows)])

    def three_cos_mul(self, i: int, j: int) -> np.ndarray:
        return three_cos_mul(self.cosines[[i, j, self.n + j]], np.array([1.0, -1.0, 1.0]))

    def pair_distance(self, i: int, j: int) -> np.ndarray:
        a, b, c = j, self.n + j, i
        among = self.among
        to = self.cosines
        return pair_distance(to[a], to[b], to[c], among[a, b], among[a, c], among[b, c])

    def averages(self) -> np.ndarray:
        """(n, V): cosine to x_i plus the mean difference of the other pairs, for every i in one product."""
        n, m = self.n, self.n - 1
        weights = np.concatenate([np.eye(n) * (1 + 1 / m) - 1 / m, (1 - np.eye(n)) / m], axis=1)  # (n, 2n)
        lengths = np.sqrt(np.einsum("ip,pq,iq->i", weights, self.among, weights))
        return (weights / lengths[:, None]) @ self.cosines

    def lrcos(self) -> np.ndarray:
        """(n, V): P(x is a y) · cos(x, x_i), the class learned on the other pairs, for every i in one product."""
        weights, biases = np.zeros((self.n, 2 * self.n)), np.zeros((self.n, 1))
        for i in range(self.n):
            others = np.delete(np.arange(self.n), i)
            rows = np.concatenate([others, self.n + others])
            labels = np.repeat([0.0, 1.0], len(others))
            weights[i, rows], biases[i, 0] = logistic_weights(self.among[np.ix_(rows, rows)], labels)
        return self.cosines[: self.n] / (1 + np.exp(-np.clip(weights @ self.cosines + biases, -35, 35)))

    def ranks(
        self, values: np.ndarray, goal: int, inputs: Sequence[int], both: int | None = None
    ) -> tuple[int, int, int]:
        """Rank of y_goal: nothing removed, the inputs removed, the inputs and their variants removed."""
        values[self.lost] = -np.inf
        id = int(self.y[goal])
        places = list(inputs) + ([self.n + both] if both is not None else [])
        removed = {int(self.ids[p]) for p in places}
        variants = set[int]().union(*(self.variants[p] for p in places)) - removed
        kept = rank_of(values, id)
        fewer = kept - _ahead(values, id, removed)
        return kept, fewer, fewer - _ahead(values, id, variants)


def _ahead(values: np.ndarray, id: int, others: set[int]) -> int:
    """How many of the others stand before a row."""
    own = values[id]
    return sum(bool(values[i] > own or (values[i] == own and i < id)) for i in others)


def _method_score(method: str, ranks: list[tuple[int, int, int]]) -> MethodScore:
    table = np.array(ranks)
    kept, removed, variants = ((table == 1).mean(axis=0)).tolist()
    return MethodScore(method, len(table), kept, removed, variants, float((1 / table[:, 1]).mean()))


def _single_pairs(table: Table, pairs: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    found = []
    for a, b in pairs:
        x, y = try_single_id(table, a), try_single_id(table, b)
        if x is not None and y is not None and x != y:
            found.append((x, y))
    return found
