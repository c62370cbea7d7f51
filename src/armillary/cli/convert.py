"""`armillary convert`: a model's table in another format, with its vocabulary."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens


def command(
    model: Model,
    output: Annotated[Path, typer.Argument(metavar="OUT", help="Ends in .safetensors, .npy, .parquet, .vec or .bin.")],
    tensor: Tensor = None,
    tokens: Tokens = None,
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:
    """Write a table in another format, with its tokens.

    The ending of OUT says which; rows are written as float32.

    A token that the format cannot carry is refused by its id.
    """
    from armillary.cli.opening import open
    from armillary.cli.output import show
    from armillary.formats import convert
    from armillary.study.files import check_spared

    study = open(model, tensor=tensor, tokens=tokens, cache=not no_cache)
    check_spared(output, study, tokens)
    paths = [str(path) for path in convert(study.table, output)]
    show("convert", study, {"paths": paths}, "\n".join(paths), json)
