"""The closest pairs, read off the neighbour lists, with the cosine above which the list is surely complete.

A pair that stands in neither row's list has a cosine no larger than the last one of both lists; so no pair above the
second largest of those last cosines can be missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.answer import Listing, cosine
from armillary.geometry.duplicates import equal_groups
from armillary.scan.result import Pair, Scan
from armillary.sphere import Code

COUNT = 100


@dataclass(frozen=True, repr=False)
class ClosestPairs(Listing):
    """Pairs of rows by (cosine descending, i, j), with their tokens.

    `complete_above`: no pair with a larger cosine is missing; −1 where none can be. `distinct`: pairs of byte-equal
    rows are left out.
    """

    pairs: tuple[Pair, ...]
    tokens: tuple[tuple[str, str], ...]
    complete_above: float
    distinct: bool

    @property
    def title(self) -> str:
        rows = "rows that are not equal" if self.distinct else "rows"
        return f"The {len(self.pairs):,} closest pairs of {rows}"

    @property
    def notes(self) -> Sequence[str]:
        if not self.pairs or self.pairs[-1].value > self.complete_above:
            return ()
        return (f"No pair above cosine {cosine(self.complete_above)} is missing; at or below it some may be.",)

    def columns(self) -> Mapping[str, Sequence[Any]]:
        return {
            "i_id": [p.i for p in self.pairs],
            "token": [a for a, _ in self.tokens],
            "j_id": [p.j for p in self.pairs],
            "other_token": [b for _, b in self.tokens],
            "cosine": [p.value for p in self.pairs],
        }

    def to_dict(self) -> dict[str, Any]:
        rows = zip(self.pairs, self.tokens, strict=True)
        return {
            "pairs": [{"i": p.i, "j": p.j, "tokens": list(names), "cosine": p.value} for p, names in rows],
            "complete_above": self.complete_above,
            "distinct": self.distinct,
        }


def closest_pairs(code: Code, scan: Scan, count: int = COUNT, distinct: bool = True) -> ClosestPairs:
    """The `count` closest pairs that the scan's neighbour lists hold; fewer where they hold fewer."""
    n, k = scan.neighbors.shape
    left = np.repeat(scan.ids, k)
    right, values = scan.neighbors.ravel(), scan.similarities.ravel()
    low, high = np.minimum(left, right), np.maximum(left, right)
    if distinct:
        group = _equal_label(code)
        differ = group[low] != group[high]
        low, high, values = low[differ], high[differ], values[differ]
    order = np.lexsort((high, low, -values))
    low, high, values = low[order], high[order], values[order]
    first = np.ones(len(order), bool)  # a pair in both lists stands twice, side by side: its value is one number
    first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    best = np.flatnonzero(first)[:count]
    pairs = tuple(Pair(float(values[q]), int(low[q]), int(high[q])) for q in best)
    tokens = tuple((code.table.token(p.i).text, code.table.token(p.j).text) for p in pairs)
    return ClosestPairs(pairs, tokens, _complete_above(scan, n, k), distinct)


def _complete_above(scan: Scan, n: int, k: int) -> float:
    if k >= n - 1:
        return -1.0
    return float(np.partition(scan.similarities[:, -1], n - 2)[n - 2])


def _equal_label(code: Code) -> np.ndarray:
    """A label for each id of the table, the same for equal rows."""
    label = np.arange(len(code.table))
    for group in equal_groups(code):
        label[list(group)] = group[0]
    return label
