"""The passes over the rows that everything else rests on, made when a command can show how they come along."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from armillary.study.study import Progress, Study


def read_facts(study: Study, progress: Progress | None = None) -> None:
    """The row facts of a study, by one pass unless they are known; progress(rows done, rows)."""
    from armillary.study.memory import facts_of

    if "facts" not in study.__dict__:  # where the cached property would put them
        study.__dict__["facts"] = facts_of(study.table, study.path if study.cache else None, progress)


def read_rows(study: Study, progress: Progress | None = None) -> None:
    """The row facts, then the sums that most measures need; progress(rows done in two passes, rows of both)."""
    from armillary.geometry import first_pass

    read_facts(study, _half(progress, 0))
    if "first_pass" not in study.__dict__:
        study.__dict__["first_pass"] = first_pass(study.code, _half(progress, 1))


def _half(progress: Progress | None, passed: int) -> Progress | None:
    """The progress of one of two passes, told as that of both."""
    if progress is None:
        return None
    return lambda done, total: progress(passed * total + done, 2 * total)
