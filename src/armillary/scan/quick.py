"""How a candidate is first summed: the cheapest way that still decides most of them."""

from __future__ import annotations

from armillary.scan.bound import raw_bound
from armillary.scan.grid import grid_unit
from armillary.scan.rows import Distinct


def quick_sum(left: Distinct, right: Distinct) -> tuple[bool, float]:
    """(whether rows of these tables are multiplied in float32, how far that leaves v from the cosine).

    Rows of one table on a grid (`grid.py`) are whole numbers times one power of two; norms that allow float32 at all
    leave it the range, so that its sum is s_xy itself, in any order, and the bound is 0.
    """
    norms = [float(edge()) for side in (left, right) for edge in (side.squared.min, side.squared.max)]
    single, bound = raw_bound(right.x.shape[1], min(norms), max(norms))
    exact = single and left is right and grid_unit(left.x, left.first) is not None
    return single, 0.0 if exact else bound
