"""What the laboratories' commands write beside their answer: a figure, a report page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from armillary.answer import Answer

Figure = Annotated[Path | None, typer.Option("--figure", metavar="FILE", help="Also draw the result: .svg.")]
ReportPage = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Also write it as a page: .html, .json or .md.")
]


def check_outputs(figure: Path | None, report: Path | None) -> None:
    """UsageError before any work is done where one of the two cannot be written."""
    from armillary.origins.pages import check_figure
    from armillary.report.saving import checked_path

    if figure:
        check_figure(figure)
    if report:
        checked_path(report)


def write_outputs(name: str, results: Sequence[Answer], figure: Path | None, report: Path | None) -> None:
    """Write what was asked for, and say so."""
    from armillary.cli.output import note
    from armillary.origins.pages import lab_report, save_figures
    from armillary.report import save

    for path in save_figures(results, figure) if figure else ():
        note(f"wrote {path}")
    if report:
        note(f"wrote {save(lab_report(name, results), report)}")
