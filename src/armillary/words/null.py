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
from armillary.words.cosines import quick_cosines, usable_rows
from armillary.words.lists import LANGUAGES, shipped
from armillary.words.word import try_single_id

DRAWS = 1_000
DEEPEST_RANK = 1_000
HELD_BYTES = 256 << 20  # cosines held at a time: each pass over the table serves as many bases as these hold
GROUP = 512  # rows whose largest cosine is looked at first


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
    known = _with_directions(table, [(x, y) for x, y in both if x is not None and y is not None])
    if len(known) >= 3:
        bases, goals = _shuffled(known, found, draws, rng)
        how = f"a base and an answer from different pairs of the relation ({name})"
    else:
        bases, goals = _random_bases(table, draws, rng), None
        how = f"a random row with its neighbour number {found.ranks.baseline:,}"
    ranks = _null_ranks(table, found, bases, goals)
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


def _with_directions(table: Table, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    keep, _ = usable_rows(table, np.array(pairs, np.int64).reshape(-1))
    return [pair for pair, usable in zip(pairs, keep.reshape(-1, 2).all(axis=1), strict=True) if usable]


def _random_bases(table: Table, draws: int, rng: np.random.Generator) -> np.ndarray:
    ids = rng.choice(len(table), min(draws, len(table)), replace=False)
    keep, _ = usable_rows(table, ids)
    return ids[keep]


def _null_ranks(table: Table, found: Analogy, bases: np.ndarray, goals: np.ndarray | None) -> np.ndarray:
    """Rank of each draw's goal under base + template, the template's words and the base removed.

    Without `goals`: the base's neighbour of the rank that the true answer has near its own base. The scores of a base
    are its cosines plus those of the template, so one product serves both its neighbours and its ranks.
    """
    factor, template, removed = _template(found)
    shift = quick_cosines(table, template[None], -np.inf)[0]
    distinct, where = np.unique(bases, return_inverse=True)
    ranks = np.empty(len(bases), np.int64)
    step = max(1, HELD_BYTES // (4 * len(table)))
    for start in range(0, len(distinct), step):
        part = distinct[start : start + step]
        for j, near in enumerate(quick_cosines(table, usable_rows(table, part)[1], -np.inf), start):
            draws = np.flatnonzero(where == j)
            near[distinct[j]] = -np.inf
            asked = goals[draws] if goals is not None else [_neighbour(near, found.ranks.baseline)]
            scores = np.where(np.isfinite(near), factor * near + shift, -np.inf)
            scores[removed] = -np.inf
            ranks[draws] = [1 + int((scores > scores[goal]).sum()) for goal in asked]
    return ranks


def _template(found: Analogy) -> tuple[np.float32, np.ndarray, list[int]]:
    """The base's coefficient, the sum of the other words' unit rows with theirs, and the ids of those words."""
    factor, template = 1.0, np.zeros(len(found.words[0].vector))
    for word, (text, coefficient) in zip(found.words, found.expression.terms, strict=True):
        if text == found.expression.base:
            factor = coefficient
        else:
            template += coefficient * word.unit
    removed = [i for w in found.words if w.text != found.expression.base for i in w.ids]
    return np.float32(factor), template.astype(np.float32), removed


def _neighbour(near: np.ndarray, rank: int) -> int:
    """The id whose cosine is the rank-th largest (1,000th at most); found among groups of rows by their largest."""
    rank = min(rank, DEEPEST_RANK, int(np.isfinite(near).sum()))
    groups = np.maximum.reduceat(near, np.arange(0, len(near), GROUP))
    if rank <= len(groups):  # at least `rank` rows reach the rank-th largest of the groups' maxima
        ids = np.flatnonzero(near >= np.partition(groups, len(groups) - rank)[len(groups) - rank])
    else:
        ids = np.arange(len(near))
    return int(ids[np.lexsort((ids, -near[ids]))[rank - 1]])
