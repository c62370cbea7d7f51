"""`armillary scan`: the exact comparison of all pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens, Without, kinds


def command(
    model: Model,
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="Neighbours kept for each row.")] = 10,
    histogram: Annotated[
        str, typer.Option(metavar="sampled|exact", help="Cosines of 4 million random pairs, or of all pairs.")
    ] = "sampled",
    kernel: Annotated[
        str, typer.Option(metavar="NAME", help="A kernel by name instead of the fastest that runs here.")
    ] = "auto",
    above: Annotated[
        float | None, typer.Option(metavar="T", help="Also write every pair with cosine ≥ T; needs -o.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Where the pairs go (.parquet or .csv).")
    ] = None,
    tensor: Tensor = None,
    tokens: Tokens = None,
    without: Without = "",
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:
    """Compare all pairs of rows exactly.

    Closest and farthest pair, minimum angle, neighbours, hubs, histogram.

    The scan is kept in the user's cache; the next command that needs it has it at once.
    """
    from dataclasses import replace

    from armillary.answer import count
    from armillary.cli.opening import open
    from armillary.cli.output import note, note_if, show
    from armillary.cli.progress import phases
    from armillary.errors import UsageError
    from armillary.study.files import check_spared, checked_path
    from armillary.study.reading import read_facts
    from armillary.study.scans import memory_note

    if (above is None) != (output is None):
        raise UsageError(
            "expected --above T together with -o FILE", "armillary scan MODEL --above 0.95 -o pairs.parquet"
        )
    target = checked_path(output) if output else None
    study = open(model, tensor=tensor, tokens=tokens, without=kinds(without), cache=not no_cache)
    check_spared(target, study, tokens)
    phase = phases(2 if target is None else 3)
    with phase("reading the rows", "rows") as advance:
        read_facts(study, advance)
    note_if(memory_note(study, k, histogram))  # pyright: ignore[reportArgumentType]  # checked there
    kept = kernel == "auto" and study.finished_scan(k, histogram) is not None  # pyright: ignore[reportArgumentType]
    with phase("comparing all pairs", "pairs") as advance:
        study.scan(k, histogram, kernel=kernel, progress=advance)  # pyright: ignore[reportArgumentType]  # checked there
    summary = replace(study.scan_summary(k, histogram), kept=kept)  # pyright: ignore[reportArgumentType]
    if target is not None and above is not None:
        with phase(f"looking for pairs at {above} or more", "pairs") as advance:
            found = study.save_pairs_above(above, target, kernel=kernel, progress=advance)
        note(f"{count(found)} pairs with a cosine of {above} or more written to {target}")
    show("scan", study, summary, str(summary), json)
