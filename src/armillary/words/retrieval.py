"""Retrieval: how well vectors find the right documents, with recall@k, MRR and nDCG and their intervals.

A token table is no search engine: the mean of a text's rows is blunt. This measures how blunt, beside any other vectors
of the same texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armillary.errors import UnreadableError, UsageError
from armillary.shapes import Float64
from armillary.table import Table
from armillary.words.lists import read_text
from armillary.words.word import try_single_id

CUTOFFS = (1, 5, 10, 100)
NDCG_AT = 10
MOST_GRADE = 100.0
DRAWS = 1_000
BLOCK_QUERIES = 256

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Interval:
    """A mean over queries with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class RetrievalScore:
    """`recall`: at each cutoff, the mean share of a query's relevant documents found; `chance`: of a random order.
    `mrr`: mean reciprocal rank of the first relevant one; `ndcg`: at 10, gains 2^grade − 1. `blank`: how many queries and
    how many documents hold no word of the table, so that they are near to nothing."""

    name: str
    queries: int
    documents: int
    recall: Mapping[int, Interval]
    chance: Mapping[int, float]
    mrr: Interval
    ndcg: Interval
    blank: tuple[int, int] = (0, 0)

    def to_dict(self) -> dict[str, Any]:
        recall = {str(k): {**v.__dict__, "chance": self.chance[k]} for k, v in self.recall.items()}
        data = {"name": self.name, "queries": self.queries, "documents": self.documents}
        data |= {"blank_queries": self.blank[0], "blank_documents": self.blank[1]}
        return {**data, "recall": recall, "mrr": self.mrr.__dict__, "ndcg_10": self.ndcg.__dict__}


def retrieval(
    name: str,
    queries: Float64[np.ndarray, "q d"],
    documents: Float64[np.ndarray, "n d"],
    relevant: Sequence[Mapping[int, float]],
    seed: int = 0,
) -> RetrievalScore:
    """Score by cosine; `relevant`: per query, position of each relevant document and its grade.

    Ties by position. A row of zeros has cosine 0 to everything. UsageError if no query has a relevant document.
    """
    scores = scores_by_query(queries, documents, relevant)
    rng = np.random.default_rng(seed)
    draws = rng.integers(0, len(scores), (DRAWS, len(scores)))
    return RetrievalScore(
        name,
        len(scores),
        len(documents),
        {k: _interval(scores[:, i], draws) for i, k in enumerate(CUTOFFS)},
        {k: min(1.0, k / len(documents)) for k in CUTOFFS},
        _interval(scores[:, -2], draws),
        _interval(scores[:, -1], draws),
        (_zeros(queries), _zeros(documents)),
    )


def scores_by_query(
    queries: Float64[np.ndarray, "q d"], documents: Float64[np.ndarray, "n d"], relevant: Sequence[Mapping[int, float]]
) -> Float64[np.ndarray, "k s"]:
    """Recall at each cutoff, reciprocal rank and nDCG of each query that has a relevant document, in their order.

    UsageError if none has.
    """
    kept = [q for q, grades in enumerate(relevant) if any(g > 0 for g in grades.values())]
    if not kept:
        raise UsageError(
            "expected queries with relevant documents, found none", "a relevant document has a grade above 0"
        )
    rows = _unit(documents)
    per_query: list[tuple[list[float], float, float]] = []
    for start in range(0, len(kept), BLOCK_QUERIES):
        part = kept[start : start + BLOCK_QUERIES]
        scores = _unit(queries[part]) @ rows.T
        per_query += [_one_query(s, relevant[q]) for q, s in zip(part, scores, strict=True)]
    return np.array([[*recall, rank, gain] for recall, rank, gain in per_query])


def text_vectors(table: Table, texts: Sequence[str]) -> Float64[np.ndarray, "n d"]:
    """Mean of the token rows of each text; of the known words where there is no tokenizer; zeros for none."""
    split = _splitter(table)
    vectors = np.zeros((len(texts), table.shape[1]))
    for i, text in enumerate(texts):
        ids, counts = np.unique(np.array(split(text), np.int64), return_counts=True)
        if len(ids):
            vectors[i] = counts @ np.nan_to_num(table.rows(ids).astype(np.float64)) / counts.sum()
    return vectors


