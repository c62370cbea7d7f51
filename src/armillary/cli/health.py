"""`armillary health`: broken, unreachable and under-trained rows."""

from __future__ import annotations

from typing import Annotated

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens


def command(
    model: Model,
    reference: Annotated[
        str | None, typer.Option(metavar="IDS", help="Reference rows, e.g. 6..104,300, instead of those found.")
    ] = None,
    only: Annotated[str | None, typer.Option(metavar="new", help="Look at rows alone that --old lacks.")] = None,
    old: Annotated[str | None, typer.Option(metavar="MODEL", help="The model before its vocabulary grew.")] = None,
    no_round_trip: Annotated[
        bool, typer.Option("--no-round-trip", help="Do not send every token through the tokenizer.")
    ] = False,
    tensor: Tensor = None,
    tokens: Tokens = None,
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:
    """Show rows that need attention and why: zero, broken, double, padded, unreachable, under-trained.

    Under-training is a suspicion by several indicators side by side; needs no running model and no scan.
    """
    from armillary.cli.output import show
    from armillary.cli.progress import progress
    from armillary.errors import UsageError
    from armillary.study import open

    if (only is None) != (old is None) or only not in (None, "new"):
        raise UsageError("expected --only new together with --old MODEL", "armillary health NEW --only new --old OLD")
    study = open(model, tensor=tensor, tokens=tokens, cache=not no_cache)
    before = open(old, cache=not no_cache) if old else None
    with progress("sending tokens through the tokenizer", "tokens") as advance:
        found = study.health(reference=reference, old=before, round_trip=not no_round_trip, progress=advance)
    show("health", study, found, str(found), json)
