"""Does skip-gram hold what its optimum promises? w·c against PMI − log k on a trained model, as measured.

Over the pairs that occur together: slope, intercept, correlation, and the residual by how common the word is. Over
pairs that never do, the optimum is −∞: what is seen is how negative the product is. And the two kinds of likeness:
first order (w·c, words that stand together) beside second order (cos(w, w′), words that stand in like places).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.answer import Answer, number, percent
from armillary.errors import UsageError
from armillary.origins.word2vec.model import WordModel
from armillary.origins.word2vec.pmi import pmi, rows_of
from armillary.words.evaluation import spearman

if TYPE_CHECKING:
    from scipy.sparse import csr_array

PAIRS = 200_000
LEAST_COUNT = 5.0  # weighted co-occurrences below which a PMI is mostly noise
DECILES = 10


@dataclass(frozen=True, repr=False)
class PmiCheck(Answer):
    """The check over a seeded sample of pairs.

    `slope`, `intercept`, `correlation` of w·c on PMI − log k over `pairs` observed pairs; `residuals`: per decile of
    word frequency (rarest first) the mean and standard deviation of w·c − (PMI − log k). `never_pairs` that never
    occur together, of their products the mean and the share below 0. `observed_mean`: mean w·c of the observed.
    `orders`: Spearman's correlation of w·c with cos(w, w′) over the observed pairs.
    """

    pairs: int
    least_count: float
    slope: float
    intercept: float
    correlation: float
    residuals: tuple[tuple[float, float], ...]
    never_pairs: int
    never_mean: float
    never_negative: float
    observed_mean: float
    observed_negative: float
    orders: float

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))

    def __str__(self) -> str:
        first, last = self.residuals[0], self.residuals[-1]
        return "\n".join(
            (
                f"w·c against PMI − log k over {self.pairs:,} pairs seen {self.least_count:g} times or more: slope "
                f"{number(self.slope)}, intercept {number(self.intercept)}, correlation {number(self.correlation)}.",
                f"Residual of the rarest tenth of words {number(first[0])} ± {number(first[1])}, of the commonest "
                f"{number(last[0])} ± {number(last[1])}.",
                f"Over {self.never_pairs:,} pairs never seen together w·c is {number(self.never_mean)} on average, negative "
                f"in {percent(self.never_negative)}; over those seen {number(self.observed_mean)}, negative in "
                f"{percent(self.observed_negative)}.",
                f"First and second order, w·c and cos(w, w′), agree in rank by {number(self.orders)} (Spearman).",
            )
        )


def check_pmi(model: WordModel, counts: csr_array, seed: int = 0, pairs: int = PAIRS) -> PmiCheck:
    """The check of a model with contexts against the counts of its corpus; UsageError where too few pairs are seen."""
    target = pmi(counts, model.settings.smoothing)
    target.data -= np.log(model.settings.negative)
    generator = np.random.default_rng(seed)
    often = np.flatnonzero(counts.data >= LEAST_COUNT)
    least = LEAST_COUNT
    if len(often) < 100:
        often, least = np.arange(counts.nnz), 0.0
    if len(often) < 3:
        raise UsageError(f"expected three pairs that occur together or more, found {len(often)}", "give a longer text")
    chosen = np.sort(generator.choice(often, min(pairs, len(often)), replace=False))
    rows = rows_of(counts)[chosen]
    columns, expected = counts.indices[chosen], target.data[chosen]
    products = _products(model.vectors, model.contexts, rows, columns)
    slope, intercept, correlation = _line(expected, products)
    never = _never(counts, min(pairs, len(often)), generator)
    unseen = _products(model.vectors, model.contexts, *never)
    unit = model.vectors / np.maximum(np.linalg.norm(model.vectors, axis=1, keepdims=True), 1e-30)
    return PmiCheck(
        pairs=len(chosen),
        least_count=least,
        slope=slope,
        intercept=intercept,
        correlation=correlation,
        residuals=_by_decile(products - expected, rows),
        never_pairs=len(unseen),
        never_mean=float(unseen.mean()) if len(unseen) else float("nan"),
        never_negative=float((unseen < 0).mean()) if len(unseen) else float("nan"),
        observed_mean=float(products.mean()),
        observed_negative=float((products < 0).mean()),
        orders=spearman(products, _products(unit, unit, rows, columns)),
    )


def _products(left: np.ndarray, right: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    out = np.empty(len(rows))
    for start in range(0, len(rows), 50_000):
        part = slice(start, start + 50_000)
        out[part] = np.einsum("nd,nd->n", left[rows[part]], right[columns[part]], dtype=np.float64)
    return out


def _line(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    dx, dy = x - x.mean(), y - y.mean()
    spread = float(dx @ dx)
    slope = float(dx @ dy) / spread if spread else float("nan")
    scale = (spread * float(dy @ dy)) ** 0.5
    return slope, float(y.mean() - slope * x.mean()), float(dx @ dy) / scale if scale else float("nan")


def _never(counts: csr_array, wanted: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Random pairs of different words whose count is 0; fewer than wanted where there are not so many."""
    size = len(counts.indptr) - 1
    rows, columns = generator.integers(0, size, (2, 2 * wanted))
    unseen = (np.asarray(counts[rows, columns]).ravel() == 0) & (rows != columns)
    return rows[unseen][:wanted], columns[unseen][:wanted]


def _by_decile(residuals: np.ndarray, rows: np.ndarray) -> tuple[tuple[float, float], ...]:
    """(mean, sd) per decile of pairs by the word's rank of frequency, rarest first (ids ascend as counts descend)."""
    order = np.argsort(-rows, kind="stable")
    return tuple((float(p.mean()), float(p.std())) for p in np.array_split(residuals[order], DECILES) if len(p))
