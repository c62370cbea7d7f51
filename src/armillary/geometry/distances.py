"""Euclidean distances of a sample of distinct rows to their nearest ones in the sample: what dimension is read from.

Candidates come from a float32 product of the centred rows; the distances themselves are taken from the differences in
float64, so that close rows keep their digits. Equal rows are counted once: a distance of 0 has no logarithm.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armillary.shapes import Float32, Float64
from armillary.sphere import Code

_BLOCK = 512
_SPARE = 12  # candidates beyond those asked for, against the rounding of the float32 product


def distinct_sample(code: Code, rows: int, seed: int) -> Float32[np.ndarray, "m d"]:
    """At most `rows` rows of a code drawn with a seed, each value once (−0.0 = 0.0), in the order of the code."""
    n = len(code)
    at = np.arange(n) if n <= rows else np.sort(np.random.default_rng(seed).choice(n, rows, replace=False))
    taken = code.take(at) + np.float32(0.0)  # −0.0 becomes 0.0
    as_bytes = np.ascontiguousarray(taken).view(np.dtype((np.void, taken.itemsize * taken.shape[1]))).ravel()
    _, first = np.unique(as_bytes, return_index=True)
    return taken[np.sort(first)]


def nearest_distances(
    x: Float32[np.ndarray, "m d"], k: int, progress: Callable[[int, int], None] | None = None
) -> Float64[np.ndarray, "m k"]:
    """Distances of each row to its k nearest others, ascending; k is clipped to m − 1. progress(rows done, rows)."""
    m = len(x)
    k = min(k, m - 1)
    wide = x - x.mean(0, dtype=np.float64)
    size = float(np.abs(wide).max(initial=0.0)) or 1.0
    centred = (wide / size).astype(np.float32)  # scaled, so that squares neither overflow nor vanish
    squares = np.vecdot(centred, centred)
    out = np.empty((m, k))
    for start in range(0, m, _BLOCK):
        stop = min(start + _BLOCK, m)
        screen = squares - 2 * (centred[start:stop] @ centred.T)
        screen[np.arange(stop - start), np.arange(start, stop)] = np.inf
        kept = min(k + _SPARE, m - 1)
        near = np.argpartition(screen, kept - 1, axis=1)[:, :kept]
        difference = wide[near] - wide[start:stop, None]
        exact = np.sqrt(np.einsum("mkd,mkd->mk", difference, difference))
        out[start:stop] = np.sort(exact, axis=1)[:, :k]
        if progress:
            progress(stop, m)
    return out
