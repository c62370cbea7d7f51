"""The comparison of two tables: join, bit-equal rows, alignment, CKA, neighbour overlap, drift."""

from __future__ import annotations

import numpy as np

from armillary.errors import UsageError
from armillary.geometry.two_tables.align import align
from armillary.geometry.two_tables.join import Join, join
from armillary.geometry.two_tables.overlap import neighbor_overlap
from armillary.geometry.two_tables.result import Moved, TableComparison
from armillary.geometry.two_tables.similarity import linear_cka
from armillary.shapes import Float32, Int64
from armillary.table import Table

_MOST_MOVED = 1_000


def compare_tables(a: Table, b: Table, k: int = 10) -> TableComparison:
    """Compare two tables over the tokens they share; `k` neighbours for the overlap.

    UsageError where they share none: rows are never joined by position, unless both name them by id.
    """
    if k < 1:
        raise UsageError(f"expected k of at least 1, found {k}")
    joined = join(a.vocabulary, b.vocabulary)
    if not len(joined):
        raise UsageError(
            f"expected two tables with tokens in common, found none among {len(a):,} and {len(b):,}",
            "rows are joined by their tokens, never by position; --tokens names the rows of a bare array",
        )
    used = np.flatnonzero(_directed(a)[joined.a] & _directed(b)[joined.b])
    x, y = a.rows(joined.a[used]), b.rows(joined.b[used])
    aligned = align(x, y) if len(used) else None
    overlap = neighbor_overlap(x, y, k) if len(used) else None
    same_width = a.shape[1] == b.shape[1]
    return TableComparison(
        joined,
        used,
        _equal(a, b, joined) if same_width else 0,
        _moved(x, y, joined, used) if same_width else (),
        (
            *(aligned.measures if aligned else ()),
            *((linear_cka(x, y),) if len(used) > 1 else ()),
            *((overlap,) if overlap else ()),
        ),
        aligned.cosines if aligned else np.zeros(0),
        aligned.how if aligned else "as it is",
        b.row_facts.norms[joined.b[used]] / a.row_facts.norms[joined.a[used]],
    )


def _directed(table: Table) -> np.ndarray:
    norms = table.row_facts.norms
    return np.isfinite(norms) & (norms > 0)


def _equal(a: Table, b: Table, joined: Join, step: int = 8192) -> int:
    return sum(
        int((a.rows(joined.a[s : s + step]) == b.rows(joined.b[s : s + step])).all(axis=1).sum())
        for s in range(0, len(joined), step)
    )


def _moved(
    x: Float32[np.ndarray, "n d"], y: Float32[np.ndarray, "n d"], joined: Join, used: Int64[np.ndarray, "n"]
) -> tuple[Moved, ...]:
    """Rows of x that differ from their own partner and equal the row of another token: swapped or shifted rows."""
    changed = np.flatnonzero((x != y).any(axis=1))
    place: dict[bytes, list[int]] = {}
    for i in changed.tolist():
        place.setdefault((y[i] + np.float32(0)).tobytes(), []).append(i)
    found: list[Moved] = []
    for i in changed.tolist():
        others = place.get((x[i] + np.float32(0)).tobytes(), [])
        found += [Moved(int(joined.a[used[i]]), int(joined.b[used[j]])) for j in others[:1]]
    return tuple(found[:_MOST_MOVED])
