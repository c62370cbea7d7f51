"""The inner loop of batched ranks: per row of a matrix of scores, how many lie surely above, how many perhaps."""

from __future__ import annotations

import numba
import numpy as np


@numba.njit(nogil=True, cache=False, fastmath=False)
def count_above(scores: np.ndarray, high: np.ndarray, low: np.ndarray, surely: np.ndarray, perhaps: np.ndarray) -> None:
    """surely[q] = #{s > high[q]}, perhaps[q] = #{s ≥ low[q]} over scores (q, n); NaN counts for neither."""
    for q in range(scores.shape[0]):
        above, near = 0, 0
        for j in range(scores.shape[1]):
            above += scores[q, j] > high[q]
            near += scores[q, j] >= low[q]
        surely[q], perhaps[q] = above, near
