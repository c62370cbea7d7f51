"""Neighbour overlap: of the k nearest tokens of a token in one table, how many are among its k nearest in the other.

overlap@k = mean |N_k(i; X) ∩ N_k(i; Y)| / k,  cosine, among the joined tokens, i itself left out by its id
"""

from __future__ import annotations

import math

import numpy as np

from armillary.measure import Definition, Measure, Null, Nulls
from armillary.shapes import Float32, Int64

NEIGHBOR_OVERLAP = Definition(
    "neighbor_overlap",
    "Neighbour overlap",
    "mean |N_k(i; X) ∩ N_k(i; Y)| / k",
    "Of the k nearest tokens in one table, the share that is among the k nearest in the other. By chance k/(n−1).",
    "elementary; Wendlandt et al. 2018",
    "normalised rows of the joined tokens, not centred",
    low=0.0,
    high=1.0,
)
MOST_QUERIES = 1_000  # tokens asked for their neighbours; all are searched. More would be minutes, not seconds
_BLOCK = 128
SEED = 0


def neighbor_overlap(
    x: Float32[np.ndarray, "n d"], y: Float32[np.ndarray, "n e"], k: int = 10, most: int = MOST_QUERIES
) -> Measure | None:
    """The overlap at k of joined rows (none of them zero); over `most` seeded tokens at most. None for n < 3.

    k is clipped to n − 2, so that a choice remains.
    """
    n = len(x)
    if n < 3:
        return None
    k = min(k, n - 2)
    queries = np.arange(n) if n <= most else np.sort(np.random.default_rng(SEED).choice(n, most, replace=False))
    near_x, near_y = nearest_among(x, queries, k), nearest_among(y, queries, k)
    shares = np.array([len(np.intersect1d(p, q)) / k for p, q in zip(near_x, near_y, strict=True)])
    exact = len(queries) == n
    error = None if exact else float(shares.std() * math.sqrt((1 - len(queries) / n) / len(queries)))
    nulls = Nulls(bound=Null(1.0, "the same neighbours"), random=Null(k / (n - 1), "formula, k/(n−1)"))
    detail = {"k": k, "queries": len(queries), "searched": n}
    return Measure(NEIGHBOR_OVERLAP, float(shares.mean()), n, "exact" if exact else "estimate", error, nulls, detail)


def nearest_among(
    rows: Float32[np.ndarray, "n d"], queries: Int64[np.ndarray, "q"], k: int
) -> Int64[np.ndarray, "q k"]:
    """Positions of the k nearest rows of each query by (cosine descending, position ascending), itself left out."""
    norms = np.linalg.norm(rows.astype(np.float64), axis=1).astype(np.float32)
    unit = rows / norms[:, None]
    found = np.empty((len(queries), k), np.int64)
    for a in range(0, len(queries), _BLOCK):
        asked = queries[a : a + _BLOCK]
        values = unit[asked] @ unit.T
        values[np.arange(len(asked)), asked] = -np.inf
        rough = min(len(rows) - 1, k + 32)  # float32 proposes, float64 decides
        some = np.argpartition(values, len(rows) - rough, axis=1)[:, len(rows) - rough :]
        for at, (query, near) in enumerate(zip(asked, some, strict=True)):
            exact = (rows[near].astype(np.float64) @ rows[query].astype(np.float64)) / np.linalg.norm(
                rows[near].astype(np.float64), axis=1
            )
            found[a + at] = near[np.lexsort((near, -exact))[:k]]
    return found
