"""`armillary analogy`: an analogy with its ranks before and after, inputs kept and removed, and its null."""

from __future__ import annotations

from typing import Annotated

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens

METHODS = "3CosAdd|3CosMul|PairDistance"


def command(
    model: Model,
    question: Annotated[
        list[str], typer.Argument(metavar="QUESTION", help="king - man + woman, or man : king :: woman : ?")
    ],
    answer: Annotated[str | None, typer.Option(metavar="WORD", help="The word whose ranks are asked.")] = None,
    method: Annotated[str, typer.Option(metavar=METHODS, help="How rows are scored.")] = "3CosAdd",
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="How many rows to list.")] = 10,
    pool: Annotated[str, typer.Option(metavar="mean|first|single", help="What a word of several tokens is.")] = "mean",
    raw_rows: Annotated[bool, typer.Option("--raw-rows", help="Add rows as stored, not unit rows.")] = False,
    no_null: Annotated[bool, typer.Option("--no-null", help="Leave the null out.")] = False,
    tensor: Tensor = None,
    tokens: Tokens = None,
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:
    """Answer an analogy, with its ranks, baseline and null.

    Over all rows, by every rank convention; the null is how often chance does as well."""
    from typing import Any, cast

    from armillary.answer import cosine
    from armillary.cli.opening import open
    from armillary.cli.output import show, table
    from armillary.cli.word_lines import mark_note, pool_of, remarks
    from armillary.words.scripts import script_of

    study = open(model, tensor=tensor, tokens=tokens, cache=not no_cache)
    found = study.analogy(
        " ".join(question),
        answer=answer,
        method=cast("Any", method),
        k=k,
        pool=pool_of(pool),
        raw_rows=raw_rows,
        null=not no_null,
    )
    result = found.analogy
    rows = [
        [str(e.rank), e.text, cosine(e.score), script_of(study.table.token(e.id).bytes), e.role] for e in result.kept
    ]
    body = table(rows, ["right", "left", "right", "left", "left"], ["", "token", "score", "script", ""])
    told = [
        *remarks(study.table, result.words),
        result.sentence,
        "",
        f"With the inputs kept, {result.method} over all {result.rows:,} rows:",
        body,
        "",
    ]
    if result.parallelism is not None:
        told.append(f"The two differences have a cosine of {cosine(result.parallelism)}; parallel ones would have 1.")
    told += [found.chance.sentence] if found.chance else []
    if not answer:
        told.append(f"Asked of {result.answer.text}, which comes first and so has no p; --answer WORD asks of another.")
    told += mark_note(result.words, (e.text for e in result.kept))
    show("analogy", study, found.to_dict(), "\n".join(told), json)
