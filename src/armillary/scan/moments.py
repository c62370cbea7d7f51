"""Moments of the cosine over all pairs, without visiting pairs where a formula knows better."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64

from armillary.errors import UsageError
from armillary.scan.result import Moments, Rows
from armillary.scan.rows import Distinct, distinct, read_rows

_BLOCK = 1024


def moments(rows: Distinct) -> Moments | None:
    """Mean and mean square of cos over pairs i < j, from Σu and the Gram matrix; None for a single row.

    mean = (‖Σu‖² − n) / (n(n−1)); mean square = (‖UᵀU‖²_F − n) / (n(n−1)), ‖UᵀU‖_F = ‖UUᵀ‖_F. In float64, in blocks.
    """
    n, weight = len(rows.group), np.bincount(rows.group).astype(np.float64)
    if n == 1:
        return None
    d = rows.x.shape[1]
    if len(rows) < d:
        unit = rows.unit(0, len(rows), np.float64) * np.sqrt(weight)[:, None]
        return _of_sums(n, unit.T @ np.sqrt(weight), unit @ unit.T)
    total, gram = np.zeros(d), np.zeros((d, d))
    for a in range(0, len(rows), _BLOCK):
        b = min(a + _BLOCK, len(rows))
        unit = rows.unit(a, b, np.float64)
        total += weight[a:b] @ unit
        unit *= np.sqrt(weight[a:b])[:, None]
        gram += unit.T @ unit
    return _of_sums(n, total, gram)


def _of_sums(n: int, total: np.ndarray, gram: np.ndarray) -> Moments:
    ordered = n * (n - 1)
    return Moments(float(total @ total - n) / ordered, float(np.vdot(gram, gram) - n) / ordered)


def even_moments(rows: Rows, orders: Sequence[int]) -> Float64[np.ndarray, "o"]:
    """Mean of cos^{2k} over all n² ordered pairs (i = j counted), for each k of `orders`, in float64 by blocks.

    For a spherical t-design it equals Π_{i<k}(2i+1)/(d+2i) whenever 2k ≤ t. UsageError for an order below 1.
    """
    if not len(orders) or min(orders) < 1:
        raise UsageError(f"expected orders of at least 1, found {list(orders)}")
    merged = distinct(read_rows(rows))
    m, weight = len(merged), np.bincount(merged.group).astype(np.float64)
    sums = np.zeros(max(orders))
    step = max(1, min(m, (1 << 22) // min(m, 8192)))
    for a in range(0, m, step):
        left = merged.unit(a, min(a + step, m), np.float64)
        for c in range(0, m, 8192):
            square = left @ merged.unit(c, min(c + 8192, m), np.float64).T
            square *= square
            power = np.ones_like(square)
            for order in range(len(sums)):
                power *= square
                sums[order] += weight[a : a + step] @ power @ weight[c : c + 8192]
    return sums[np.asarray(orders) - 1] / len(merged.group) ** 2
