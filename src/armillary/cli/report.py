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
    from armillary.cli.output import note, note_if, show
    from armillary.cli.progress import phases
    from armillary.report.saving import checked_path
    from armillary.study.files import check_spared
    from armillary.study.reading import read_rows
    from armillary.study.scans import memory_note

    target = checked_path(output)
    study = open(model, tensor=tensor, tokens=tokens, without=kinds(without), cache=not no_cache)
    check_spared(target, study, tokens)
    rows, width = study.shape
    phase = phases(3 if no_scan else 5)
    with phase("reading the rows", "rows") as advance:
        read_rows(study, advance)
    with phase("first findings", "sections") as advance:
        findings = study.first_findings(progress=advance)
    note(f"{study.provenance.source}: {rows:,} × {width:,}, {study.provenance.stored}. First findings:")
    for finding in findings:
        note(f"  · {finding.text}")
    if not no_scan:
        note_if(memory_note(study))
        with phase("comparing all pairs", "pairs") as advance:
            study.scan(progress=advance)
        with phase("comparing with random codes", "pairs") as advance:
            study.comparison(progress=advance)
    with phase("composing the sections", "sections") as advance:
        report = study.report(scan=not no_scan, prompt=lens, composing=advance)
        report.save(target)
    result = {"path": str(target), "findings": [f.text for f in report.findings], "seconds": report.seconds}
    text = "\n".join(["Findings:", *(f"  {i}. {f.text}" for i, f in enumerate(report.findings, 1)), str(target)])
    show("report", study, result, text, json)
