"""The one definition of a cosine, without compiled code.

A cosine of rows x, y is s_xy / √(s_xx · s_yy), clipped to [−1, 1], where s is one sequential float64 loop over the raw
float32 rows, coordinate by coordinate. A product of two float32 numbers is exact in float64, so a fused multiply-add
could not change the sum: only the order matters, and it is fixed. `loops.py` holds the same loop compiled; the two
are equal to the last bit.
"""

from __future__ import annotations

import numpy as np

from armillary.shapes import Float32, Float64

_CHUNK = 1 << 20
"""Products held at a time."""


def row_products(x: Float32[np.ndarray, "m d"], y: Float32[np.ndarray, "m d"]) -> Float64[np.ndarray, "m"]:
    """Σ_q x_q·y_q of each row of x with the same row of y, summed in order in float64."""
    m, d = x.shape
    out = np.empty(m, np.float64)
    step = max(1, _CHUNK // d)
    for a in range(0, m, step):
        terms = x[a : a + step].astype(np.float64)
        terms *= y[a : a + step]
        # numpy's cumulative sum is the sequential loop; + 0.0 is the loop's start, which turns −0.0 into 0.0
        out[a : a + step] = np.add.accumulate(terms, axis=1, out=terms)[:, -1] + 0.0
    return out


def squared_norms(x: Float32[np.ndarray, "m d"]) -> Float64[np.ndarray, "m"]:
    """s_xx of each row."""
    return row_products(x, x)


def cosines(
    products: Float64[np.ndarray, "m"], left: Float64[np.ndarray, "m"], right: Float64[np.ndarray, "m"]
) -> Float64[np.ndarray, "m"]:
    """s_xy / √(s_xx · s_yy), clipped to [−1, 1]."""
    return np.clip(products / np.sqrt(left * right), -1.0, 1.0)
