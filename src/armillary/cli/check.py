"""`armillary check`: a gate for continuous integration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli.options import AsJson


def command(
    report: Annotated[Path, typer.Argument(metavar="REPORT.json", help="A report, or a command's --json output.")],
    most: Annotated[
        list[str] | None, typer.Option("--max", metavar="NAME=X", help="A measure may be at most X; repeatable.")
    ] = None,
    least: Annotated[
        list[str] | None, typer.Option("--min", metavar="NAME=X", help="A measure must be at least X; repeatable.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(metavar="OLD.json", help="An older report, for limits that begin with new_.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a report against limits: a gate with an exit code.

    Exit code 1 if a limit fails, with a short table of what does.

    new_NAME is a measure minus its value in the report given with --against.
    """
    from armillary.cli.output import show
    from armillary.report.gate import Limit, check

    limits = [*(Limit.parse(text, "max") for text in most or ()), *(Limit.parse(text, "min") for text in least or ())]
    gate = check(report, limits, against)
    show("check", None, gate, str(gate), as_json)
    if not gate.passed:
        raise typer.Exit(1)
