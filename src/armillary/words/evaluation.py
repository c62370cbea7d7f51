"""Word similarity: does the order of cosines agree with the order that people gave?

Spearman's correlation over the pairs a table covers, with the coverage and a bootstrap interval over pairs. A word
of several tokens is their mean throughout; how many pairs are single tokens on both sides is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.errors import UsageError
from armillary.shapes import Float64
from armillary.table import Table
from armillary.words.word import spaced_ids, try_single_id

DRAWS = 1_000


@dataclass(frozen=True)
class SimilarityScore:
    """Spearman on one set with its 95 % bootstrap interval; `covered` of `pairs`, `single` of them one token each."""

    name: str
    spearman: float
    low: float
    high: float
    pairs: int
    covered: int
    single: int

    def to_dict(self) -> dict[str, Any]:
        return dict(self.__dict__)


def evaluate_similarity(
    table: Table, name: str, pairs: Sequence[tuple[str, str, float]], seed: int = 0, draws: int = DRAWS
) -> SimilarityScore:
    """Score one set; UsageError if fewer than three of its pairs can be spelled."""
    vectors, single = mean_vectors(table, {w for a, b, _ in pairs for w in (a, b)})
    known = [(a, b, s) for a, b, s in pairs if a in vectors and b in vectors]
    if len(known) < 3:
        raise UsageError(f"expected at least three pairs of {name} that this table spells, found {len(known)}")
    cosines = np.array([vectors[a] @ vectors[b] for a, b, _ in known])
    scores = np.array([s for _, _, s in known])
    low, high = bootstrap_interval(cosines, scores, draws, seed)
    both = sum(a in single and b in single for a, b, _ in known)
    return SimilarityScore(name, spearman(cosines, scores), low, high, len(pairs), len(known), both)


def mean_vectors(table: Table, words: set[str]) -> tuple[dict[str, Float64[np.ndarray, "d"]], set[str]]:
    """Unit vector of each word that can be spelled (the mean of its rows), and which are single tokens."""
    ids: dict[str, list[int]] = {}
    for word in sorted(words):
        found = _evaluated_ids(table, word)
        if found:
            ids[word] = found
    distinct = np.unique(np.concatenate([np.array(i) for i in ids.values()])) if ids else np.zeros(0, np.int64)
    rows = table.rows(distinct).astype(np.float64)
    vectors = {}
    for word, own in ids.items():
        mean = rows[np.searchsorted(distinct, own)].mean(axis=0)
        length = np.linalg.norm(mean)
        if np.isfinite(length) and length > 0:
            vectors[word] = mean / length
    return vectors, {w for w in vectors if len(ids[w]) == 1}


def _evaluated_ids(table: Table, word: str) -> list[int]:
    """The tokens that the tokenizer makes of a word after a space, throughout: scores of tables with one tokenizer compare."""
    if table.vocabulary.tokenizer is not None:
        return spaced_ids(table, word)
    single = try_single_id(table, word)
    return [] if single is None else [single]


def spearman(x: Float64[np.ndarray, "n"], y: Float64[np.ndarray, "n"]) -> float:
    """Spearman's rank correlation, ties by mean ranks; NaN if either side is constant."""
    return float(_correlation(mean_ranks(x[None]), mean_ranks(y[None]))[0])


def bootstrap_interval(x: np.ndarray, y: np.ndarray, draws: int, seed: int) -> tuple[float, float]:
    """95 % percentile interval of Spearman's correlation over pairs drawn with replacement."""
    rng = np.random.default_rng(seed)
    values = []
    for start in range(0, draws, 100):
        at = rng.integers(0, len(x), (min(100, draws - start), len(x)))
        values.append(_correlation(mean_ranks(x[at]), mean_ranks(y[at])))
    low, high = np.nanquantile(np.concatenate(values), [0.025, 0.975])
    return float(low), float(high)


def mean_ranks(values: Float64[np.ndarray, "t n"]) -> Float64[np.ndarray, "t n"]:
    """Ranks along the last axis from 1, ties given their mean; NaN throughout where a value is NaN."""
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, -1)
    place = np.broadcast_to(np.arange(values.shape[-1]), values.shape)
    edge = np.ones((*values.shape[:-1], 1), bool)  # a tie begins after an edge and ends before the next
    step = ordered[..., 1:] != ordered[..., :-1]
    first = np.maximum.accumulate(np.where(np.concatenate([edge, step], -1), place, 0), axis=-1)
    ends = np.where(np.concatenate([step, edge], -1), place, values.shape[-1])
    last = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, -1)
    return np.where(np.isnan(values).any(axis=-1, keepdims=True), np.nan, ranks)


def _correlation(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    a, b = a - a.mean(axis=-1, keepdims=True), b - b.mean(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (a * b).sum(axis=-1) / np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
