"""The naive oracle: definitions written out again, as slowly as they read. Imports nothing from `armillary`.

A cosine is s_ij / √(s_ii · s_jj) with s one sequential float64 loop over the raw float32 rows, clipped to [−1, 1].
The sum runs over coordinates in order, one after the other; numpy's cumulative sum is such a loop. (A product of two
float32 numbers is exact in float64, so a fused multiply-add could not change it.)
"""

from __future__ import annotations

from collections.abc import Iterator

import numba
import numpy as np


def products(x: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Sequential float64 sums of x · row for every row."""
    total = np.zeros(len(rows), np.float64)
    columns = np.ascontiguousarray(rows.T)
    for q in range(len(x)):
        total += np.float64(x[q]) * columns[q].astype(np.float64)
    return total


def squared_norms(rows: np.ndarray) -> np.ndarray:
    """Sequential float64 sums of row · row."""
    total = np.zeros(len(rows), np.float64)
    for q in range(rows.shape[1]):
        total += rows[:, q].astype(np.float64) ** 2
    return total


def cosines(x: np.ndarray, rows: np.ndarray, squared: np.ndarray | None = None) -> np.ndarray:
    """Cosines of one row to all rows."""
    squared = squared_norms(rows) if squared is None else squared
    own = squared_norms(x[None])[0]
    return np.clip(products(x, rows) / np.sqrt(own * squared), -1.0, 1.0)


def cosine_matrix(rows: np.ndarray) -> np.ndarray:
    """Cosines of all rows of a small table to each other; the same sums in the same order."""
    total = np.zeros((len(rows), len(rows)), np.float64)
    for q in range(rows.shape[1]):
        column = rows[:, q].astype(np.float64)
        total += np.outer(column, column)
    own = np.diag(total)
    return np.clip(total / np.sqrt(np.outer(own, own)), -1.0, 1.0)


@numba.njit
def _sums(x: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Sequential float64 sums of every row of x with every column, in the order of the coordinates.

    A few columns at a time, copied side by side so that they stay in cache; each sum is the same loop.
    """
    total = np.zeros((x.shape[0], columns.shape[1]))
    for start in range(0, columns.shape[1], 64):
        some = columns[:, start : start + 64].copy()
        for i in range(x.shape[0]):
            own = total[i, start : start + 64]
            for q in range(x.shape[1]):
                for j in range(some.shape[1]):
                    own[j] += x[i, q] * some[q, j]
    return total


def cosine_blocks(rows: np.ndarray, some: np.ndarray, block: int = 100) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(positions, their cosines to all rows), a block of `some` at a time; the same sums in the same order."""
    columns = np.ascontiguousarray(rows.T, dtype=np.float64)
    squared = squared_norms(rows)
    for start in range(0, len(some), block):
        at = some[start : start + block]
        yield at, np.clip(_sums(rows[at].astype(np.float64), columns) / np.sqrt(np.outer(squared[at], squared)), -1, 1)


def neighbors(rows: np.ndarray, i: int, k: int, squared: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest of row i by (cosine descending, position ascending), itself left out by position."""
    values = cosines(rows[i], rows, squared)
    order = np.lexsort((np.arange(len(rows)), -values))
    order = order[order != i][:k]
    return order, values[order]


def extreme_pairs(rows: np.ndarray) -> tuple[tuple[float, int, int], tuple[float, int, int]]:
    """The closest and the farthest pair as (value, i, j), i < j, the first by (i, j) where values tie."""
    squared = squared_norms(rows)
    best, worst = (-2.0, -1, -1), (2.0, -1, -1)
    for i in range(len(rows) - 1):
        values = cosines(rows[i], rows[i + 1 :], squared[i + 1 :])
        high, low = int(np.argmax(values)), int(np.argmin(values))
        if values[high] > best[0]:
            best = (float(values[high]), i, i + 1 + high)
        if values[low] < worst[0]:
            worst = (float(values[low]), i, i + 1 + low)
    return best, worst
