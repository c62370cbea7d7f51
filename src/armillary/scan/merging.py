"""Equal rows merged by the compiled loops, block by block on all threads."""

from __future__ import annotations

import hashlib

import numpy as np

from armillary.scan import loops
from armillary.scan.crew import Crew
from armillary.scan.rows import BLOCK, Distinct, merge
from armillary.shapes import Float32


def merge_rows(x: Float32[np.ndarray, "n d"], crew: Crew) -> Distinct:
    """As `distinct`, compiled, and shared by the crew; with a fingerprint of all rows."""
    hashes = np.empty(len(x), np.uint64)

    def hash_block(a: int, _worker: int) -> None:
        loops.row_hashes(x, a, min(a + BLOCK, len(x)), hashes)

    crew.each(hash_block, range(0, len(x), BLOCK))
    first, group = merge(x, hashes)
    squared = np.empty(len(first), np.float64)

    def square_block(a: int, _worker: int) -> None:
        loops.squared_norms(x, first, a, min(a + BLOCK, len(first)), squared)

    crew.each(square_block, range(0, len(first), BLOCK))
    return Distinct(x, first, group, squared, hashlib.blake2b(hashes.data).digest())


def as_they_are(x: Float32[np.ndarray, "n d"], which: np.ndarray, crew: Crew) -> Distinct:
    """Rows at the positions `which`, none merged with another: position p of `first` is the p-th of them."""
    which = np.ascontiguousarray(which, np.int64)
    squared = np.empty(len(which), np.float64)

    def square_block(a: int, _worker: int) -> None:
        loops.squared_norms(x, which, a, min(a + BLOCK, len(which)), squared)

    crew.each(square_block, range(0, len(which), BLOCK))
    return Distinct(x, which, np.arange(len(which)), squared)
