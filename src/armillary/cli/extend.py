"""`armillary extend`: rows for new tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens, seed_option


def command(
    model: Model,
    words: Annotated[Path, typer.Argument(metavar="TOKENS", help="New tokens: one a line, JSON, or Parquet.")],
    init: Annotated[
        str, typer.Option(metavar="pieces|mean|draw|token:WORD", help="How a new row is made.")
    ] = "pieces",
    multiple: Annotated[int, typer.Option(metavar="N", min=1, help="Fill up to a multiple of N rows.")] = 1,
    seed: Annotated[int, seed_option("of the rows that are drawn")] = 0,
    plan: Annotated[
        Path | None, typer.Option(metavar="PLAN.json", help="Also write the proposal, to be edited and applied.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write it: a new folder (whole model), or NAME.safetensors.")
    ] = None,
    tensor: Tensor = None,
    tokens: Tokens = None,
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:  # fmt: skip
    """Propose rows for new tokens, inside the padding first.

    With -o the model is written, tokenizer files included.

    The original stays. Each change is recorded beside what is written. An edited plan is applied by
    armillary health MODEL --fix PLAN.json -o OUTPUT.
    """
    from armillary.cli.opening import open
    from armillary.cli.output import note, show
    from armillary.formats.token_files import list_tokens

    study = open(model, tensor=tensor, tokens=tokens, cache=not no_cache)
    proposal = study.propose_extension(list_tokens(words), init, multiple=multiple, seed=seed)
    if plan:
        note(f"proposed: {proposal.plan.save(plan)}")
    found = study.apply_plan(proposal.plan, output) if output else proposal
    if not output:
        note("proposed, nothing is changed; -o OUTPUT writes it")
    show("extend", study, found, str(found), json)
