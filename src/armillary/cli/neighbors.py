"""`armillary neighbors`: the exact neighbours of a word or of a vector of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens, Without, kinds

if TYPE_CHECKING:
    from armillary.study.neighbors import Neighbors


def command(
    model: Model,
    word: Annotated[str | None, typer.Argument(metavar="WORD", help='A word, or "#42" for a row by its id.')] = None,
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="How many.")] = 10,
    metric: Annotated[str, typer.Option(metavar="cosine|dot|euclidean", help="What near means.")] = "cosine",
    vector: Annotated[Path | None, typer.Option(metavar="V.npy", help="A query of your own instead of a word.")] = None,
    compare_metrics: Annotated[
        bool, typer.Option("--compare-metrics", help="Cosine, dot product and Euclidean distance side by side.")
    ] = False,
    tensor: Tensor = None,
    tokens: Tokens = None,
    without: Without = "",
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:
    """Show the nearest rows of a word, exact, in the full space.

    Metric, space and rows searched are part of the answer."""
    from armillary.cli.metric_lines import metric_lines
    from armillary.cli.opening import open
    from armillary.cli.output import show
    from armillary.cli.word_lines import remarks
    from armillary.errors import UsageError

    if compare_metrics:
        if vector is not None or without:
            raise UsageError("expected --compare-metrics with a WORD or alone, found --vector or --without")
        study = open(model, tensor=tensor, tokens=tokens, cache=not no_cache)
        compared = study.compare_metrics(*([word] if word is not None else []), k=k)
        told = "\n".join([*remarks(study.table, compared.words), metric_lines(compared)])
        show("neighbors", study, compared, told, json)
        return
    if (word is None) == (vector is None):
        raise UsageError("expected a WORD or --vector V.npy, one of the two", "armillary neighbors demo king")
    query = word if word is not None else _read_vector(vector)
    study = open(model, tensor=tensor, tokens=tokens, without=kinds(without), cache=not no_cache)
    found = study.neighbors(query, k=k, metric=metric)  # pyright: ignore[reportArgumentType]  # checked there
    show("neighbors", study, found, _text(found), json)


def _read_vector(path: Path | None):
    import numpy as np

    from armillary.errors import UnreadableError

    try:
        return np.load(str(path), allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise UnreadableError(
            f"expected a vector in {path} (npy), found none: {error}", "numpy.save writes one"
        ) from error


def _text(found: Neighbors) -> str:
    from armillary.answer import cosine, number
    from armillary.cli.output import around, bar, paint, table

    written = cosine if found.metric == "cosine" else number
    longest = max((abs(value) for value in found.values), default=1.0) or 1.0
    scale = max(longest, 1.0) if found.metric == "cosine" else longest
    rows = [
        [str(rank), token.text, written(value), paint(bar(max(0.0, value / scale)), "accent")]
        for rank, (token, value) in enumerate(zip(found.tokens, found.values, strict=True), 1)
    ]
    return around(found, table(rows, ["right", "left", "right", "left"]), found.notes)
