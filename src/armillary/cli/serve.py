"""`armillary serve`: the page, live, on this machine alone."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from armillary.cli.options import Model, NoCache, Tensor, Tokens, Without, kinds


def command(
    model: Model = "demo",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port on loopback; 0 takes a free one.")] = 0,
    tensor: Tensor = None,
    tokens: Tokens = None,
    without: Without = "",
    no_cache: NoCache = False,
) -> None:
    """Serve the page of a table, on this machine alone.

    On the loopback address, until interrupted."""
    from armillary.cli.opening import open
    from armillary.cli.output import note
    from armillary.web import serve

    study = open(model, tensor=tensor, tokens=tokens, without=kinds(without), cache=not no_cache)
    try:
        serve(study, port=port, ready=lambda address: note(f"open {address}\nCtrl-C stops it."))
    except KeyboardInterrupt:
        note("interrupted")
        sys.stderr.flush()
        os._exit(130)  # the interpreter's own end would wait for a library that is still at work in some thread
