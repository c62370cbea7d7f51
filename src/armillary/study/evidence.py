"""What a change of a table did to a score: both measured on the same items, with an interval of the difference.

Two intervals that overlap say little about a difference; the items are the same before and after, so they are drawn
together, and the draws of two tables subtract.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from armillary.errors import ArmillaryError
from armillary.shapes import Float64
from armillary.study.stages import Progress, Stages, heard
from armillary.table import Table
from armillary.words.evaluation import mean_ranks, mean_vectors, spearman

DRAWS, SEED = 1_000, 0
QUESTIONS = 1_000  # analogy questions asked of every table; a seeded draw of those whose words are single tokens
LEAST = 10  # items that a score needs, and half of the set
ANALOGIES = "Google"
Verdict = Literal["better", "worse", "no difference shown"]
Question = tuple[str, str, str, str]


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


@dataclass(frozen=True, eq=False)
class Scored:
    """A score of one table on `n` items, and `draws` (t) of it over items drawn anew, the same for every table."""

    name: str
    what: str
    value: float
    draws: Float64[np.ndarray, "t"] = field(repr=False)
    n: int


@dataclass(frozen=True)
class SimilaritySet:
    """Pairs of words with people's scores; a table answers with cosines, judged by Spearman's correlation."""

    name: str
    pairs: Sequence[tuple[str, str, float]] = field(repr=False)
    what: str = "Spearman"

    def answers(self, table: Table) -> Float64[np.ndarray, "n"]:
        """The cosine of each pair, NaN where a word cannot be spelled or its rows have no direction."""
        vectors = mean_vectors(table, {word for a, b, _ in self.pairs for word in (a, b)})[0]
        known = (vectors[a] @ vectors[b] if a in vectors and b in vectors else np.nan for a, b, _ in self.pairs)
        return np.fromiter(known, np.float64, len(self.pairs))

    def scored(self, answers: Float64[np.ndarray, "n"], at: np.ndarray, seed: int) -> Scored:
        """The score of these answers over the items `at`."""
        x, people = answers[at], np.array([score for _, _, score in self.pairs])[at]
        rng, found = np.random.default_rng(seed), []
        for _ in range(DRAWS // 100):
            drawn = rng.integers(0, len(x), (100, len(x)))
            found.append(_correlation(mean_ranks(x[drawn]), mean_ranks(people[drawn])))
        return Scored(self.name, self.what, spearman(x, people), np.concatenate(found), len(x))


@dataclass(frozen=True)
class AnalogySet:
    """Questions a : b :: c : d; a table answers each with 1 where d comes first among all rows, the inputs removed."""

    name: str
    questions: Sequence[Question] = field(repr=False)
    what: str = "first places"

    def answers(self, table: Table) -> Float64[np.ndarray, "n"]:
        """1 or 0 for each question, NaN for those not asked: words that are no single token, or beyond the draw."""
        from armillary.words.evaluation_analogies import analogy_ranks
        from armillary.words.word import try_single_id

        words = {word for question in self.questions for word in question}
        ids = {word: found for word in words if (found := try_single_id(table, word)) is not None}
        covered = [i for i, question in enumerate(self.questions) if all(word in ids for word in question)]
        asked = np.sort(np.random.default_rng(SEED).permutation(covered)[:QUESTIONS]).astype(np.int64)
        found = np.full(len(self.questions), np.nan)
        if len(asked):
            ranks = analogy_ranks(table, np.array([[ids[word] for word in self.questions[i]] for i in asked]))
            found[asked] = ranks[:, 1] == 1
        return found

    def scored(self, answers: Float64[np.ndarray, "n"], at: np.ndarray, seed: int) -> Scored:
        """The share of the questions `at` that these answers put first."""
        return _mean_scored(self.name, self.what, answers[at], seed)


EvidenceSet = SimilaritySet | AnalogySet


def evidence_sets() -> list[EvidenceSet]:
    """The similarity sets of the data set `evaluation` and its Google analogies; empty where it is not fetched."""
    from armillary.catalog import data_path
    from armillary.words.evaluation_sets import SETS, read_analogies

    found: list[EvidenceSet] = [SimilaritySet(name, pairs) for name, pairs in similarity_sets().items()]
    for known in SETS:
        if known.name == ANALOGIES:
            try:
                relations = read_analogies(data_path(f"evaluation/{known.file}"))
            except ArmillaryError:  # not fetched
                continue
            found.append(AnalogySet(known.name, [q for questions in relations.values() for q in questions]))
    return found


def similarity_sets() -> dict[str, list[tuple[str, str, float]]]:
    """The similarity sets of the data set `evaluation`, English words lower-cased; empty where it is not fetched."""
    from armillary.catalog import data_path
    from armillary.words.evaluation_sets import SETS, read_similarity

    found: dict[str, list[tuple[str, str, float]]] = {}
    for known in SETS:
        if known.kind != "similarity":
            continue
        try:
            found[known.name] = read_similarity(data_path(f"evaluation/{known.file}"), known.language == "en")
        except ArmillaryError:  # not fetched
            continue
    return found


def answers_of(table: Table, sets: Sequence[EvidenceSet]) -> list[Float64[np.ndarray, "n"]]:
    """What a table answers to each set: all that the scores need, so that the table can go."""
    return [known.answers(table) for known in sets]


def scores_of(
    answers: Mapping[str, Sequence[np.ndarray]],
    sets: Sequence[EvidenceSet],
    seed: int = SEED,
    progress: Progress | None = None,
) -> dict[str, list[Scored]]:
    """Scores of tables, by their names, on the items that all of them answer: sets with ten or more, and half of all.

    Of analogies the questions asked count as all. progress(sets done, sets).
    """
    found: dict[str, list[Scored]] = {name: [] for name in answers}
    for i, known in enumerate(sets):
        if progress:
            progress(i, len(sets))
        at = np.flatnonzero(np.all([np.isfinite(own[i]) for own in answers.values()], axis=0))
        if len(at) < LEAST or (isinstance(known, SimilaritySet) and len(at) < len(known.pairs) / 2):
            continue
        for name, own in answers.items():
            found[name].append(known.scored(own[i], at, seed))
    return found


def difference(before: Scored, after: Scored) -> Difference:
    """The difference of two scores on the same items."""
    low, high = np.nanquantile(after.draws - before.draws, [0.025, 0.975])
    return Difference(after.name, after.what, before.value, after.value, float(low), float(high), after.n)


def differences(before: Table, after: Table, seed: int = SEED, progress: Progress | None = None) -> list[Difference]:
    """Every set that both tables cover: similarity, and analogies."""
    sets, stages = evidence_sets(), Stages(progress, 1, 1, 1)
    tables = {"before": before, "after": after}
    answers = {name: answers_of(heard(table, stages.next()), sets) for name, table in tables.items()}
    scores = scores_of(answers, sets, seed, stages.next())
    return [difference(a, b) for a, b in zip(scores["before"], scores["after"], strict=True)]


def mean_difference(name: str, what: str, before: np.ndarray, after: np.ndarray, seed: int = SEED) -> Difference:
    """The mean of a score by query before and after, with the interval over queries."""
    return difference(*(_mean_scored(name, what, values, seed) for values in (before, after)))


def _mean_scored(name: str, what: str, values: np.ndarray, seed: int) -> Scored:
    rng = np.random.default_rng(seed)
    draws = np.concatenate(
        [values[rng.integers(0, len(values), (100, len(values)))].mean(1) for _ in range(DRAWS // 100)]
    )
    return Scored(name, what, float(values.mean()), draws, len(values))


def _correlation(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.vecdot(a, b) / np.sqrt(np.vecdot(a, a) * np.vecdot(b, b))
