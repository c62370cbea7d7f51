"""`armillary convert`: a model's table in another format, with its vocabulary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens

if TYPE_CHECKING:
    from armillary.study import Study


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
    from armillary.cli.output import note, show
    from armillary.formats import convert
    from armillary.study.files import check_spared

    study = open(model, tensor=tensor, tokens=tokens, cache=not no_cache)
    check_spared(output, study, tokens)
    paths = [str(path) for path in convert(study.table, output)]
    note(_carried(study))
    show("convert", study, {"paths": paths}, "\n".join(paths), json)


def _carried(study: Study) -> str:
    """What was written, and what a reader of the file should know of it: rows without a direction, rows without names."""
    rows, width = study.shape
    facts = study.facts
    odd = [f"{len(ids):,} {what}" for what, ids in (("zero", facts.zero), ("not finite", facts.non_finite)) if len(ids)]
    parts = [f"{rows:,} × {width:,} numbers as float32"]
    parts += [f"rows carried as they are: {', '.join(odd)}"] if odd else []
    parts += ["the rows have no names; --tokens FILE gives them some"] if study.table.vocabulary.named_by_id else []
    return "; ".join(parts)
