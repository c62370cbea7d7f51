"""`armillary bounds V d`: what V unit vectors in d dimensions can be, and what a random code is."""

from __future__ import annotations

from typing import Annotated

import typer

from armillary.cli.options import AsJson

SIZES = (50_000, 100_000, 200_000)  # vocabularies of today's models, for --table


def command(
    size: Annotated[int, typer.Argument(metavar="V", help="How many vectors: the rows of a table.")],
    dimension: Annotated[int, typer.Argument(metavar="d", help="How many dimensions: its width.")],
    table: Annotated[bool, typer.Option("--table", help="Add rows for V of 50,000, 100,000 and 200,000.")] = False,
    as_json: AsJson = False,
) -> None:
    """Closed forms for V vectors in d dimensions: bounds, the random code, capacity at a coherence."""
    from armillary.bounds import comparison, plan
    from armillary.cli.output import show

    asked = plan(size, dimension)
    others = [plan(other, dimension) for other in SIZES] if table else []
    result = {**asked.to_dict(), **({"table": [other.to_dict() for other in others]} if table else {})}
    text = f"{asked}\n\n{comparison(others)}" if table else str(asked)
    show("bounds", None, result, text, as_json)
