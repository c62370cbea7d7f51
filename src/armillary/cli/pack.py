"""`armillary pack V d`: how far apart V directions in d dimensions can lie, and whether descent finds it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli.lab import Figure, ReportPage, check_outputs, write_outputs
from armillary.cli.options import AsJson, seed_option


def command(
    size: Annotated[int, typer.Argument(metavar="V", help="How many vectors.")],
    dimension: Annotated[int, typer.Argument(metavar="d", help="How many dimensions.")],
    lines: Annotated[bool, typer.Option("--lines", help="Pack lines: make the largest |cosine| small.")] = False,
    starts: Annotated[
        int | None, typer.Option(help="How many descents; by default 64, fewer where each is long.")
    ] = None,
    epochs: Annotated[int, typer.Option(help="Passes over the rows, where V is above 2,000.")] = 20,
    seed: Annotated[int, seed_option("of the random starts")] = 0,
    beside: Annotated[
        str | None, typer.Option(metavar="MODEL", help="A table of V × d to set beside the code.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the code as a .safetensors table.")
    ] = None,
    figure: Figure = None,
    report: ReportPage = None,
    as_json: AsJson = False,
) -> None:
    """Optimise a spherical code of V points in d dimensions.

    Beside it the bound, the best known, the random code. Ctrl-C keeps the best so far."""
    from armillary.cli.output import note, show
    from armillary.cli.progress import progress
    from armillary.origins import packing, saving

    check_outputs(figure, report)
    if output:
        saving.check_target(output)
    own = _closest(beside, size, dimension, lines) if beside else None
    with progress(f"packing {size:,} in {dimension:,} dimensions", "starts" if size <= 2000 else "blocks") as advance:
        found = packing.pack(size, dimension, lines, starts, seed, epochs, advance)
    for path in saving.save(found.to_table(), output) if output else ():
        note(f"wrote {path}")
    write_outputs(f"pack {size} {dimension}", [found], figure, report)
    result = {**found.to_dict(), **({"beside": {"source": own[0], "cosine": own[1]}} if own else {})}
    show("pack", None, result, found.said(own), as_json)
    if found.interrupted:
        raise typer.Exit(130)


def _closest(model: str, size: int, dimension: int, lines: bool) -> tuple[str, float]:
    """(name, largest cosine) of a table of exactly this size, over its distinct rows."""
    from armillary.cli.opening import open as open_study
    from armillary.errors import UsageError
    from armillary.origins.packing import closest_distinct

    table = open_study(model).table
    if table.shape != (size, dimension):
        raise UsageError(
            f"expected {model} to be {size:,} × {dimension:,}, found {table.shape[0]:,} × {table.shape[1]:,}",
            f"armillary pack {table.shape[0]} {table.shape[1]} --beside {model}",
        )
    return model, closest_distinct(table, lines)
