"""The closest pair of a real table, to stand beside a packing of the same size."""

from __future__ import annotations

import numpy as np

from armillary.origins.packing.large import closest_pair
from armillary.sphere import Code
from armillary.table import Table


def closest_distinct(table: Table, lines: bool = False) -> float:
    """Largest cosine (|cosine| for lines) over the rows that have a direction, of equal rows only the first.

    Equal rows would make it 1 and say nothing about how the rest are spread.
    """
    code = Code.of(table)
    repeated = {id for group in table.row_facts.equal_groups for id in group[1:]}
    kept = np.array([id for id in code.ids.tolist() if id not in repeated], np.int64)
    rows = table.rows(kept).astype(np.float64)
    unit = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return closest_pair(unit, lines)[0]
