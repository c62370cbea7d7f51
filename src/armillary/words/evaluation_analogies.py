"""Whole sets of analogies by batched products, with the rank of every answer in every convention.

Each question asks for the rank of its answer among all rows. Ranks need only counts: how many rows score higher.
They are counted on float32 products; rows that lie within the proved error of the answer's score are counted again in
float64, so that the ranks are those of the naive loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.errors import UsageError
from armillary.table import Table
from armillary.words.evaluation_sets import Question
from armillary.words.variants import variants_of
from armillary.words.word import try_single_id

BLOCK_ROWS = 8_192
BLOCK_QUESTIONS = 2_048
CHUNK = 1 << 15
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class RelationScore:
    """Answers that come first, as shares of the covered questions: nothing removed, inputs removed, inputs and their
    variants removed, and the base word's own neighbours (the baseline); `mrr`: mean reciprocal rank, inputs removed."""

    name: str
    questions: int
    covered: int
    kept: float
    removed: float
    variants_removed: float
    baseline: float
    mrr: float

    @property
    def of_all(self) -> float:
        """Share first with the inputs removed, the questions not covered counted as wrong."""
        return self.removed * self.covered / self.questions

    def to_dict(self) -> dict[str, Any]:
        return {**self.__dict__, "of_all": self.of_all}


@dataclass(frozen=True, eq=False)
class AnalogyScore:
    """A set of analogies scored; `ranks` (q, 4) of the covered questions: kept, removed, variants removed, baseline."""

    name: str
    total: RelationScore
    relations: tuple[RelationScore, ...]
    rows: int
    ranks: np.ndarray

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "rows": self.rows,
            "total": self.total.to_dict(),
            "relations": [r.to_dict() for r in self.relations],
        }


def evaluate_analogies(
    table: Table,
    name: str,
    relations: Mapping[str, Sequence[Question]],
    rows: int | None = None,
    progress: Progress | None = None,
) -> AnalogyScore:
    """3CosAdd on every question whose four words are single tokens, over the first `rows` rows (default all).

    UsageError if no question is covered.
    """
    rows = min(rows or len(table), len(table))
    ids, owner = _covered(table, relations, rows)
    if not len(ids):
        raise UsageError(f"expected questions of {name} whose words are single tokens of this table, found none")
    ranks = analogy_ranks(table, ids, rows, progress)
    scores = tuple(
        _score(relation, len(questions), ranks[owner == r]) for r, (relation, questions) in enumerate(relations.items())
    )
    total = _score("total", sum(map(len, relations.values())), ranks)
    return AnalogyScore(name, total, scores, rows, ranks)


def analogy_ranks(
    table: Table, ids: np.ndarray, rows: int | None = None, progress: Progress | None = None
) -> np.ndarray:
    """(q, 4) ranks of d for questions (a, b, c, d) of ids: kept, inputs removed, variants removed, near c alone."""
    rows = rows or len(table)
    distinct, where = np.unique(ids, return_inverse=True)
    unit = _unit(table.rows(distinct))[where.reshape(ids.shape)]  # (q, 4, d)
    a, b, c, d = (unit[:, i] for i in range(4))
    target = b - a + c
    target /= np.maximum(np.linalg.norm(target, axis=1, keepdims=True), 1e-300)
    add = _Counter(table, target, ids[:, 3], d)
    asked, first_asked, which = np.unique(ids[:, 2:], axis=0, return_index=True, return_inverse=True)
    only = _Counter(table, c[first_asked], asked[:, 1], d[first_asked])  # many questions share a base and an answer
    _count(table, rows, (add, only), progress)
    removed = [set(q[:3]) - {q[3]} for q in ids.tolist()]
    variants = {i: variants_of(table, [i]) for i in distinct.tolist()}
    wider = [r | (set().union(*(variants[i] for i in r)) - {q[3]}) for r, q in zip(removed, ids.tolist(), strict=True)]
    kept = add.ranks()
    own = [{c} - {d} for c, d in asked.tolist()]
    baseline = (only.ranks() - only.ahead(own, rows))[which.ravel()]
    return np.stack([kept, kept - add.ahead(removed, rows), kept - add.ahead(wider, rows), baseline], axis=1)


