"""`armillary info`: what a model's file says about its table."""

from __future__ import annotations

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens


def command(
    model: Model, tensor: Tensor = None, tokens: Tokens = None, no_cache: NoCache = False, json: AsJson = False
) -> None:
    """Show what is in a model: tables, types, tied or not.

    Shapes, stored type, share of the parameters, vocabulary. Reads headers only; where an input and an output table
    are both stored, they are compared.
    """
    from armillary.cli.opening import open
    from armillary.cli.output import show

    study = open(model, tensor=tensor, tokens=tokens, cache=not no_cache)
    info = study.info()
    show("info", study, info, str(info), json)
