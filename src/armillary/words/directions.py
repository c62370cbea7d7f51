"""Directions: a difference of words, fitted on some pairs and read on others that it has not seen.

A direction that separates the very pairs it was made of says nothing; in many dimensions any pairs can be separated.
So every reading is on held-out pairs (each fold left out once), with the area under the ROC curve, and a null in which
the two sides of the pairs are swapped at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armillary.answer import Answer
from armillary.errors import UsageError
from armillary.shapes import Float64
from armillary.table import Table
from armillary.words.word import Pool, Word, read_word, try_word

FOLDS = 5
NULL_DRAWS = 999


@dataclass(frozen=True)
class Chance:
    """A statistic against its null: z, and p = (1 + draws at least as large)/(1 + draws)."""

    value: float
    null_mean: float
    null_sd: float
    z: float
    p: float
    draws: int


@dataclass(frozen=True, eq=False, repr=False)
class Direction(Answer):
    """A measured direction from one side to the other, over unit rows.

    `low_mean`, `high_mean`: mean held-out projection of each side (a cosine to the direction); `auc`: chance that a
    held-out word of the high side projects above one of the low side; `null`: the AUC when sides are swapped at
    random. `parallelism`: mean cosine between differences of different pairs, with its null (None for two lists).
    """

    name: str
    vector: Float64[np.ndarray, "d"] = field(repr=False)
    pairs: int
    missing: int
    single: int
    low_mean: float
    high_mean: float
    low_zero_share: float
    auc: float
    held_out: bool
    null: Chance | None
    parallelism: Chance | None
    words: tuple[tuple[str, float, str], ...] = field(repr=False, default=())

    def project(self, table: Table, texts: Sequence[str], pool: Pool = "mean") -> list[tuple[str, float]]:
        """Cosine of each word to the direction."""
        return [(t, float(read_word(table, t, pool).unit @ self.vector)) for t in texts]

    def __str__(self) -> str:
        return f"{self.name}: {self.pairs} pairs, low side {self.low_mean:.3f}, high side {self.high_mean:.3f}, AUC {self.auc:.3f}"

    def to_dict(self) -> dict[str, Any]:
        data = {k: v for k, v in self.__dict__.items() if k not in ("vector", "null", "parallelism", "words")}
        data["null"] = self.null.__dict__ if self.null else None
        data["parallelism"] = self.parallelism.__dict__ if self.parallelism else None
        data["words"] = [{"word": w, "projection": p, "side": s} for w, p, s in self.words]
        return data


def direction(
    table: Table,
    pairs: Sequence[tuple[str, str]],
    name: str = "direction",
    pool: Pool = "mean",
    seed: int = 0,
    draws: int = NULL_DRAWS,
) -> Direction:
    """The direction from the first side of the pairs to the second: the mean of unit differences, normalised.

    With one pair there is nothing to hold out: the projections are the pair's own, and no null is given. UsageError
    if no pair can be spelled or the two sides are the same.
    """
    low, high, missing, single = _sides(table, pairs, pool)
    a, b = np.stack([w.unit for w in low]), np.stack([w.unit for w in high])
    vector = _normalised((b - a).mean(axis=0), name)
    if len(low) == 1:
        projected = np.array([a @ vector, b @ vector])
        null, parallel = None, None
    else:
        rng = np.random.default_rng(seed)
        folds = rng.permutation(len(a)) % min(FOLDS, len(a))
        projected = _held_out(a, b, folds, np.ones((1, len(a))))[:, 0]
        null = _swapped_null(a, b, folds, auc(*projected), draws, rng)
        parallel = parallelism(a, b, draws, rng)
    sides = [
        (w.text, float(p), s)
        for ws, ps, s in ((low, projected[0], "low"), (high, projected[1], "high"))
        for w, p in zip(ws, ps, strict=True)
    ]
    return Direction(
        name,
        vector,
        len(low),
        missing,
        single,
        float(projected[0].mean()),
        float(projected[1].mean()),
        float((np.abs(projected[0]) < np.abs(projected[1].mean()) / 4).mean()),
        auc(*projected),
        len(low) > 1,
        null,
        parallel,
        tuple(sides),
    )


def direction_of_lists(
    table: Table,
    low: Sequence[str],
    high: Sequence[str],
    name: str = "direction",
    pool: Pool = "mean",
    seed: int = 0,
    draws: int = NULL_DRAWS,
) -> Direction:
    """The direction between the means of two lists, read on held-out members; null: members dealt to sides at random."""
    if not low or not high:
        raise UsageError(f"expected words on both sides, found {len(low)} and {len(high)}")
    words = [read_word(table, t, pool) for t in (*low, *high)]
    rows = np.stack([w.unit for w in words])
    labels = np.repeat([0, 1], [len(low), len(high)])
    vector = _normalised(rows[labels == 1].mean(axis=0) - rows[labels == 0].mean(axis=0), name)
    rng = np.random.default_rng(seed)
    small = min(len(low), len(high)) < 2
    folds = np.empty(len(rows), np.int64)
    for side in (0, 1):
        members = np.flatnonzero(labels == side)
        folds[members] = rng.permutation(len(members)) % FOLDS
    projected = rows @ vector if small else _held_out_lists(rows, labels[None], folds)[0]
    found = auc(projected[labels == 0], projected[labels == 1])
    null = None
    if not small:
        drawn = rng.permuted(np.tile(labels, (draws, 1)), axis=1)
        read = _held_out_lists(rows, drawn, folds)
        null = against(found, np.array([auc(p[s == 0], p[s == 1]) for p, s in zip(read, drawn, strict=True)]))
    sides = tuple((w.text, float(p), "high" if s else "low") for w, p, s in zip(words, projected, labels, strict=True))
    means = float(projected[labels == 0].mean()), float(projected[labels == 1].mean())
    near_zero = float((np.abs(projected[labels == 0]) < abs(means[1]) / 4).mean())
    single = sum(w.is_single for w in words)
    return Direction(name, vector, len(words), 0, single, *means, near_zero, found, not small, null, None, sides)


def auc(low: np.ndarray, high: np.ndarray) -> float:
    """Chance that a value of `high` lies above one of `low`, ties by half (Mann–Whitney)."""
    difference = np.asarray(high)[:, None] - np.asarray(low)[None, :]
    return float((difference > 0).mean() + (difference == 0).mean() / 2)


def parallelism(
    a: Float64[np.ndarray, "n d"], b: Float64[np.ndarray, "n d"], draws: int, rng: np.random.Generator
) -> Chance | None:
    """Mean cosine between differences b_i − a_i and b_j − a_j, i < j; null: the b's matched to the a's at random."""
    if len(a) < 3:
        return None
    found = _mean_cosine(b - a)
    drawn = np.array([_mean_cosine(b[rng.permutation(len(b))] - a) for _ in range(draws)])
    return against(found, drawn)


def against(value: float, drawn: np.ndarray) -> Chance:
    """A statistic beside its null draws, large being remarkable."""
    sd = float(drawn.std(ddof=1)) if len(drawn) > 1 else 0.0
    mean = float(drawn.mean())
    p = (1 + int((drawn >= value - 1e-12).sum())) / (1 + len(drawn))
    return Chance(value, mean, sd, (value - mean) / sd if sd else float("nan"), p, len(drawn))


def _mean_cosine(differences: np.ndarray) -> float:
    lengths = np.linalg.norm(differences, axis=1)
    unit = differences[lengths > 0] / lengths[lengths > 0][:, None]
    n = len(unit)
    return float(((unit.sum(axis=0) ** 2).sum() - n) / (n * (n - 1))) if n > 1 else 0.0


def _held_out(a: np.ndarray, b: np.ndarray, folds: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """(2, t, n): projections of each pair's low and high side on the direction of the other folds' pairs.

    `signs` (t, n): −1 where a pair's sides are swapped; one matrix product a fold serves all t swaps.
    """
    projected = np.empty((2, *signs.shape))
    for fold in np.unique(folds):
        out = folds == fold
        vectors = _rows_normalised(signs[:, ~out] @ (b - a)[~out])  # (t, d)
        first, second = vectors @ a[out].T, vectors @ b[out].T
        as_is = signs[:, out] > 0
        projected[0][:, out] = np.where(as_is, first, second)
        projected[1][:, out] = np.where(as_is, second, first)
    return projected


def _swapped_null(
    a: np.ndarray, b: np.ndarray, folds: np.ndarray, found: float, draws: int, rng: np.random.Generator
) -> Chance:
    signs = np.where(rng.random((draws, len(a))) < 0.5, -1.0, 1.0)
    low, high = _held_out(a, b, folds, signs)
    return against(found, np.array([auc(x, y) for x, y in zip(low, high, strict=True)]))


def _held_out_lists(rows: np.ndarray, labels: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """(t, n): projections of each member on the difference of the sides' means over the other folds; labels (t, n)."""
    projected = np.empty(labels.shape)
    for fold in np.unique(folds):
        out = folds == fold
        high = labels[:, ~out].astype(np.float64)
        sizes = np.maximum(1.0, high.sum(axis=1, keepdims=True)), np.maximum(1.0, (1 - high).sum(axis=1, keepdims=True))
        vectors = _rows_normalised(high @ rows[~out] / sizes[0] - (1 - high) @ rows[~out] / sizes[1])
        projected[:, out] = vectors @ rows[out].T
    return projected


def _rows_normalised(vectors: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def _sides(table: Table, pairs: Sequence[tuple[str, str]], pool: Pool) -> tuple[list[Word], list[Word], int, int]:
    if not pairs:
        raise UsageError("expected at least one pair of words, found an empty list")
    low, high = [], []
    for first, second in pairs:
        x, y = try_word(table, first, pool), try_word(table, second, pool)
        if x is not None and y is not None:
            low.append(x)
            high.append(y)
    if not low:
        read_word(table, pairs[0][0], pool)  # the reason, with its cure
        read_word(table, pairs[0][1], pool)
    single = sum(x.is_single and y.is_single for x, y in zip(low, high, strict=True))
    return low, high, len(pairs) - len(low), single


def _normalised(vector: np.ndarray, name: str) -> np.ndarray:
    length = float(np.linalg.norm(vector))
    if length < 1e-12:
        raise UsageError(f"expected two sides that differ for {name!r}, found a difference of length 0")
    return vector / length
