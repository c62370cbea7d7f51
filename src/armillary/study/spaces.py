"""The spaces a table can be looked at in: as it is, and after a repair that needs nothing but the rows themselves.

A space is a study of its own, over the repaired table: whatever can be asked of the raw rows can be asked there. The
repaired rows are held in memory, so a large table keeps one repaired space at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from armillary.errors import UsageError

if TYPE_CHECKING:
    from armillary.study.study import Progress, Study

# space -> the repair that leads there; None: the rows as they are
SPACES: Mapping[str, str | None] = {
    "raw": None,
    "centred": "centre",
    "all-but-the-top": "all-but-the-top",
    "whitened": "whiten",
}
LARGE = 256 << 20  # bytes of float32 rows above which one repaired space is kept at a time


def space_of(study: Study, name: str, progress: Progress | None = None) -> Study:
    """The study of this table in a space by name; UsageError for an unknown name, or rows that cannot be repaired so."""
    from armillary.repairs import fit, held_in_memory, repaired_table
    from armillary.study.study import Study

    check_space(name)
    method = SPACES[name]
    if method is None:
        return study
    if name not in study.spaces:
        table = held_in_memory(repaired_table(study.table, fit(study.code, method, progress=progress)), progress)
        if 4 * study.shape[0] * study.shape[1] > LARGE:
            study.spaces.clear()
        there = Study(table, without=study.without, cache=False, space=name)
        _ = there.code  # its pass over the rows belongs to the preparation, not to the first question
        study.spaces[name] = there
    return study.spaces[name]


def check_space(name: str) -> None:
    """UsageError unless there is a space of that name."""
    if name not in SPACES:
        raise UsageError(f"expected a space among {', '.join(SPACES)}, found {name!r}")
