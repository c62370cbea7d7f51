"""Rows whose screened lists overflowed, as in codes full of exact ties: finished exactly in tiles, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Float32, Float64, Int64

from armillary.scan import loops
from armillary.scan.bound import screen_bound
from armillary.scan.crew import Crew
from armillary.scan.plan import COLUMNS, Plan
from armillary.scan.rows import Distinct

_GROUP = 256
"""Flooded rows finished together."""


def finish_flooded(
    rows: Distinct,
    which: Int64[np.ndarray, "m"],
    keep: Float32[np.ndarray, "n"],
    ids: Int64[np.ndarray, "n k"],
    best: Float64[np.ndarray, "n k"],
    crew: Crew,
    tick: Callable[[], None] | None = None,
) -> None:
    """Write the exact lists of rows `which` into (ids, best).

    A neighbour has c ≥ keep_i, so its screened value is ≥ keep_i − β with β the bound of this screen. Columns are
    visited in ascending order; a list once full takes only values that beat its last, so v ≥ c_k − β is asked then.
    """
    n, d = len(rows), rows.x.shape[1]
    bound = screen_bound(d)
    unit = rows.units

    def work(start: int, _worker: int) -> None:
        group = which[start : start + _GROUP]
        cut = keep[group].astype(np.float64) - bound
        held = np.zeros(len(group), np.int64)
        own_ids, own_best = np.empty((len(group), ids.shape[1]), np.int64), np.empty((len(group), ids.shape[1]))
        left = unit[group]
        for j0 in range(0, n, COLUMNS):
            tile = left @ unit[j0 : j0 + COLUMNS].T
            loops.finish_tile(tile, group, j0, cut, bound, rows.x, rows.first, rows.squared, own_best, own_ids, held)
        ids[group], best[group] = own_ids, own_best

    crew.each(work, range(0, len(which), _GROUP), tick)


def finish_farthest(rows: Distinct, plan: Plan, crew: Crew) -> tuple[float, int, int]:
    """The pair of least cosine where too many pairs are near the least: a pass of its own over all tiles.

    Each worker keeps its own least pair; a pair is scored unless its screened value is above it by more than β. Rows
    come in order, so once −1 is found no later block of rows can matter.
    """
    d = rows.x.shape[1]
    bound = screen_bound(d)
    unit = rows.units
    values = [np.full(1, 2.0) for _ in range(crew.threads)]
    pairs = [np.full(2, -1, np.int64) for _ in range(crew.threads)]

    def work(tile: tuple[int, int, int, int], worker: int) -> None:
        i0, i1, j0, j1 = tile
        if any(value[0] == -1.0 and 0 <= pair[0] < i0 for value, pair in zip(values, pairs, strict=True)):
            return
        screened = unit[i0:i1] @ unit[j0:j1].T
        loops.lowest(screened, i0, j0, bound, rows.x, rows.first, rows.squared, values[worker], pairs[worker])

    crew.each(work, plan.tiles())
    return min((float(v[0]), int(p[0]), int(p[1])) for v, p in zip(values, pairs, strict=True) if p[0] >= 0)
