"""Three metrics side by side on the same rows: cosine, dot product, Euclidean distance.

They agree on unit rows, where ‖u−v‖² = 2 − 2cos. On rows as stored they part, and lengths say how: the dot product
favours long rows, the Euclidean distance short ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.answer import Answer
from armillary.errors import UsageError
from armillary.shapes import Float64
from armillary.table import Table
from armillary.words.cosines import BLOCK_ROWS, cosines_between, cosines_to, first, usable_rows
from armillary.words.lists import shipped
from armillary.words.word import Pool, Word, read_word, try_word

METRICS = ("cosine", "dot", "euclidean")
QUERIES = 1_000
PAIRS_SHOWN = 5


@dataclass(frozen=True)
class Hub:
    """A row that many of the sampled queries count among their k nearest. `decile` of frequency, 10 the most frequent."""

    id: int
    text: str
    occurrence: int
    decile: int | None


@dataclass(frozen=True)
class UnequalPair:
    """Synonyms whose norms differ most: their cosine says near, their distance far."""

    a: str
    b: str
    norm_a: float
    norm_b: float
    cosine: float
    euclidean: float


@dataclass(frozen=True, repr=False)
class Metrics(Answer):
    """`neighbors`: per word and metric the first k ids; `overlap`: per pair of metrics the mean share of the k nearest
    that agree, over `queries` seeded rows; `hubs` and `hub_deciles` (share of occurrences by frequency decile) of each
    metric over the same queries; `identity_error`: largest |‖u−v‖² − (2 − 2cos)| over unit rows of those pairs."""

    words: tuple[Word, ...]
    k: int
    rows: int
    neighbors: dict[str, dict[str, list[tuple[int, str, float]]]]
    word_overlap: dict[str, dict[str, float]]
    queries: int
    overlap: dict[str, float]
    hubs: dict[str, tuple[Hub, ...]]
    hub_deciles: dict[str, list[float]] | None
    identity_error: float
    unequal: tuple[UnequalPair, ...]

    def __str__(self) -> str:
        agree = ", ".join(f"{pair} {share:.0%}" for pair, share in self.overlap.items())
        return f"Of the {self.k} nearest of {self.queries:,} rows among {self.rows:,}, metrics agree on: {agree}"

    def to_dict(self) -> dict[str, Any]:
        data = dict(self.__dict__)
        data["words"] = [w.to_dict() for w in self.words]
        data["hubs"] = {m: [h.__dict__ for h in hubs] for m, hubs in self.hubs.items()}
        data["unequal"] = [p.__dict__ for p in self.unequal]
        return data


def compare_metrics(
    table: Table,
    texts: Sequence[str],
    k: int = 10,
    deciles: np.ndarray | None = None,
    queries: int = QUERIES,
    pool: Pool = "mean",
    seed: int = 0,
) -> Metrics:
    """The neighbours of words under each metric, and how far the metrics agree over a seeded sample of rows.

    `deciles` (V): frequency decile of each row, 1 … 10, 0 unknown. The words' own lists are exact; the sample's are
    float32 products. UsageError for an unknown word.
    """
    if k < 1:
        raise UsageError(f"expected k of at least 1, found {k}")
    words = tuple(read_word(table, t, pool) for t in texts)
    norms = row_norms(table)
    lists = {w.text: _exact_lists(table, w, norms, k) for w in words}
    ids, found = _sampled_lists(table, norms, k, queries, seed)
    occurrence = {m: np.bincount(found[m].ravel(), minlength=len(table)) for m in METRICS}
    return Metrics(
        words,
        k,
        int(np.isfinite(norms).sum()),
        {t: {m: [(i, table.token(i).text, v) for i, v in rows] for m, rows in by.items()} for t, by in lists.items()},
        {t: _overlaps({m: np.array([[i for i, _ in rows]]) for m, rows in by.items()}) for t, by in lists.items()},
        len(ids),
        _overlaps(found),
        {m: _hubs(table, occurrence[m], deciles) for m in METRICS},
        None if deciles is None else {m: _decile_shares(occurrence[m], deciles) for m in METRICS},
        _identity_error(table, ids),
        _unequal(table),
    )


def row_norms(table: Table) -> Float64[np.ndarray, "V"]:
    """Norm of every row; NaN where a row has no direction."""
    norms = np.concatenate([np.sqrt(np.einsum("nd,nd->n", b, b, dtype=np.float64)) for _, b in table.blocks()])
    return np.where(np.isfinite(norms) & (norms > 0), norms, np.nan)


def _scores(metric: str, cosines: np.ndarray, norms: np.ndarray, own: np.ndarray | float) -> np.ndarray:
    """Larger is nearer; −inf without a direction. Euclidean: minus the squared distance."""
    if metric == "cosine":
        scores = np.where(np.isnan(norms), -np.inf, cosines)
    elif metric == "dot":
        scores = cosines * norms * own
    else:
        scores = 2 * cosines * norms * own - norms**2 - own**2
    return np.where(np.isfinite(scores), scores, -np.inf)


def _exact_lists(table: Table, word: Word, norms: np.ndarray, k: int) -> dict[str, list[tuple[int, float]]]:
    cosines = cosines_to(table, word.vector[None])[0]
    cosines = np.where(np.isfinite(cosines), cosines, np.nan)
    lists = {}
    for metric in METRICS:
        scores = _scores(metric, cosines, norms, word.norm)
        near = first(scores, k, word.ids if word.is_single else ())
        values = np.sqrt(np.maximum(0.0, -scores[near])) if metric == "euclidean" else scores[near]
        lists[metric] = list(zip(near.tolist(), values.tolist(), strict=True))
    return lists


def _sampled_lists(
    table: Table, norms: np.ndarray, k: int, queries: int, seed: int
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Seeded rows and, by metric, the ids of their k nearest: one pass over the table, float32 products."""
    usable = np.flatnonzero(~np.isnan(norms))
    k = min(k, len(usable) - 1)
    if k < 1:
        raise UsageError("expected at least two rows with a direction to compare metrics on")
    ids = np.sort(np.random.default_rng(seed).choice(usable, min(queries, len(usable)), replace=False))
    _, unit = usable_rows(table, ids)
    lengths = norms.astype(np.float32)
    own = lengths[ids][:, None]
    best = {m: (np.empty((len(ids), 0), np.float32), np.empty((len(ids), 0), np.int64)) for m in METRICS}
    for start, block in table.blocks(BLOCK_ROWS):
        theirs = lengths[start : start + len(block)]
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            cosines = unit @ block.T / theirs
        inside = np.flatnonzero((ids >= start) & (ids < start + len(block)))
        for metric in METRICS:
            scores = _scores(metric, cosines, theirs, own)
            scores[inside, ids[inside] - start] = -np.inf
            best[metric] = _merged(*best[metric], scores, start, k)
    return ids, {m: found for m, (_, found) in best.items()}


