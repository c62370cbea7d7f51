"""From distinct rows back to all rows: the lists and extreme pairs that the unmerged table has, exactly.

Distinct rows are numbered by first position, so that their order is that of their first members. Let a row's list
hold its k nearest distinct rows by (value, number). Each of them has a member that precedes every member of a distinct
row left out, so the k nearest members all come from the list, or are equal to the row itself (cosine exactly 1, since
√(s²) = s in binary arithmetic).
"""

from __future__ import annotations

import numpy as np

from armillary.scan.result import Pair
from armillary.scan.rows import Distinct


def expand_lists(rows: Distinct, ids: np.ndarray, best: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(positions, cosines) of all rows, k each, from the lists of distinct rows."""
    n = len(rows.group)
    if len(rows) == n:
        return ids[:, :k], best[:, :k]
    members = np.argsort(rows.group, kind="stable")
    counts = np.bincount(rows.group)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    out_ids, out_best = np.empty((n, k), np.int64), np.empty((n, k), np.float64)
    plain = np.zeros(len(rows), bool)
    if ids.shape[1] >= k:
        plain = (counts == 1) & (counts[ids].max(axis=1) == 1)
        out_ids[rows.first[plain]] = rows.first[ids[plain, :k]]
        out_best[rows.first[plain]] = best[plain, :k]
    for g in np.flatnonzero(~plain).tolist():
        own = members[offsets[g] : offsets[g + 1]]
        _expand_group(own, g, ids[g], best[g], members, offsets, k, out_ids, out_best)
    return out_ids, out_best


def _expand_group(
    own: np.ndarray,
    g: int,
    ids: np.ndarray,
    best: np.ndarray,
    members: np.ndarray,
    offsets: np.ndarray,
    k: int,
    out_ids: np.ndarray,
    out_best: np.ndarray,
) -> None:
    """Lists of the equal rows `own`: the same candidates, each without itself; k + 1 of a kind are enough."""
    groups, values = np.concatenate([[g], ids]), np.concatenate([[1.0], best])
    parts = [members[offsets[h] : offsets[h + 1]][: k + 1] for h in groups]
    position = np.concatenate(parts)
    value = np.repeat(values, [len(part) for part in parts])
    order = np.lexsort((position, -value))
    position, value = position[order], value[order]
    for i in own:
        others = np.flatnonzero(position[: k + 1] != i)[:k]
        out_ids[i], out_best[i] = position[others], value[others]


def equal_pair(rows: Distinct) -> Pair | None:
    """The first pair (i, j) of equal rows, with cosine 1; None if all rows differ."""
    later = np.ones(len(rows.group), bool)
    later[rows.first] = False
    repeats = np.flatnonzero(later)
    if not len(repeats):
        return None
    starts = rows.first[rows.group[repeats]]
    at = np.lexsort((repeats, starts))[0]
    return Pair(1.0, int(starts[at]), int(repeats[at]))


def closest_pair(rows: Distinct, ids: np.ndarray, best: np.ndarray) -> Pair | None:
    """The closest pair of distinct rows: the first row that attains the maximum has its partner after it."""
    if not ids.shape[1]:
        return None
    i = int(np.argmax(best[:, 0]))
    return Pair(float(best[i, 0]), int(rows.first[i]), int(rows.first[ids[i, 0]]))


def closer(left: Pair | None, right: Pair | None) -> Pair | None:
    """The closer of two pairs, the first by (i, j) of a tie."""
    pairs = [pair for pair in (left, right) if pair]
    return min(pairs, key=lambda pair: (-pair.value, pair.i, pair.j), default=None)


def farther(left: Pair | None, right: Pair | None) -> Pair | None:
    """The farther of two pairs, the first by (i, j) of a tie."""
    pairs = [pair for pair in (left, right) if pair]
    return min(pairs, key=lambda pair: (pair.value, pair.i, pair.j), default=None)
