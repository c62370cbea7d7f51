"""`armillary superpose`: more features than dimensions, as a small model trains them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from armillary.cli.lab import Figure, ReportPage, check_outputs, write_outputs
from armillary.cli.options import AsJson, seed_option

if TYPE_CHECKING:
    from armillary.answer import Listing
    from armillary.origins.superposition import ToyModels

Preset = Literal["toy", "phase", "groups"]
_UNUSED: dict[Preset, tuple[str, ...]] = {"toy": (), "phase": ("features", "dimensions"), "groups": ("instances",)}


def command(
    features: Annotated[
        int | None, typer.Option("--features", "-n", help="How many features: 5, for groups 500.")
    ] = None,
    dimensions: Annotated[
        int | None, typer.Option("--dimensions", "-m", help="How many hidden dimensions: 2, for groups 100.")
    ] = None,
    probability: Annotated[
        list[float] | None,
        typer.Option(
            help="Chance that a feature is active: .05, for phase ten up to .9; may be repeated, not for groups."
        ),
    ] = None,
    instances: Annotated[int | None, typer.Option(help="Models trained for each probability: 20, for phase 8.")] = None,
    steps: Annotated[int | None, typer.Option(help="Training steps: 2500, for phase 3000, for groups 2000.")] = None,
    seed: Annotated[int, seed_option("of starts and batches")] = 0,
    preset: Annotated[
        Preset,
        typer.Option(
            help="toy; phase: two features in one dimension on a grid; groups: many, by the company they keep."
        ),
    ] = "toy",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the features as a table.")] = None,
    figure: Figure = None,
    report: ReportPage = None,
    as_json: AsJson = False,
) -> None:
    """Train the toy model of superposition, read its geometry. Ctrl-C keeps what is trained so far."""
    from armillary.cli.output import note, show
    from armillary.cli.progress import progress
    from armillary.errors import UsageError
    from armillary.origins import saving

    check_outputs(figure, report)
    if output:
        saving.check_target(output)
        if preset == "phase":
            raise UsageError("expected --preset toy or groups to write a table from, found phase")
    numbers = {"features": features, "dimensions": dimensions, "instances": instances, "steps": steps}
    given: dict[str, Any] = {name: value for name, value in numbers.items() if value is not None}
    for name in _UNUSED[preset]:
        if name in given:
            raise UsageError(f"expected no --{name} with --preset {preset}, found {given[name]:,}", "leave it out")
    with progress(f"training ({preset})", "steps") as advance:
        found, models, stopped = _trained(
            preset, tuple(probability or ()), {**given, "seed": seed, "progress": advance}
        )
    if output and models:
        for path in saving.save(models.to_table(), output):
            note(f"wrote {path}")
    write_outputs(f"superpose ({preset})", [found], figure, report)
    show("superpose", None, found, str(found), as_json)
    if stopped:
        raise typer.Exit(130)


def _trained(
    preset: Preset, probabilities: tuple[float, ...], given: dict[str, Any]
) -> tuple[Listing, ToyModels | None, bool]:
    """(what was found, the models in it if they make a table, whether it was interrupted)."""
    from armillary.errors import UsageError
    from armillary.origins import superposition

    if preset == "groups":
        if len(probabilities) > 1:
            raise UsageError(f"expected one probability with --preset groups, found {len(probabilities)}")
        given |= {"probability": probabilities[0]} if probabilities else {}
        found = superposition.groups(**given)
        return found, found.models, found.models.interrupted
    given |= {"probabilities": probabilities} if probabilities else {}
    if preset == "phase":
        diagram = superposition.phase_diagram(**given)
        return diagram, None, diagram.interrupted
    models = superposition.train(**{"features": 5, "dimensions": 2, **given})
    return models, models, models.interrupted
