"""`armillary calibrate`: a calibrator for production, in two small files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli.options import AsJson, Tensor, Tokens


def command(
    vectors: Annotated[str, typer.Argument(metavar="VECTORS", help="A table, or a file of vectors you compare.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="NAME", help="Writes NAME.json and NAME.npz.")],
    tensor: Tensor = None,
    tokens: Tokens = None,
    json: AsJson = False,
) -> None:
    """Fit what a cosine means in a space, and keep it.

    Percentiles, thresholds at false-alarm rates, crowding."""
    from armillary.answer import cosine, percent
    from armillary.cli.opening import open
    from armillary.cli.output import show, table
    from armillary.storage import check_places
    from armillary.study.files import check_spared
    from armillary.words.calibrator_files import files_of

    check_places(*files_of(output))
    study = open(vectors, tensor=tensor, tokens=tokens)
    for written in files_of(output):
        check_spared(written, study, tokens)
    fitted = study.calibrator()
    facts, arrays = fitted.save(output)
    rows = [[percent(t.rate), cosine(t.cosine), f"{cosine(t.low)} … {cosine(t.high)}"] for t in fitted.thresholds]
    text = "\n".join(
        [
            f"Random pairs of {fitted.source}: {cosine(fitted.mean)} ± {cosine(fitted.sd)} ({fitted.pairs:,} pairs).",
            table(rows, ["right", "right", "right"], ["false alarms", "threshold", "95 % interval"]),
            f"Written to {facts} and {arrays}; armillary.Calibrator.load reads them without the table.",
        ]
    )
    show("calibrate", study, {**fitted.to_dict(), "files": [str(facts), str(arrays)]}, text, json)
