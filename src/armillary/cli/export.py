"""`armillary export`: the page of a table as static files for any web server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens, Without, kinds


def command(
    model: Model,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
    repairs: Annotated[bool, typer.Option(help="Measure each repair before and after.")] = True,
    tensor: Tensor = None,
    tokens: Tokens = None,
    without: Without = "",
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:
    """Write the page of a table as static files.

    Neighbours of every token, and free questions up to 32 MiB of rows.

    Put the folder on any web server; nothing is computed there, and nothing is asked of another.
    """
    from armillary.cli.opening import open
    from armillary.cli.output import show
    from armillary.cli.progress import named_phases
    from armillary.web.export import check_folder, export

    check_folder(folder)
    study = open(model, tensor=tensor, tokens=tokens, without=kinds(without), cache=not no_cache)
    with named_phases({"comparing all pairs": "pairs", "writing answers": "files"}) as tell:
        found = export(study, folder, repairs=repairs, progress=tell)
    show("export", study, found, str(found), json)
