"""`armillary superpose`: more features than dimensions, as a small model trains them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from armillary.cli.lab import Figure, ReportPage, check_outputs, write_outputs
from armillary.cli.options import AsJson


def command(
    features: Annotated[int, typer.Option("--features", "-n", help="How many features.")] = 5,
    dimensions: Annotated[int, typer.Option("--dimensions", "-m", help="How many hidden dimensions.")] = 2,
    probability: Annotated[
        list[float] | None, typer.Option(help="Chance that a feature is active; may be repeated.")
    ] = None,
    instances: Annotated[int, typer.Option(help="Models trained for each probability.")] = 20,
    steps: Annotated[int, typer.Option(help="Training steps.")] = 2500,
    seed: Annotated[int, typer.Option(help="Seed of starts and batches.")] = 0,
    preset: Annotated[
        Literal["toy", "phase", "groups"],
        typer.Option(help="toy; phase: two features in one dimension on a grid; groups: 500 in 100, by company."),
    ] = "toy",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the features as a table.")] = None,
    figure: Figure = None,
    report: ReportPage = None,
    as_json: AsJson = False,
) -> None:
    """Train the toy model of superposition and read off its geometry. Ctrl-C keeps what is trained so far."""
    from armillary.cli.output import note, show
    from armillary.cli.progress import progress
    from armillary.errors import UsageError
    from armillary.origins import saving, superposition

    check_outputs(figure, report)
    if output:
        saving.check_target(output)
        if preset == "phase":
            raise UsageError("expected --preset toy or groups to write a table from, found phase")
    with progress(f"training ({preset})", "rows of the grid" if preset == "phase" else "steps") as advance:
        if preset == "phase":
            found = superposition.phase_diagram(seed=seed, progress=advance)
            models, stopped = None, found.interrupted
        elif preset == "groups":
            found = superposition.groups(steps=steps, seed=seed, progress=advance)
            models, stopped = found.models, found.models.interrupted
        else:
            found = models = superposition.train(
                features,
                dimensions,
                tuple(probability or (0.05,)),
                instances=instances,
                steps=steps,
                seed=seed,
                progress=advance,
            )
            stopped = found.interrupted
    if output and models:
        for path in saving.save(models.to_table(), output):
            note(f"wrote {path}")
    write_outputs(f"superpose ({preset})", [found], figure, report)
    show("superpose", None, found, str(found), as_json)
    if stopped:
        raise typer.Exit(130)
