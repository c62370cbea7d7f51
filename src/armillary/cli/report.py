"""`armillary report`: the whole study as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens, Without, kinds


def command(
    model: Model,
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write: .html, .json or .md.")] = Path(
        "report.html"
    ),
    no_scan: Annotated[
        bool, typer.Option("--no-scan", help="Leave out what needs the comparison of all pairs, unless it is cached.")
    ] = False,
    lens: Annotated[
        str, typer.Option(metavar="PROMPT", help="Also the logit lens of a prompt; runs the model (extra lens).")
    ] = "",
    tensor: Tensor = None,
    tokens: Tokens = None,
    without: Without = "",
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:
    """Write the whole study of a table as one self-contained file.

    The first findings are printed before the comparison of all pairs starts; the last line is the path.
    """
    from armillary.cli.opening import open
    from armillary.cli.output import note, show
    from armillary.cli.progress import progress
    from armillary.report.saving import checked_path
    from armillary.study.files import check_spared

    target = checked_path(output)
    study = open(model, tensor=tensor, tokens=tokens, without=kinds(without), cache=not no_cache)
    check_spared(target, study, tokens)
    rows, width = study.shape
    note(f"{study.provenance.source}: {rows:,} × {width:,}, {study.provenance.stored}. First findings:")
    for finding in study.first_findings():
        note(f"  · {finding.text}")
    if not no_scan:
        with progress("comparing all pairs", "pairs") as advance:
            study.scan(progress=advance)
        with progress("comparing with random codes", "pairs") as advance:
            study.comparison(progress=advance)
    report = study.report(scan=not no_scan, prompt=lens)
    report.save(target)
    result = {"path": str(target), "findings": [f.text for f in report.findings], "seconds": report.seconds}
    text = "\n".join(["Findings:", *(f"  {i}. {f.text}" for i, f in enumerate(report.findings, 1)), str(target)])
    show("report", study, result, text, json)
