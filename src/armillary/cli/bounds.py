"""`armillary bounds V d`: what V unit vectors in d dimensions can be, and what a random code is."""

from __future__ import annotations

from typing import Annotated

import typer

from armillary.cli.lab import Figure, ReportPage, check_outputs, write_outputs
from armillary.cli.options import AsJson

SIZES = (50_000, 100_000, 200_000)  # vocabularies of today's models, for --table


def command(
    size: Annotated[int, typer.Argument(metavar="V", help="How many vectors: the rows of a table.")],
    dimension: Annotated[int, typer.Argument(metavar="d", help="How many dimensions: its width.")],
    table: Annotated[bool, typer.Option("--table", help="Add rows for V of 50,000, 100,000 and 200,000.")] = False,
    layers: Annotated[
        int | None,
        typer.Option("--layers", metavar="L", help="Also: where such a model sits among the published ones."),
    ] = None,
    figure: Figure = None,
    report: ReportPage = None,
    as_json: AsJson = False,
) -> None:
    """Say what V vectors in d dimensions can be, in closed form.

    Bounds, the random code, and the capacity at a coherence."""
    from armillary.bounds import comparison, plan
    from armillary.cli.output import show

    if layers is None and (figure or report):
        raise typer.BadParameter("--figure and --report show where a model sits: give its layers too, --layers L")
    check_outputs(figure, report)
    asked = plan(size, dimension)
    others = [plan(other, dimension) for other in SIZES] if table else []
    result = {**asked.to_dict(), **({"table": [other.to_dict() for other in others]} if table else {})}
    text = f"{asked}\n\n{comparison(others)}" if table else str(asked)
    if layers is not None:
        from armillary.origins.dimension import dimension_choice, place

        placed, choice = place(size, dimension, layers), dimension_choice()
        result |= {"placed": placed.to_dict(), "published": choice.to_dict()}
        text = f"{text}\n\n{placed}\n\n{choice}"
        write_outputs(f"bounds {size} {dimension} --layers {layers}", [choice, placed], figure, report)
    show("bounds", None, result, text, as_json)
