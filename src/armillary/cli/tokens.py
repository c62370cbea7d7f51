"""`armillary tokens`: one row a token with every per-token measure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens, Without, kinds

SHOWN = 50  # rows printed unless --limit says otherwise


def command(
    model: Model,
    where: Annotated[
        str | None, typer.Option(metavar="SQL", help="Keep rows, e.g. \"norm < 0.5 and kind = 'normal'\".")
    ] = None,
    sort: Annotated[str | None, typer.Option(metavar="SQL", help='Order rows, e.g. "norm desc".')] = None,
    limit: Annotated[
        int | None, typer.Option(min=0, help="At most so many; 50 when printed, all when written.")
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write Parquet or CSV instead.")] = None,
    scan: Annotated[bool, typer.Option("--scan", help="Run the scan that nn_* and occurrence need.")] = False,
    health: Annotated[
        bool, typer.Option("--health", help="Fill health and reference_* (odd kinds, under-training).")
    ] = False,
    tensor: Tensor = None,
    tokens: Tokens = None,
    without: Without = "",
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:
    """List tokens with every per-token measure.

    Id, text, bytes, kind, script, norm, cosine to the mean, nearest row, occurrence, duplicates, health.

    Filters and orders are DuckDB SQL expressions over these columns. Never starts a scan unless asked.
    """
    from armillary.cli.opening import open
    from armillary.cli.output import listing, note, note_if, show
    from armillary.cli.progress import progress
    from armillary.study.files import check_spared, checked_path, formula_note

    target = checked_path(output) if output else None
    study = open(model, tensor=tensor, tokens=tokens, without=kinds(without), cache=not no_cache)
    check_spared(target, study, tokens)
    if scan:
        with progress("comparing all pairs", "pairs") as advance:
            study.scan(progress=advance)
    printed = None if target else SHOWN
    found = study.tokens(where, sort, limit if limit is not None else printed, scan=scan, health=health)
    if target:
        found.save(target)
        note_if(formula_note(found.to_arrow(), target))
        note(f"{found.title} written to {target}")
        show("tokens", study, {"path": str(target), "rows": len(found)}, str(target), json)
    else:
        show("tokens", study, found, listing(found, found.hints("--scan", "--health")), json)
