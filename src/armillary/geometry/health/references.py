"""Reference rows: rows that no text can have trained, by which hardly trained rows are known.

Found by what a token is, never by its row: bytes that UTF-8 never uses, names that say they are unused or reserved,
and rows that have no token at all. They can be shown, and replaced by ids of the user's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from armillary.errors import UsageError
from armillary.shapes import Int64
from armillary.table import Kind, Table

# bytes that occur in no UTF-8 text: two would make over-long forms, the others lead beyond U+10FFFF
_NEVER_IN_UTF8 = frozenset({0xC0, 0xC1, *range(0xF5, 0x100)})
GIVEN = "given"


@dataclass(frozen=True, eq=False)
class References:
    """Reference rows: `ids` (r) ascending; `reasons` says for each reason which ids it gave."""

    ids: Int64[np.ndarray, "r"]
    reasons: Mapping[str, Int64[np.ndarray, "m"]]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def automatic(self) -> bool:
        """Whether they were found here rather than given."""
        return GIVEN not in self.reasons


def reference_rows(table: Table, given: Int64[np.ndarray, "r"] | None = None) -> References:
    """The reference rows of a table, or `given` ones; rows without a direction are never among them.

    UsageError for an id outside the table, or where none of the given rows has a direction.
    """
    usable = np.isfinite(table.row_facts.norms) & (table.row_facts.norms > 0)
    if given is not None:
        return _given(table, np.unique(np.asarray(given, np.int64)), usable)
    kinds = table.vocabulary.kinds
    reasons = {
        "byte that UTF-8 never uses": _impossible_bytes(table),
        "named unused or reserved": np.flatnonzero(kinds == Kind.UNUSED),
        "no token": np.flatnonzero(kinds == Kind.NO_TOKEN),
    }
    kept = {reason: ids[usable[ids]].astype(np.int64) for reason, ids in reasons.items()}
    kept = {reason: ids for reason, ids in kept.items() if len(ids)}
    return References(np.unique(np.concatenate([np.zeros(0, np.int64), *kept.values()])), kept)


def _given(table: Table, ids: np.ndarray, usable: np.ndarray) -> References:
    outside = ids[(ids < 0) | (ids >= len(table))]
    if len(outside):
        raise UsageError(
            f"expected reference ids from 0 to {len(table) - 1:,}, found {int(outside[0]):,}",
            "write ids and ranges, both ends included: 6..104,300",
        )
    ids = ids[usable[ids]]
    if not len(ids):
        raise UsageError("expected reference rows with a direction, found none among those given")
    return References(ids, {GIVEN: ids})


def _impossible_bytes(table: Table) -> np.ndarray:
    vocabulary = table.vocabulary
    alone = [i for i, raw in enumerate(vocabulary.raw) if len(raw) == 1 and raw[0] in _NEVER_IN_UTF8]
    return np.array(alone, np.int64)


def parse_ids(text: str) -> Int64[np.ndarray, "m"]:
    """Ids from `6..104,300`: numbers and ranges with both ends, by comma; UsageError for anything else."""
    found: list[np.ndarray] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,12})(?:\.\.(\d{1,12}))?\s*", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first or last - first > 10_000_000:
            raise UsageError(f"expected ids such as 6..104,300, found {text!r}", "both ends of a range are included")
        found.append(np.arange(first, last + 1))
    return np.unique(np.concatenate(found))
