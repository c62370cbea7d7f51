"""Duplicates: rows that are equal, and rows whose directions are (cosine within 10⁻⁶ of 1).

Equal rows are known exactly from the pass over the table. Nearly equal ones are read off the neighbour lists: a row
with more than k of them hides some, and the measure counts such rows rather than claim to be complete.
"""

from __future__ import annotations

import numpy as np

from armillary.measure import Definition, Measure
from armillary.scan.result import Scan
from armillary.sphere import Code

NEAR = 1e-6
MOST_GROUPS = 100  # in a measure's detail; the count is over all

EQUAL_ROWS = Definition(
    "equal_rows",
    "Equal rows",
    "n − number of distinct rows (−0.0 = 0.0)",
    "How many rows repeat an earlier row exactly; the detail lists the groups, largest first.",
    "elementary",
    "raw rows of the code",
    unit="rows",
    low=0.0,
)
NEAR_DUPLICATES = Definition(
    "near_duplicates",
    "Rows of one direction",
    "n − number of groups joined by cosines ≥ 1 − 10⁻⁶",
    "How many rows have, within 10⁻⁶, the direction of an earlier row. Equal rows are among them.",
    "elementary",
    "normalised, not centred, all rows of the code",
    unit="rows",
    low=0.0,
)
DEFINITIONS = (EQUAL_ROWS, NEAR_DUPLICATES)


def equal_groups(code: Code) -> list[tuple[int, ...]]:
    """Groups of two or more ids of the code whose rows are equal, ids ascending, largest group first, then by id."""
    kept = np.zeros(len(code.table), bool)
    kept[code.ids] = True
    groups = [tuple(i for i in group if kept[i]) for group in code.table.row_facts.equal_groups]
    return _ordered(groups)


def count_equal(code: Code) -> int:
    """How many rows of the code repeat an earlier one exactly."""
    return sum(len(group) - 1 for group in equal_groups(code))


def equal_rows(code: Code) -> Measure:
    """The count of equal rows, with its groups."""
    groups = equal_groups(code)
    return _measure(EQUAL_ROWS, groups, len(code), {})


def near_duplicates(scan: Scan, near: float = NEAR) -> Measure:
    """The count of rows that share a direction, with their groups and how many rows may hide more of them."""
    groups = near_groups(scan, near)
    full = scan.k < len(scan.ids) - 1
    hidden = int((scan.similarities[:, -1] >= 1.0 - near).sum()) if full and scan.k else 0
    detail = {"threshold": 1.0 - near, "rows_that_may_have_more": hidden}
    found = _measure(NEAR_DUPLICATES, groups, len(scan.ids), detail)
    return found if not hidden else Measure(found.definition, found.value, found.n, "bound", detail=found.detail)


def near_groups(scan: Scan, near: float = NEAR) -> list[tuple[int, ...]]:
    """Groups of ids joined by cosines ≥ 1 − near in the neighbour lists, largest first, then by id."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = np.nonzero(scan.similarities >= 1.0 - near)
    others = np.searchsorted(scan.ids, scan.neighbors[rows, columns])
    n = len(scan.ids)
    graph = coo_array((np.ones(len(rows), np.int8), (rows, others)), shape=(n, n))
    _, label = connected_components(graph, directed=False)
    sizes = np.bincount(label, minlength=1)
    grouped = np.flatnonzero(sizes[label] > 1)
    order = grouped[np.argsort(label[grouped], kind="stable")]
    cuts = np.flatnonzero(np.diff(label[order])) + 1
    return _ordered([tuple(scan.ids[part].tolist()) for part in np.split(order, cuts)])


def _measure(definition: Definition, groups: list[tuple[int, ...]], n: int, detail: dict[str, object]) -> Measure:
    extra = sum(len(group) - 1 for group in groups)
    shown = [list(group) for group in groups[:MOST_GROUPS]]
    return Measure(definition, float(extra), n, detail={**detail, "groups": len(groups), "largest_groups": shown})


def _ordered(groups: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    return sorted((g for g in groups if len(g) > 1), key=lambda group: (-len(group), group))
