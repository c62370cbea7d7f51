"""The nearest rows to a few vectors, exactly, in one pass at the speed of memory and without compiled code.

Each block of rows is multiplied by the normalised vectors in float32; scores come with a proved margin, and only rows
that can be among the k nearest are scored by the defining float64 loop.

Proof of the margins. Let N² be the float32 sum of a row's squares and p that of its products with the float32 unit
vector q̂, both of d terms in any order. Where 2⁻⁸⁰ ≤ N² ≤ 2¹²⁰ neither overflows, and what underflow loses, at most
2d·2⁻¹²⁶, is below d·2⁻⁴⁵·‖x‖² and d·2⁻⁸⁵·‖x‖. Other rows are scored with float64 products instead, whose error is
smaller. With γ = γ_{d+1} of float32 plus d·2⁻⁴⁴, and δ the bound of ‖q̂ − q/‖q‖‖:
N² = ‖x‖²(1 + θ), |θ| ≤ γ, and p = x·q/‖q‖ + ε, |ε| ≤ (γ(1 + δ) + δ)·‖x‖ =: η‖x‖, ‖x‖ ≤ N/(1 − γ).
- cosine: |p/N − cos| ≤ (η + γ)/(1 − γ), as |p| ≤ (1 + η)‖x‖ gives |p/N − p/‖x‖| ≤ (1 + η)γ/(1 − γ): together at
  most (η + γ + ηγ)/(1 − γ).
- dot: |p·‖q‖ − x·q| ≤ η·‖x‖·‖q‖.
- euclidean: |N² + ‖q‖² − 2p·‖q‖ − ‖x − q‖²| ≤ γ‖x‖² + 2η·‖x‖·‖q‖.
To each the error of the float64 definition and of evaluating the score in float64 is added: γ_{5d+32} of float64 of
the largest magnitude involved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from armillary.errors import UsageError
from armillary.scan.bound import FLOAT32_ROUNDOFF, FLOAT64_ROUNDOFF, gamma, unit_bound
from armillary.scan.cosine import cosines, row_products, squared_norms
from armillary.scan.kernels import check_kernel
from armillary.scan.plan import FAST_K, SMALL
from armillary.scan.progress import Progress
from armillary.scan.result import Rows
from armillary.scan.rows import read_rows
from armillary.shapes import Float32, Float64, Int64

Metric = Literal["cosine", "dot", "euclidean"]

_BLOCK = 2048
_CACHED = 1 << 17
"""Numbers of a block: it is read from memory once, and its norms are taken while it is in the cache."""
_MANY = 128
"""Vectors from which on a pass for each sixteen costs more than the kernels' preparation."""
_QUERIES = 16
"""Vectors of one pass; their scores of all rows are kept."""


@dataclass(frozen=True, eq=False)
class Nearest:
    """For each vector its k nearest rows: `positions` (q, k) and `values` (q, k), nearest first, ties by position."""

    positions: Int64[np.ndarray, "q k"]
    values: Float64[np.ndarray, "q k"]


