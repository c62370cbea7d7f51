"""Packing a code too large for all pairs at once: blocks of rows pushed away from their nearest, the rest at rest.

A step takes a block of rows, their cosines to every row, and moves each row of the block against the softmax-weighted
mean of its nearest. The sharpness grows and the step shrinks over the epochs. This is a descent on the mean of the
rows' own largest cosines, one block of coordinates at a time: it ends far below the random code, it is not a
minimum of the largest cosine, and nothing is polished.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armillary.shapes import Float32

BLOCK = 1024
FIRST_STEP, LAST_STEP = 0.5, 0.02
FIRST_SHARPNESS, LAST_SHARPNESS = 20.0, 400.0


def spread(
    rows: Float32[np.ndarray, "n d"],
    generator: np.random.Generator,
    lines: bool = False,
    epochs: int = 20,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Float32[np.ndarray, "n d"], bool]:
    """Unit rows after `epochs` passes of blocks, and whether it was interrupted; the argument is not changed."""
    rows = rows.copy()
    blocks = -(-len(rows) // BLOCK)
    total, done = epochs * blocks, 0
    try:
        for _ in range(epochs):
            for block in np.array_split(generator.permutation(len(rows)), blocks):
                _push(rows, block, done / total, lines)
                done += 1
                if progress:
                    progress(done, total)
    except KeyboardInterrupt:
        return rows, True
    return rows, False


def _push(rows: np.ndarray, block: np.ndarray, share: float, lines: bool) -> None:
    step = FIRST_STEP * (LAST_STEP / FIRST_STEP) ** share
    sharpness = FIRST_SHARPNESS * (LAST_SHARPNESS / FIRST_SHARPNESS) ** share
    cosines = rows[block] @ rows.T  # (block, n) float32
    cosines[np.arange(len(block)), block] = 0.0
    signs = np.sign(cosines) if lines else None
    if lines:
        np.abs(cosines, out=cosines)
    weights = np.exp(np.float32(sharpness) * (cosines - cosines.max(axis=1, keepdims=True)))
    weights[np.arange(len(block)), block] = 0.0
    weights /= weights.sum(axis=1, keepdims=True)
    if signs is not None:
        weights *= signs
    moved = rows[block] - np.float32(step) * (weights @ rows)
    rows[block] = moved / np.linalg.norm(moved, axis=1, keepdims=True)


def closest_pair(rows: Float32[np.ndarray, "n d"], lines: bool = False) -> tuple[float, int, int]:
    """(cosine in float64, i, j) of the closest pair: float32 products screen block by block, float64 decides.

    All pairs are seen. Every pair within the screen's rounding of the largest is recomputed in float64.
    """
    slack = 4e-7 * rows.shape[1] ** 0.5 + 1e-6  # beyond the rounding of a float32 product of unit rows
    largest, found = -2.0, []
    for start in range(0, len(rows) - 1, BLOCK):
        stop = min(start + BLOCK, len(rows))
        cosines = rows[start:stop] @ rows[start:].T
        cosines[np.tril_indices(stop - start, 0, cosines.shape[1])] = -2.0 if not lines else 0.0
        if lines:
            np.abs(cosines, out=cosines)
        largest = max(largest, float(cosines.max()))
        found += [(start + i, start + j) for i, j in np.argwhere(cosines >= largest - slack).tolist()]
    pairs = np.array(found, np.int64)
    exact = np.einsum("md,md->m", rows[pairs[:, 0]].astype(np.float64), rows[pairs[:, 1]].astype(np.float64))
    lengths = np.linalg.norm(rows[pairs.T].astype(np.float64), axis=2)  # (2, m)
    exact = np.clip((np.abs(exact) if lines else exact) / (lengths[0] * lengths[1]), -1.0, 1.0)
    best = int(np.lexsort((pairs[:, 1], pairs[:, 0], -exact))[0])
    return float(exact[best]), int(pairs[best, 0]), int(pairs[best, 1])
