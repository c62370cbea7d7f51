"""All pairs at or above a cosine, streamed: near-duplicate search in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Float64, Int64

from armillary.errors import UsageError
from armillary.scan.bound import screen_bound
from armillary.scan.dense import pair_cosines
from armillary.scan.plan import DENSE
from armillary.scan.result import Rows
from armillary.scan.rows import Distinct, distinct, read_rows

_COLUMNS = 8192


@dataclass(frozen=True, eq=False)
class PairBlock:
    """Pairs of positions i < j with their cosines, by (i, j) within the block."""

    i: Int64[np.ndarray, "p"]
    j: Int64[np.ndarray, "p"]
    value: Float64[np.ndarray, "p"]


def pairs_above(rows: Rows, threshold: float) -> Iterator[PairBlock]:
    """All pairs i < j with cosine ≥ threshold, exact at the threshold, in blocks that come in no promised order.

    Equal rows are compared once and expanded. A pair with c ≥ threshold has a screened value ≥ threshold − β; those
    pairs are scored by the definition. UsageError for a threshold that is not a number.
    """
    if not np.isfinite(threshold):
        raise UsageError(f"expected a threshold that is a finite number, found {threshold}")
    return _stream(distinct(read_rows(rows)), threshold)


def _stream(rows: Distinct, threshold: float) -> Iterator[PairBlock]:
    m = len(rows)
    members = np.argsort(rows.group, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows.group))])
    if threshold <= 1:
        yield from _equal(members, offsets)
    unit = rows.units
    cut = np.nextafter(np.float32(threshold - screen_bound(unit.shape[1])), np.float32(-np.inf))
    step = DENSE // _COLUMNS
    for a in range(0, m, step):
        for c in range(a, m, _COLUMNS):
            row, column = np.nonzero(unit[a : a + step] @ unit[c : c + _COLUMNS].T >= cut)
            upper = c + column > a + row
            i, j = a + row[upper], c + column[upper]
            value = pair_cosines(rows, i, j)
            keep = value >= threshold
            if keep.any():
                yield _expanded(i[keep], j[keep], value[keep], members, offsets)


def _equal(members: np.ndarray, offsets: np.ndarray) -> Iterator[PairBlock]:
    """The pairs of equal rows, one member against its later fellows at a time."""
    for start, stop in pairwise(offsets.tolist()):
        for at in range(start, stop - 1):
            j = members[at + 1 : stop]
            yield PairBlock(np.full(len(j), members[at]), j, np.ones(len(j)))


def _expanded(i: np.ndarray, j: np.ndarray, value: np.ndarray, members: np.ndarray, offsets: np.ndarray) -> PairBlock:
    """Pairs of distinct rows to pairs of their members."""
    wide, high = offsets[j + 1] - offsets[j], offsets[i + 1] - offsets[i]
    times = wide * high
    pair = np.repeat(np.arange(len(i)), times)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(times) - times, times)
    left = members[offsets[i][pair] + within // wide[pair]]
    right = members[offsets[j][pair] + within % wide[pair]]
    low, high = np.minimum(left, right), np.maximum(left, right)
    order = np.lexsort((high, low))
    return PairBlock(low[order], high[order], value[pair][order])
