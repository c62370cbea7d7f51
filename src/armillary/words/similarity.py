"""Calibrated similarity: cosines of words with what they mean in this table.

A bare cosine of 0.7 says nothing: in one table unrelated words lie at 0.7, in another no two words do. So a cosine
comes with its percentile and z among random pairs, and with CSLS, which takes off how crowded the two words' own
surroundings are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.answer import Answer
from armillary.errors import UsageError
from armillary.shapes import Float32, Float64
from armillary.table import Table
from armillary.words.background import Background, SampledPairs, percentile, z_score
from armillary.words.cosines import cosines_between, quick_cosines
from armillary.words.word import Pool, Word, read_word

CROWD = 10
_NOWHERE = -2.0  # below any cosine: marks rows without a direction


@dataclass(frozen=True)
class Pair:
    """Two words and all that is said of them.

    `percentile` ± `percentile_error`: per cent of random pairs that lie lower. `z`: standard deviations above the
    mean of random pairs. `csls` = 2cos − r(a) − r(b), r the mean cosine of a word to its 10 nearest rows (Conneau
    et al. 2018). `dot` and `euclidean` are of the raw rows.
    """

    a: str
    b: str
    cosine: float
    percentile: float
    percentile_error: float
    z: float
    csls: float
    dot: float
    euclidean: float

    def to_dict(self) -> dict[str, Any]:
        return dict(self.__dict__)


@dataclass(frozen=True, eq=False, repr=False)
class Similarity(Answer):
    """What `similarity` found: the words, their pairs in the order i < j, the matrix, and the random pairs behind it.

    `rows`: those of the table that have a direction.
    """

    words: tuple[Word, ...]
    pairs: tuple[Pair, ...]
    cosines: Float64[np.ndarray, "n n"]
    mean: float
    sd: float
    background_pairs: int
    background_kind: str
    rows: int

    def __str__(self) -> str:
        head = f"Similarity over {self.rows:,} rows; random pairs {self.mean:.3f} ± {self.sd:.3f}"
        lines = [
            f"  {p.a} – {p.b}: cosine {p.cosine:.3f}, percentile {p.percentile:.2f}, z {p.z:+.2f}" for p in self.pairs
        ]
        return "\n".join([head, *lines])

    def to_dict(self) -> dict[str, Any]:
        background = {"mean": self.mean, "sd": self.sd, "pairs": self.background_pairs, "kind": self.background_kind}
        return {
            "words": [w.to_dict() for w in self.words],
            "pairs": [p.to_dict() for p in self.pairs],
            "cosines": self.cosines.tolist(),
            "background": background,
            "rows": self.rows,
            "space": "raw",
        }


def similarity(
    table: Table, texts: Sequence[str], background: Background | None = None, pool: Pool = "mean", seed: int = 0
) -> Similarity:
    """Every pair of these words, calibrated; UsageError for fewer than two words or an unknown one.

    `background`: the random pairs of a finished scan; by default 4 million sampled ones, with their error.
    """
    if len(texts) < 2:
        raise UsageError(f"expected at least two words, found {len(texts)}")
    words = tuple(read_word(table, text, pool) for text in texts)
    around = background or SampledPairs(table, seed=seed)
    rows = np.stack([w.vector for w in words])
    cosines = cosines_between(rows, rows)
    to_rows = quick_cosines(table, np.stack([w.unit for w in words]).astype(np.float32), nowhere=_NOWHERE)
    searched = int(np.count_nonzero(to_rows[0] > _NOWHERE))
    crowd = _crowding(np.maximum(to_rows, -1.0), words, len(table))
    pairs = tuple(
        _pair(words, i, j, float(cosines[i, j]), around, crowd)
        for i in range(len(words))
        for j in range(i + 1, len(words))
    )
    return Similarity(words, pairs, cosines, around.mean, around.sd, around.pairs, around.kind, searched)


def crowding(table: Table, words: Sequence[Word], k: int = CROWD) -> Float64[np.ndarray, "m"]:
    """r_k: mean cosine of each word to its k nearest rows, its own rows left out by id; float32 products."""
    return _crowding(quick_cosines(table, np.stack([w.unit for w in words]).astype(np.float32)), words, len(table), k)


def _crowding(
    cosines: Float32[np.ndarray, "m V"], words: Sequence[Word], rows: int, k: int = CROWD
) -> Float64[np.ndarray, "m"]:
    for values, word in zip(cosines, words, strict=True):
        values[list(word.ids)] = -1.0
    k = min(k, rows - 1)
    return np.partition(cosines, rows - k, axis=1)[:, rows - k :].mean(axis=1, dtype=np.float64)


def _pair(words: Sequence[Word], i: int, j: int, cosine: float, background: Background, crowd: np.ndarray) -> Pair:
    a, b = words[i].vector.astype(np.float64), words[j].vector.astype(np.float64)
    standing = percentile(background, cosine)
    return Pair(
        words[i].text,
        words[j].text,
        cosine,
        standing.value,
        standing.error,
        z_score(background, cosine),
        float(2 * cosine - crowd[i] - crowd[j]),
        float(a @ b),
        float(np.linalg.norm(a - b)),
    )
