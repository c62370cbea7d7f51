"""`armillary lookup`: text to ids to rows, step by step."""

from __future__ import annotations

from typing import Annotated

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens


def command(
    model: Model,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Any text; the model's tokenizer splits it.")],
    one_hot: Annotated[
        bool, typer.Option("--one-hot", help="Also compute the rows as one-hot × table, and say what that costs.")
    ] = False,
    tensor: Tensor = None,
    tokens: Tokens = None,
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:
    """Show the lookup step by step: text → token ids → rows."""
    from armillary.cli.opening import open
    from armillary.cli.output import listing, show

    study = open(model, tensor=tensor, tokens=tokens, cache=not no_cache)
    found = study.lookup(text, one_hot=one_hot)
    show("lookup", study, found, listing(found), json)
