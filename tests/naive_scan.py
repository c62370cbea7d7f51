"""A scan as slow as it reads, from the oracle's cosines: what the measures are tested on, whatever kernel there is."""

from __future__ import annotations

import numpy as np

import oracle
from armillary.scan.result import Moments, Pair, Scan
from armillary.sphere import Code


def naive_scan(code: Code, k: int = 10) -> Scan:
    """Every pair, in float64, ties by id."""
    rows, ids = code.take(np.arange(len(code))), code.ids
    n, k = len(rows), min(k, len(rows) - 1)
    cosines = np.array([oracle.cosines(row, rows) for row in rows])
    order = np.array([oracle.neighbors(rows, i, k)[0] for i in range(n)], np.int64).reshape(n, k)
    upper = np.triu_indices(n, 1)
    pairs = cosines[upper]
    return Scan(
        k=k,
        ids=ids,
        neighbors=ids[order],
        similarities=np.take_along_axis(cosines, order, 1),
        certificate=np.ones(n, bool),
        occurrence=np.bincount(order.ravel(), minlength=n),
        closest=_pair(cosines, ids, upper, 1),
        farthest=_pair(cosines, ids, upper, -1),
        closest_distinct=_distinct(rows, cosines, ids, upper),
        moments=Moments(float(pairs.mean()), float((pairs**2).mean())) if n > 1 else None,
        histogram=None,
        pairs=n * (n - 1) // 2,
        seconds=0.0,
        kernel="naive",
    )


def _pair(cosines: np.ndarray, ids: np.ndarray, upper: tuple[np.ndarray, ...], sign: int) -> Pair | None:
    if not len(upper[0]):
        return None
    at = int(np.argmax(sign * cosines[upper]))  # the first of equals, in the order of (i, j)
    i, j = int(upper[0][at]), int(upper[1][at])
    return Pair(float(cosines[i, j]), int(ids[i]), int(ids[j]))


def _distinct(rows: np.ndarray, cosines: np.ndarray, ids: np.ndarray, upper: tuple[np.ndarray, ...]) -> Pair | None:
    differ = (rows[upper[0]] != rows[upper[1]]).any(1)
    return _pair(cosines, ids, (upper[0][differ], upper[1][differ]), 1)
