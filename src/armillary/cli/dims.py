"""`armillary dims`: what is lost when only the first dimensions are kept."""

from __future__ import annotations

from typing import Annotated

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens, Without, kinds


def command(
    model: Model,
    sizes: Annotated[
        str, typer.Option(metavar="2,3,8", help="Dimensions to keep, by comma; powers of two by default.")
    ] = "",
    tensor: Tensor = None,
    tokens: Tokens = None,
    without: Without = "",
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:
    """Cut a table to fewer dimensions and say what is lost.

    The first 2, 3, 8, 16 … components and raw coordinates, int8 and signs.

    Neighbour recall against the full space, and where they can be measured purity of six categories, word similarity
    and retrieval of help pages.
    """
    from armillary.cli.opening import open
    from armillary.cli.output import listing, show
    from armillary.cli.progress import progress
    from armillary.errors import UsageError
    from armillary.study.truncation import truncation_of

    try:
        wanted = [int(size) for size in sizes.split(",") if size.strip()]
    except ValueError as error:
        raise UsageError(f"expected whole numbers by comma, found {sizes!r}", "such as --sizes 2,3,8") from error
    study = open(model, tensor=tensor, tokens=tokens, without=kinds(without), cache=not no_cache)
    with progress("cutting", "cuts") as advance:
        result = truncation_of(study, wanted, advance)
    show("dims", study, result, listing(result), json)
