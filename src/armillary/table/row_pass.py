"""The one pass over the rows of a table: zero, non-finite and equal rows, norms, hash, and what decoding lost.

Equal rows are found in two steps, so that the pass costs little more than reading: a 64-bit key per row, from whole
array operations, and then, for the few rows that share a key, a 128-bit digest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import numpy as np

from armillary.shapes import Float32, Int64, UInt64
from armillary.table.facts import RowFacts
from armillary.table.rows import LossyRows, RowDecoder

_STEP = 4096  # suspected rows decoded at a time
_Block: TypeAlias = tuple[int, np.ndarray]  # first id, float32 rows (n, d)


def measure_rows(
    rows: RowDecoder, blocks: Iterable[_Block], progress: Callable[[int, int], None] | None = None
) -> RowFacts:
    """Row facts from the blocks of a table in order; progress(rows done, rows) after each."""
    total, width = rows.shape
    digest = hashlib.sha256()
    norms = np.empty(total, np.float64)
    keys = np.empty(total, np.uint64)
    multipliers = _multipliers(width)
    loss, outside = 0.0, [np.zeros(0, np.int64)]
    for start, block in blocks:
        stop = start + len(block)
        digest.update(np.ascontiguousarray(block, "<f4").data)
        with np.errstate(invalid="ignore"):  # inf and NaN are what is looked for
            norms[start:stop] = np.sqrt(np.einsum("nd,nd->n", block, block, dtype=np.float64))
            keys[start:stop] = _row_keys(block, multipliers)
        if isinstance(rows, LossyRows):
            loss = max(loss, rows.relative_loss(start, stop))
            if not (np.isfinite(norms[start:stop]) & (norms[start:stop] > 0)).all():
                outside.append(start + np.flatnonzero(rows.outside(start, stop)))
        if progress:
            progress(stop, total)
    regular = np.isfinite(norms) & (norms > 0)
    groups = _equal_groups(rows, keys, np.flatnonzero(regular))
    zero, non_finite = np.flatnonzero(norms == 0), np.flatnonzero(~np.isfinite(norms))
    return RowFacts(zero, non_finite, groups, digest.hexdigest(), norms, loss, np.concatenate(outside))


def _multipliers(width: int) -> UInt64[np.ndarray, "d"]:
    return np.random.default_rng(0).integers(0, 1 << 63, width, np.uint64) * np.uint64(2) + np.uint64(1)


def _row_keys(block: Float32[np.ndarray, "n d"], multipliers: UInt64[np.ndarray, "d"]) -> UInt64[np.ndarray, "n"]:
    """Σ bits(x_q) · m_q mod 2⁶⁴ with odd random m: equal for equal values, −0.0 and 0.0 alike, in any block."""
    canonical = block + np.float32(0.0)  # −0.0 + 0.0 = 0.0
    return np.einsum("nd,d->n", canonical.view(np.uint32), multipliers)


def _equal_groups(
    rows: RowDecoder, keys: UInt64[np.ndarray, "V"], ids: Int64[np.ndarray, "n"]
) -> tuple[tuple[int, ...], ...]:
    """Groups of equal rows among these ids, by first id."""
    groups: dict[bytes, list[int]] = {}
    for id, digest in _digests(rows, _sharing(keys, ids)):
        groups.setdefault(digest, []).append(id)
    return tuple(sorted(tuple(group) for group in groups.values() if len(group) > 1))


def _sharing(keys: UInt64[np.ndarray, "V"], ids: Int64[np.ndarray, "n"]) -> Int64[np.ndarray, "m"]:
    """The ids whose key another has too, ascending."""
    _, inverse, counts = np.unique(keys[ids], return_inverse=True, return_counts=True)
    return ids[counts[inverse] > 1]


def _digests(rows: RowDecoder, ids: Int64[np.ndarray, "m"]) -> Iterator[tuple[int, bytes]]:
    for start in range(0, len(ids), _STEP):
        some = ids[start : start + _STEP]
        for id, row in zip(some.tolist(), rows.take(some) + np.float32(0.0), strict=True):
            yield id, hashlib.blake2b(row, digest_size=16).digest()
