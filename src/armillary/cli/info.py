"""`armillary info`: what a model's file says about its table."""

from __future__ import annotations

from armillary.cli.options import AsJson, Model, Tensor, Tokens


def command(model: Model, tensor: Tensor = None, tokens: Tokens = None, json: AsJson = False) -> None:
    """Show the tables in a file: shapes, stored type, tied or not, share of the parameters, vocabulary.

    Reads headers only.
    """
    from armillary.cli.output import show
    from armillary.study import open

    study = open(model, tensor=tensor, tokens=tokens)
    info = study.info()
    show("info", study, info, str(info), json)