class _Counter:
    """How many rows score above each question's answer. `goal` (q): the answer's float64 score."""

    def __init__(self, table: Table, target: np.ndarray, ids: np.ndarray, answers: np.ndarray) -> None:
        self.table, self.target, self.ids = table, target, ids
        self.goal = np.einsum("qd,qd->q", target, answers)
        self.above = np.zeros(len(ids), np.int64)
        self.target32 = target.astype(np.float32)
        error = (target.shape[1] + 4) * 2.0**-24  # of a float32 product of unit vectors, in any order of summation
        self.high = (self.goal + error).astype(np.float32)
        self.low = (self.goal - error).astype(np.float32)

    def count(self, start: int, block: np.ndarray, unit32: np.ndarray) -> None:
        """Add the rows of one block."""
        from armillary.words.counting import count_above

        for q in range(0, len(self.ids), BLOCK_QUESTIONS):
            part = slice(q, q + BLOCK_QUESTIONS)
            scores = self.target32[part] @ unit32.T
            surely, perhaps = np.empty((2, len(scores)), np.int64)
            count_above(scores, self.high[part], self.low[part], surely, perhaps)
            self.above[part] += surely
            close = np.flatnonzero(perhaps > surely)
            which, row = np.nonzero(
                (scores[close] >= self.low[part][close, None]) & ~(scores[close] > self.high[part][close, None])
            )
            self._settle(q + close[which], start + row, block[row])

    def _settle(self, questions: np.ndarray, ids: np.ndarray, rows: np.ndarray) -> None:
        np.add.at(self.above, questions, self._ahead(questions, ids, rows))

    def _ahead(self, questions: np.ndarray, ids: np.ndarray, rows: np.ndarray) -> np.ndarray:
        ahead = np.empty(len(ids), bool)
        for s in range(0, len(ids), CHUNK):
            part = slice(s, s + CHUNK)
            score = np.einsum("qd,qd->q", self.target[questions[part]], _unit(rows[part]))
            goal = self.goal[questions[part]]
            ahead[part] = (score > goal) | ((score == goal) & (ids[part] < self.ids[questions[part]]))
        return ahead

    def ranks(self) -> np.ndarray:
        return self.above + 1

    def ahead(self, sets: Sequence[set[int]], rows: int) -> np.ndarray:
        """How many of each question's own set of rows stand before its answer."""
        pairs = np.array([(q, i) for q, ids in enumerate(sets) for i in sorted(ids) if i < rows], np.int64)
        counts = np.zeros(len(sets), np.int64)
        for s in range(0, len(pairs), CHUNK):
            questions, ids = pairs[s : s + CHUNK].T
            np.add.at(counts, questions, self._ahead(questions, ids, self.table.rows(ids)))
        return counts


def _count(table: Table, rows: int, counters: Sequence[_Counter], progress: Progress | None) -> None:
    for start in range(0, rows, BLOCK_ROWS):
        block = table.vectors.block(start, min(start + BLOCK_ROWS, rows))
        unit32 = np.nan_to_num(_unit(block), nan=0.0).astype(np.float32)
        lost = ~unit32.any(axis=1)
        unit32[lost] = np.nan  # a row without a direction is in no race
        for counter in counters:
            counter.count(start, block, unit32)
        if progress:
            progress(start + len(block), rows)


def _unit(rows: np.ndarray) -> np.ndarray:
    rows = rows.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        return rows / np.sqrt(np.einsum("nd,nd->n", rows, rows))[:, None]


def _covered(table: Table, relations: Mapping[str, Sequence[Question]], rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Ids (q, 4) of the covered questions and the number of the relation of each."""
    known: dict[str, int | None] = {}
    ids, owner = [], []
    for r, questions in enumerate(relations.values()):
        for question in questions:
            for word in question:
                if word not in known:
                    known[word] = try_single_id(table, word)
            found = [known[word] for word in question]
            if all(i is not None and i < rows for i in found):
                ids.append(found)
                owner.append(r)
    return np.array(ids, np.int64).reshape(-1, 4), np.array(owner, np.int64)


def _score(name: str, questions: int, ranks: np.ndarray) -> RelationScore:
    if not len(ranks):
        return RelationScore(name, questions, 0, *(float("nan"),) * 5)
    kept, removed, variants, baseline = ((ranks == 1).mean(axis=0)).tolist()
    mrr = float((1 / ranks[:, 1]).mean())
    return RelationScore(name, questions, len(ranks), kept, removed, variants, baseline, mrr)