def _merged(
    values: np.ndarray, ids: np.ndarray, scores: np.ndarray, start: int, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k best of those kept and of a block of rows that begins at id `start`."""
    if scores.shape[1] > k:  # first within the block, so that little is carried
        near = np.argpartition(scores, scores.shape[1] - k, axis=1)[:, -k:]
        scores, fresh = np.take_along_axis(scores, near, 1), start + near
    else:
        fresh = np.broadcast_to(np.arange(start, start + scores.shape[1]), scores.shape)
    values, ids = np.concatenate([values, scores], axis=1), np.concatenate([ids, fresh], axis=1)
    keep = np.argsort(-values, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(values, keep, 1), np.take_along_axis(ids, keep, 1)


def _overlaps(found: dict[str, np.ndarray]) -> dict[str, float]:
    """Mean share of the k nearest that two metrics have in common."""

    def shared(a: np.ndarray, b: np.ndarray) -> float:
        return float(np.mean([len(set(x) & set(y)) / len(x) for x, y in zip(a.tolist(), b.tolist(), strict=True) if x]))

    pairs = [(a, b) for i, a in enumerate(METRICS) for b in METRICS[i + 1 :]]
    return {f"{a}–{b}": shared(found[a], found[b]) for a, b in pairs}


def _hubs(table: Table, occurrence: np.ndarray, deciles: np.ndarray | None, count: int = 5) -> tuple[Hub, ...]:
    largest = np.lexsort((np.arange(len(occurrence)), -occurrence))[:count].tolist()
    return tuple(
        Hub(i, table.token(i).text, int(occurrence[i]), None if deciles is None else int(deciles[i])) for i in largest
    )


def _decile_shares(occurrence: np.ndarray, deciles: np.ndarray) -> list[float]:
    known = deciles > 0
    by = np.bincount(deciles[known], weights=occurrence[known], minlength=11)[1:11]
    return (by / max(1.0, by.sum())).tolist()


def _identity_error(table: Table, ids: np.ndarray) -> float:
    rows = table.rows(ids[:200])
    unit = rows / np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    squared = ((unit[:, None] - unit[None]) ** 2).sum(axis=2)
    return float(np.abs(squared - (2 - 2 * cosines_between(rows, rows))).max())


def _unequal(table: Table) -> tuple[UnequalPair, ...]:
    synonyms = [s for language in ("en", "zh") for s in shipped("ladder", language) if s.name == "synonym"]
    pairs = []
    for a, b in (pair for section in synonyms for pair in section.pairs):
        x, y = try_word(table, a, "single"), try_word(table, b, "single")
        if x is not None and y is not None:
            apart = float(np.linalg.norm(x.vector.astype(np.float64) - y.vector))
            cosine = float(cosines_between(x.vector[None], y.vector[None])[0, 0])
            pairs.append(UnequalPair(a, b, x.norm, y.norm, cosine, apart))
    return tuple(sorted(pairs, key=lambda p: -abs(np.log(p.norm_a / p.norm_b)))[:PAIRS_SHOWN])
