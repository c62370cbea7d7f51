"""Pointwise mutual information of a word and a context, and the count models that factorise it.

Levy & Goldberg 2014: skip-gram with k negative samples has its optimum at w·c = PMI(w, c) − log k, with context
frequencies raised to the smoothing power as the negative samples are. PPMI keeps the positive part of PMI, shifted
PMI the positive part of PMI − log k; both are sparse, and their truncated SVD gives vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.errors import UsageError
from armillary.shapes import Float64, Int64

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def context_distribution(counts: csr_array, smoothing: float) -> Float64[np.ndarray, "v"]:
    """P(c) ∝ #(c)^smoothing, the distribution that negative contexts are drawn from."""
    weights = np.asarray(counts.sum(axis=0), np.float64).ravel() ** smoothing
    return weights / weights.sum()


def pmi(counts: csr_array, smoothing: float = 0.75) -> csr_array:
    """PMI(w, c) = log #(w,c)/(#(w)·P(c)) on the pairs that occur together; the others are −∞ and not stored."""
    from scipy.sparse import csr_array

    rows = np.asarray(counts.sum(axis=1), np.float64).ravel()
    with np.errstate(divide="ignore"):
        own, context = np.log(rows), np.log(context_distribution(counts, smoothing))
    which = rows_of(counts)
    values = np.log(counts.data) - own[which] - context[counts.indices]
    return csr_array((values, counts.indices.copy(), counts.indptr.copy()), shape=counts.shape)


def rows_of(matrix: csr_array) -> Int64[np.ndarray, "m"]:
    """The row of every stored entry."""
    return np.repeat(np.arange(len(matrix.indptr) - 1), np.diff(matrix.indptr))


def positive(matrix: csr_array, shift: float = 0.0) -> csr_array:
    """max(x − shift, 0), zeros not stored."""
    found = matrix.copy()
    found.data = np.maximum(found.data - shift, 0.0)
    found.eliminate_zeros()
    return found


def factorise(
    matrix: csr_array, dimension: int, seed: int = 0
) -> tuple[Float64[np.ndarray, "v d"], Float64[np.ndarray, "v d"]]:
    """W = U√Σ and C = V√Σ of the truncated SVD, by singular values descending; the sign makes each U's largest entry positive.

    UsageError unless d < V.
    """
    from scipy.sparse.linalg import svds

    size = len(matrix.indptr) - 1
    if not 1 <= dimension < size:
        raise UsageError(f"expected a dimension from 1 to {size - 1:,} for the SVD, found {dimension:,}")
    start = np.random.default_rng(seed).standard_normal(size)
    found: Any = svds(matrix, k=dimension, v0=start)
    u, s, vt = found
    order = np.argsort(-s, kind="stable")
    u, s, vt = u[:, order], s[order], vt[order]
    signs = np.sign(u[np.abs(u).argmax(axis=0), np.arange(dimension)])
    scale = np.sqrt(s) * signs
    return u * scale, vt.T * scale
