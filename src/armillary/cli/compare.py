"""`armillary compare`: two tables side by side, input against output, or checkpoints in a row."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli.options import AsJson, NoCache


def command(
    models: Annotated[
        list[str], typer.Argument(metavar="A [B …]", help="Two models; one alone: its input against its output.")
    ],
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="Neighbours whose overlap is counted.")] = 10,
    tokens: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Tokens of bare arrays: once for all, or once for each.")
    ] = None,
    sides: Annotated[
        bool, typer.Option("--sides", help="Which table of the second, untied model the first resembles.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Also write a report (.html, .json, .md); of a trajectory its figure (.svg, .png)."
        ),
    ] = None,
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:
    """Compare two tables over the tokens they share.

    Tokens are joined by their bytes and never by position.

    Mean cosine as is, after the best rotation and the best linear map; linear CKA; neighbour overlap; drift of every
    token; the difference of the vocabularies. Three or more models are a trajectory.
    """
    from armillary.cli.opening import open
    from armillary.cli.output import listing, note, show
    from armillary.errors import UsageError
    from armillary.report.saving import checked_path
    from armillary.study.comparing import trajectory_of
    from armillary.study.files import check_spared

    files = [*(tokens or [])]
    if len(files) not in (0, 1, len(models)):
        raise UsageError(f"expected one --tokens for all or one for each of {len(models)} models, found {len(files)}")
    named = files * len(models) if len(files) == 1 else files or [None] * len(models)
    studies = [open(model, tokens=file, cache=not no_cache) for model, file in zip(models, named, strict=True)]
    if sides:
        if len(studies) != 2:
            raise UsageError(f"expected a table and an untied model for --sides, found {len(studies)} models")
        leaning = studies[0].sides(studies[1], k)
        show("compare", studies[0], leaning, str(leaning), json)
        return
    if len(studies) > 2:
        trajectory = trajectory_of(studies, k=k)
        if output:
            from armillary.study.trajectory_figure import save_figure

            note(f"figure written to {save_figure(trajectory, output)}")
        show("compare", studies[-1], trajectory, listing(trajectory), json)
        return
    target = checked_path(output) if output else None
    for study in studies:
        check_spared(target, study)
    found = studies[0].compare(studies[1] if len(studies) == 2 else None, k)
    if target:
        found.report().save(target)
        note(f"{target}")
    show("compare", studies[0], found, str(found), json)