def read_corpus(path: Path) -> dict[str, str]:
    """Texts by id: JSON lines with `_id` or `id` or `path`, and `text` (and `title`), or two columns of TSV."""
    texts: dict[str, str] = {}
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        key, text = _json_text(line, number, path) if line.lstrip().startswith("{") else _tsv_text(line, number, path)
        if key in texts:
            raise UnreadableError(
                f"expected every id once in {path}, found {key!r} again in line {number}", "give each text its own id"
            )
        texts[key] = text
    if not texts:
        raise UsageError(f"expected texts in {path}, found an empty file")
    return texts


def read_relevance(path: Path) -> dict[str, dict[str, float]]:
    """Grades by query and document: TREC (query 0 document grade) or three columns (query document grade)."""
    grades: dict[str, dict[str, float]] = {}
    for number, line in enumerate(_lines(path), 1):
        cells = line.split()
        if not cells or cells[0] in ("query-id", "query_id"):
            continue
        try:
            query, document, grade = (cells[0], cells[2], cells[3]) if len(cells) == 4 else cells
            grades.setdefault(query, {})[document] = _grade(grade)
        except ValueError as error:
            raise UnreadableError(
                f"expected query, document and grade in line {number} of {path}, found {line.strip()[:60]!r}",
                "write three columns (query document grade), or TREC's four (query 0 document grade)",
            ) from error
    if not grades:
        raise UsageError(f"expected relevance judgements in {path}, found an empty file")
    return grades


def _lines(path: Path) -> list[str]:
    """Lines end at \\n alone: a text may hold the other characters that Unicode calls line ends."""
    return [line.removesuffix("\r") for line in read_text(path).split("\n")]


def _grade(text: str) -> float:
    """A grade; ValueError for what is no number, or one whose gain 2^grade − 1 is none."""
    grade = float(text)
    if not abs(grade) <= MOST_GRADE:
        raise ValueError(text)
    return grade


def _one_query(scores: np.ndarray, grades: Mapping[int, float]) -> tuple[list[float], float, float]:
    good = np.array([d for d, g in grades.items() if g > 0])
    ranks = np.array([1 + (scores > scores[d]).sum() + (scores[:d] == scores[d]).sum() for d in good])
    recall = [float((ranks <= k).mean()) for k in CUTOFFS]
    gains = np.array([2.0 ** grades[int(d)] - 1 for d in good])
    found = (gains / np.log2(ranks + 1))[ranks <= NDCG_AT].sum()
    best = np.sort(gains)[::-1][:NDCG_AT]
    return recall, float(1 / ranks.min()), float(found / (best / np.log2(np.arange(len(best)) + 2)).sum())


def _interval(values: np.ndarray, draws: np.ndarray) -> Interval:
    low, high = np.quantile(values[draws].mean(axis=1), [0.025, 0.975])
    return Interval(float(values.mean()), float(low), float(high))


def _zeros(rows: np.ndarray) -> int:
    return int((~rows.any(axis=1)).sum())


def _unit(rows: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, norms, out=np.zeros_like(rows, dtype=np.float64), where=norms > 0)


def _splitter(table: Table):
    if table.vocabulary.tokenizer is not None:
        return lambda text: [i for i in table.vocabulary.encode(text) if i < len(table)]
    known: dict[str, int | None] = {}

    def split(text: str) -> list[int]:
        words = _WORD.findall(text)
        for word in set(words) - known.keys():
            known[word] = try_single_id(table, word)
        return [i for i in (known[w] for w in words) if i is not None]

    return split


def _json_text(line: str, number: int, path: Path) -> tuple[str, str]:
    try:
        record = json.loads(line)
        key = next(str(record[name]) for name in ("_id", "id", "path") if name in record)
        return key, f"{record.get('title', '')} {record['text']}".strip()
    except (ValueError, KeyError, StopIteration, RecursionError) as error:
        raise UnreadableError(f"expected an id and a text in line {number} of {path}, found another record") from error


def _tsv_text(line: str, number: int, path: Path) -> tuple[str, str]:
    key, tab, text = line.partition("\t")
    if not tab:
        raise UnreadableError(f"expected an id, a tab and a text in line {number} of {path}, found no tab")
    return key, text
