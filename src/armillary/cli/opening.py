"""A study of what a person names, with a bar while it is read or comes from the hub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from armillary.study import Study


def open(model: str | Path, **options: Any) -> Study:
    """`armillary.study.open`, which is seen to work where it takes more than a second."""
    from armillary.answer import one_line
    from armillary.cli.progress import progress
    from armillary.study import open as open_study

    with progress(f"opening {one_line(str(model))}", "bytes") as advance:
        study = open_study(model, progress=advance, **options)
    if options.get("tokens"):
        _tell_misfit(study)
    return study


def _tell_misfit(study: Study) -> None:
    """Say at once, not at the end of a long command, that the tokens given are too few or too many."""
    from armillary.cli.output import note

    report = study.load_report
    if report.padded_rows or report.holes or report.tokens_without_row:
        shifted = "after a line too few or too many, each row has the name of another"
        cure = f"a file of {study.shape[0]:,} tokens, one a line, names every row"
        note(f"note: {report.contradictions[-1]}; names may be shifted ({shifted}); {cure}")
