"""Chance for one analogy: how often the same arithmetic lifts an answer that it should not know.

The template x ↦ x + (rest of the expression) is kept, and the base word with its answer is drawn anew: from shuffled
pairs of the same relation where one of the ready sets (or the user's) holds it, so that the answer is of the right
kind but belongs to another word; else a random row and its neighbour of the same rank that the true answer has near
the base, which asks whether the lift is more than nearness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.errors import UsageError
from armillary.table import Table
from armillary.words.analogy import Analogy
from armillary.words.cosines import usable_rows
from armillary.words.lists import LANGUAGES, shipped
from armillary.words.word import try_single_id

DRAWS = 1_000
NEIGHBOUR_DRAWS = 200
DEEPEST_RANK = 1_000


@dataclass(frozen=True)
class ChanceOfRank:
    """`as_good`: draws whose answer ranks as high as the true one or higher; p = (1 + as_good)/(1 + draws)."""

    draws: int
    at_first: int
    as_good: int
    p: float
    how: str

    @property
    def sentence(self) -> str:
        return f"Chance: {self.how} lifts its answer to first place in {self.at_first:,} of {self.draws:,} draws."

    def to_dict(self) -> dict[str, Any]:
        return {**self.__dict__, "sentence": self.sentence}


def chance(
    table: Table, found: Analogy, pairs: Sequence[tuple[str, str]] | None = None, draws: int = DRAWS, seed: int = 0
) -> ChanceOfRank:
    """The null of a 3CosAdd analogy; `pairs` are the relation's, by default the ready set that holds the question.

    Ranks in the null are by float32 products, with the template's words and the base drawn taken out of the race.
    """
    rng = np.random.default_rng(seed)
    name, relation = ("the given pairs", list(pairs)) if pairs else relation_of(found)
    both = ((try_single_id(table, a), try_single_id(table, b)) for a, b in relation)
    known = [(x, y) for x, y in both if x is not None and y is not None]
    if len(known) >= 3:
        bases, goals = _shuffled(known, found, draws, rng)
        how = f"a base and an answer from different pairs of the relation ({name})"
    else:
        bases, goals = _neighbours(table, found.ranks.baseline, min(draws, NEIGHBOUR_DRAWS), rng)
        how = f"a random row with its neighbour number {found.ranks.baseline:,}"
    ranks = _template_ranks(table, found, bases, goals)
    good = int((ranks <= found.ranks.removed).sum())
    return ChanceOfRank(len(ranks), int((ranks == 1).sum()), good, (1 + good) / (1 + len(ranks)), how)


def relation_of(found: Analogy) -> tuple[str, list[tuple[str, str]]]:
    """The ready set that holds the template's pair, turned so that its first side is the base's; else nothing."""
    rest = [(w, c) for w, c in found.expression.terms if w != found.expression.base]
    if sorted(c for _, c in rest) != [-1.0, 1.0]:
        return "", []
    source = next(w for w, c in rest if c < 0)
    target = next(w for w, c in rest if c > 0)
    for language in LANGUAGES:
        for section in shipped("sets", language):
            if (source, target) in section.lines:
                return section.name, list(section.pairs)
            if (target, source) in section.lines:
                return section.name, [(b, a) for a, b in section.pairs]
    return "", []


def _shuffled(known: list, found: Analogy, draws: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Base and answer from different pairs, neither of them the question's own words."""
    used = {i for w in found.words for i in w.ids}
    bases, goals = [], []
    for _ in range(20 * draws):
        i, j = rng.integers(0, len(known), 2)
        base, goal = known[i][0], known[j][1]
        if i != j and base not in used and goal not in used and base != goal:
            bases.append(base)
            goals.append(goal)
        if len(bases) == draws:
            break
    if not bases:
        raise UsageError("expected a relation of at least two pairs besides the question, found none for the null")
    return np.array(bases), np.array(goals)


def _neighbours(table: Table, rank: int, draws: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    ids = rng.choice(len(table), min(draws, len(table)), replace=False)
    keep, _ = usable_rows(table, ids)
    bases = ids[keep]
    rank = min(rank, DEEPEST_RANK, len(table) - 1)
    goals = np.empty(len(bases), np.int64)
    for start in range(0, len(bases), 50):
        part = bases[start : start + 50]
        scores = _products(table, _unit(table, part))
        scores[np.arange(len(part)), part] = -np.inf
        goals[start : start + 50] = np.argpartition(-scores, rank - 1, axis=1)[:, rank - 1]
    return bases, goals


def _template_ranks(table: Table, found: Analogy, bases: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """Rank of each goal under base + template, template words and base removed."""
    template = np.zeros(table.shape[1])
    factor = 1.0
    for word, (text, coefficient) in zip(found.words, found.expression.terms, strict=True):
        if text == found.expression.base:
            factor = coefficient
        else:
            template += coefficient * word.unit
    removed = [i for w in found.words if w.text != found.expression.base for i in w.ids]
    distinct, where = np.unique(bases, return_inverse=True)
    ranks = np.empty(len(bases), np.int64)
    for start in range(0, len(distinct), 50):
        part = distinct[start : start + 50]
        scores = _products(table, (factor * _unit(table, part) + template).astype(np.float32))
        scores[:, removed] = -np.inf
        scores[np.arange(len(part)), part] = -np.inf
        for draw in np.flatnonzero((where >= start) & (where < start + len(part))):
            own = scores[where[draw] - start]
            ranks[draw] = 1 + int((own > own[goals[draw]]).sum())
    return ranks


def _unit(table: Table, ids: np.ndarray) -> np.ndarray:
    rows = table.rows(ids).astype(np.float64)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def _products(table: Table, targets: np.ndarray) -> np.ndarray:
    """targets · unit rows, float32; −inf where a row has no direction."""
    scores = np.empty((len(targets), len(table)), np.float32)
    for start, block in table.blocks():
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            values = targets @ block.T / np.sqrt(np.einsum("nd,nd->n", block, block))
        scores[:, start : start + len(block)] = np.where(np.isfinite(values), values, -np.inf)
    return scores