def nearest(
    rows: Rows,
    vectors: Float32[np.ndarray, "q d"],
    *,
    k: int = 10,
    metric: Metric = "cosine",
    exclude: Sequence[int] = (),
    kernel: str = "auto",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Nearest:
    """The k nearest rows to each vector, exactly; k is clipped to the rows searched.

    Many vectors against a large table go through the kernels of the scan, under the cosine and for k up to 100 (where
    `kernel`, `threads` and `progress` are as in `scan`; a kernel named is always taken then); the answer is the same.

    cosine: as defined, descending. dot: s_xq, the sequential float64 sum, descending. euclidean: √Σ(x_p − q_p)²,
    sequential float64, ascending. Ties by position ascending. `exclude`: positions that are not searched. Vectors are
    taken as float32. UsageError for a vector of another width, not finite, or zero under the cosine.
    """
    queries = _queries(rows, vectors, k, metric)
    n = rows.shape[0]
    searched = np.ones(n, bool)
    searched[np.asarray(exclude, np.int64)] = False
    k = min(k, int(searched.sum()))
    if metric == "cosine" and 0 < k <= FAST_K and _batch(len(queries), n, kernel):
        from armillary.scan.between import nearest_between

        where = np.flatnonzero(searched)
        return Nearest(*nearest_between(queries, read_rows(rows), where, k, kernel, threads, progress))
    parts = [_pass(rows, queries[a : a + _QUERIES], k, metric, searched) for a in range(0, len(queries), _QUERIES)]
    return Nearest(np.concatenate([p for p, _ in parts]), np.concatenate([v for _, v in parts]))


def _batch(queries: int, n: int, kernel: str) -> bool:
    """Whether the rows are read so often that compiled code pays."""
    check_kernel(kernel)
    return bool(queries) and (kernel != "auto" or (queries >= _MANY and n >= SMALL))


def _queries(rows: Rows, vectors: np.ndarray, k: int, metric: str) -> np.ndarray:
    if metric not in _EXACT:
        raise UsageError(f"expected a metric among {', '.join(_EXACT)}, found {metric!r}")
    if k < 1:
        raise UsageError(f"expected k of at least 1, found {k}")
    with np.errstate(over="ignore"):
        queries = np.atleast_2d(np.ascontiguousarray(vectors, np.float32))
    if queries.ndim != 2 or queries.shape[1] != rows.shape[1] or not len(queries):
        raise UsageError(f"expected vectors of {rows.shape[1]:,} coordinates, found shape {np.shape(vectors)}")
    if not np.isfinite(queries).all():
        raise UsageError("expected finite vectors, found one that is not, as float32")
    if metric == "cosine" and not queries.any(axis=1).all():
        raise UsageError("expected a vector with a direction, found zero")
    return queries


def _pass(rows: Rows, queries: np.ndarray, k: int, metric: str, searched: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n, d = rows.shape
    score, margin = np.empty((len(queries), n)), np.empty((len(queries), n))
    squared = squared_norms(queries)
    unit = (queries / np.sqrt(np.where(squared > 0, squared, 1))[:, None]).astype(np.float32)
    errors = _errors(d)
    step = max(1, _CACHED // d)
    for a in range(0, n, step):
        products, norms = _screen(rows.block(a, min(a + step, n)), unit)
        score[:, a : a + step], margin[:, a : a + step] = _score(metric, products, norms, squared, *errors)
    positions, values = np.empty((len(queries), k), np.int64), np.empty((len(queries), k))
    for at, query in enumerate(queries):
        positions[at], values[at] = _best(rows, query, k, metric, score[at], margin[at], searched)
    return positions, values


def _errors(d: int) -> tuple[float, float, float]:
    """(η, γ, error of the float64 arithmetic), as in the proof."""
    own, delta = gamma(d + 1, FLOAT32_ROUNDOFF) + d * 2.0**-44, unit_bound(d)
    return own * (1 + delta) + delta, own, gamma(5 * d + 32, FLOAT64_ROUNDOFF)


def _screen(block: np.ndarray, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(products (q, m), squared norms (m)) as float64; rows outside the safe range by float64 products."""
    with np.errstate(over="ignore", invalid="ignore"):
        products = (block @ unit.T).T.astype(np.float64)
        norms = np.vecdot(block, block).astype(np.float64)
    unsafe = np.flatnonzero(~((norms >= 2.0**-80) & (norms <= 2.0**120)))
    if len(unsafe):
        exact = block[unsafe].astype(np.float64)
        products[:, unsafe] = unit.astype(np.float64) @ exact.T
        norms[unsafe] = np.vecdot(exact, exact)
    return products, norms


def _score(
    metric: str, p: np.ndarray, n2: np.ndarray, q2: np.ndarray, eta: float, own: float, rest: float
) -> tuple[np.ndarray, np.ndarray | float]:
    """(score, margin), larger is nearer: the true score lies within the margin."""
    if metric == "cosine":
        with np.errstate(invalid="ignore", divide="ignore"):
            return p / np.sqrt(n2), (eta + own + eta * own) / (1 - own) + 2 * rest
    q, x = np.sqrt(q2)[:, None], np.sqrt(n2) / (1 - own)
    if metric == "dot":
        return p * q, (eta + 4 * rest) * x * q
    return 2 * p * q - n2 - q * q, own * x * x + 2 * eta * x * q + 8 * rest * (x + q) ** 2


def _best(
    rows: Rows, query: np.ndarray, k: int, metric: str, score: np.ndarray, margin: np.ndarray, searched: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """k rows have a true score ≥ L, the k-th largest of score − margin: the k nearest have score + margin ≥ L."""
    if not k:
        return np.empty(0, np.int64), np.empty(0)
    least = np.where(searched, score - margin, -np.inf)
    cut = np.partition(least, len(least) - k)[len(least) - k]
    alive = np.flatnonzero(searched & (score + margin >= cut))
    value = np.concatenate(
        [_EXACT[metric](rows.take(alive[a : a + _BLOCK]), query) for a in range(0, len(alive), _BLOCK)]
    )
    order = np.lexsort((alive, value if metric == "euclidean" else -value))[:k]
    return alive[order], value[order]


def _cosine(x: np.ndarray, query: np.ndarray) -> np.ndarray:
    return cosines(_dot(x, query), squared_norms(x), squared_norms(query[None]))


def _dot(x: np.ndarray, query: np.ndarray) -> np.ndarray:
    return row_products(x, np.broadcast_to(query, x.shape))


def _euclidean(x: np.ndarray, query: np.ndarray) -> np.ndarray:
    difference = x.astype(np.float64) - query.astype(np.float64)
    return np.sqrt(np.add.accumulate(difference * difference, axis=1)[:, -1])


_EXACT: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "cosine": _cosine,
    "dot": _dot,
    "euclidean": _euclidean,
}
