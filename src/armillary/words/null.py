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

from armillary.answer import number
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
    """`as_good`: draws whose answer ranks as high as the true one, number `rank` without the inputs, or higher.

    p = (1 + as_good)/(1 + draws), uniform where the answer has nothing to do with the question; None for an answer that
    was taken because it came first, which no chance could rank lower.
    """

    draws: int
    at_first: int
    as_good: int
    rank: int
    p: float | None
    how: str

    @property
    def sentence(self) -> str:
        first = f"Chance: {self.how} lifts its answer to first place in {self.at_first:,} of {self.draws:,} draws"
        if self.p is None:
            return f"{first}."
        wider = f", to number {self.rank:,} or better in {self.as_good:,}" if self.rank > 1 else ""
        return f"{first}{wider} (p = {number(self.p)})."

    def to_dict(self) -> dict[str, Any]:
        return {**self.__dict__, "sentence": self.sentence}


def chance(
    table: Table, found: Analogy, pairs: Sequence[tuple[str, str]] | None = None, draws: int = DRAWS, seed: int = 0
) -> ChanceOfRank:
    """The null of a 3CosAdd analogy; `pairs` are the relation's, by default the ready set that holds the question.

    Ranks in the null are by float32 products, with the template's words and the base drawn taken out of the race.
    """
    rng = np.random.default_rng(seed)
    own = found.expression.base
    name, relation, base = ("the given pairs", list(pairs), own) if pairs else relation_of(found)
    both = ((try_single_id(table, a), try_single_id(table, b)) for a, b in relation)
    known = _with_directions(table, [(x, y) for x, y in both if x is not None and y is not None])
    if len(known) >= 3:
        bases, goals = _shuffled(known, found, draws, rng)
        how = f"a base and an answer from different pairs of the relation ({name})"
    else:
        bases, goals, base = _random_bases(table, draws, rng), None, own
        how = f"a random row with its neighbour number {found.ranks.baseline:,}"
    ranks = _null_ranks(table, found, base, bases, goals)
    good = int((ranks <= found.ranks.removed).sum())
    p = (1 + good) / (1 + len(ranks)) if found.asked else None
    return ChanceOfRank(len(ranks), int((ranks == 1).sum()), good, found.ranks.removed, p, how)


def relation_of(found: Analogy) -> tuple[str, list[tuple[str, str]], str]:
    """(name, pairs, base) of the ready set that holds the template's pair, turned so that its first side is the base's.

    Paris − France + Japan is Paris with France made Japan, or Japan with France made Paris: each word added is tried as
    the base, and the ready sets know the second reading. Without a set the name and the pairs are empty.
    """
    added = [w for w, c in found.expression.terms if c > 0 and w != found.expression.base]
    for base in (found.expression.base, *added):
        rest = [(w, c) for w, c in found.expression.terms if w != base]
        if sorted(c for _, c in rest) == [-1.0, 1.0]:
            source, target = (next(w for w, c in rest if c * sign > 0) for sign in (-1, 1))
            name, pairs = _ready_set(source, target)
            if pairs:
                return name, pairs, base
    return "", [], found.expression.base


def _ready_set(source: str, target: str) -> tuple[str, list[tuple[str, str]]]:
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
    if not pairs:
        return []
    keep, _ = usable_rows(table, np.array(pairs, np.int64).reshape(-1))
    return [pair for pair, usable in zip(pairs, keep.reshape(-1, 2).tolist(), strict=True) if all(usable)]


def _random_bases(table: Table, draws: int, rng: np.random.Generator) -> np.ndarray:
    ids = rng.choice(len(table), min(draws, len(table)), replace=False)
    keep, _ = usable_rows(table, ids)
    return ids[keep]


def _null_ranks(table: Table, found: Analogy, base: str, bases: np.ndarray, goals: np.ndarray | None) -> np.ndarray:
    """Rank of each draw's goal under a drawn base + template, the template's words and the drawn base removed.

    Without `goals`: the drawn base's neighbour of the rank that the true answer has near its own base. The scores of a
    base are its cosines plus those of the template, so one product serves both its neighbours and its ranks.
    """
    race = _Race(table, found, base)
    distinct, where = np.unique(bases, return_inverse=True)
    ranks = np.empty(len(bases), np.int64)
    step = max(1, HELD_BYTES // (4 * len(table)))
    for start in range(0, len(distinct), step):
        for j, near in enumerate(race.cosines(distinct[start : start + step]), start):
            draws = np.flatnonzero(where == j)
            asked = goals[draws] if goals is not None else [_neighbour(near, found.ranks.baseline)]
            ranks[draws] = race.ranks(near, int(distinct[j]), asked)
        near = None  # not to be held beside the next ones
    return ranks


class _Race:
    """The template of an analogy: `factor` is the base's coefficient, `shift` (V) what the other words add to a row."""

    def __init__(self, table: Table, found: Analogy, base: str) -> None:
        self.table, self.factor = table, np.float32(1)
        self.removed: list[int] = []
        template = np.zeros(table.shape[1])
        for word, (text, coefficient) in zip(found.words, found.expression.terms, strict=True):
            if text == base:
                self.factor = np.float32(coefficient)
            else:
                template += coefficient * word.unit
                self.removed += word.ids
        self.shift = quick_cosines(table, template[None].astype(np.float32), -np.inf)[0]
        self.lost = np.flatnonzero(~np.isfinite(self.shift))

    def cosines(self, ids: np.ndarray) -> np.ndarray:
        """(m, V) cosines of rows to every row, themselves left out."""
        near = quick_cosines(self.table, usable_rows(self.table, ids)[1], -np.inf)
        near[np.arange(len(ids)), ids] = -np.inf
        return near

    def ranks(self, near: np.ndarray, base: int, goals: Sequence[int] | np.ndarray) -> list[int]:
        """Rank of each goal from one base, given its cosines to every row."""
        with np.errstate(invalid="ignore"):
            scores = self.factor * near + self.shift
        scores[self.lost] = scores[self.removed] = scores[base] = -np.inf
        return [1 + int(np.count_nonzero(scores > scores[goal])) for goal in goals]


def _neighbour(near: np.ndarray, rank: int) -> int:
    """The id whose cosine is the rank-th largest (1,000th at most); found among groups of rows by their largest."""
    rank = min(rank, DEEPEST_RANK, int(np.count_nonzero(near > -np.inf)))
    groups = np.maximum.reduceat(near, np.arange(0, len(near), GROUP))
    if rank <= len(groups):  # at least `rank` rows reach the rank-th largest of the groups' maxima
        ids = np.flatnonzero(near >= np.partition(groups, len(groups) - rank)[len(groups) - rank])
    else:
        ids = np.arange(len(near))
    return int(ids[np.lexsort((ids, -near[ids]))[rank - 1]])
