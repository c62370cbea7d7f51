"""`armillary health`: broken, unreachable and under-trained rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens, seed_option

if TYPE_CHECKING:
    from armillary.study.patching import Applied
    from armillary.study.proposals import Proposal
    from armillary.study.study import Study


def command(
    model: Model,
    reference: Annotated[
        str | None, typer.Option(metavar="IDS", help="Reference rows, e.g. 6..104,300, instead of those found.")
    ] = None,
    only: Annotated[str | None, typer.Option(metavar="new", help="Look at rows alone that --old lacks.")] = None,
    old: Annotated[str | None, typer.Option(metavar="MODEL", help="The model before its vocabulary grew.")] = None,
    no_round_trip: Annotated[
        bool, typer.Option("--no-round-trip", help="Do not send every token through the tokenizer.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Run the model: can it repeat the first candidates? (extra lens)")
    ] = False,
    most: Annotated[int, typer.Option(metavar="N", min=1, help="How many candidates --verify asks for.")] = 20,
    fix: Annotated[
        Path | None,
        typer.Option(metavar="PLAN.json", help="Propose new rows into this file; with -o, write what it says."),
    ] = None,
    padded: Annotated[
        str, typer.Option(metavar="keep|drop|fill", help="What --fix proposes for rows past the last token.")
    ] = "keep",
    seed: Annotated[int, seed_option("of the rows that --fix draws")] = 0,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Apply --fix: a new folder (whole model), or NAME.safetensors."),
    ] = None,
    tensor: Tensor = None,
    tokens: Tokens = None,
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:
    """Show the rows that need attention, and why.

    Zero, broken, double, padded, unreachable, under-trained.

    Under-training is a suspicion by several indicators side by side; needs no running model and no scan. --fix
    proposes rows into a file that can be edited, and changes nothing; the same command with -o applies that file.
    """
    from armillary.cli.opening import open
    from armillary.cli.output import listing, note, show
    from armillary.cli.progress import progress
    from armillary.errors import UsageError

    if (only is None) != (old is None) or only not in (None, "new"):
        raise UsageError("expected --only new together with --old MODEL", "armillary health NEW --only new --old OLD")
    if verify and fix:
        raise UsageError("expected --verify or --fix, found both", "verify first, then propose")
    if output and not fix:
        raise UsageError("expected --fix PLAN.json with -o, found none", "armillary health MODEL --fix plan.json")
    study = open(model, tensor=tensor, tokens=tokens, cache=not no_cache)
    if fix and (output or fix.exists()):
        planned = planned_by(study, fix, output)
        show("health", study, planned, str(planned), json)
        return
    before = open(old, cache=not no_cache) if old else None
    tripping = not no_round_trip and study.table.vocabulary.tokenizer is not None
    with progress("sending tokens through the tokenizer" if tripping else "judging the rows", "tokens") as advance:
        found = study.health(reference=reference, old=before, round_trip=not no_round_trip, progress=advance)
    if verify:
        with progress("asking the model to repeat tokens", "prompts") as advance:
            verified = study.verify(found, most, progress=advance)
        text = f"{found}\n\n{listing(verified)}"
        show("health", study, {**found.to_dict(), "verification": verified.to_dict()}, text, json)
        return
    if fix:
        proposal = study.propose_fix(found, padded=padded, seed=seed)  # pyright: ignore[reportArgumentType]
        note(f"proposed, nothing is changed: {proposal.plan.save(fix)}; -o OUTPUT applies it")
        show("health", study, {**found.to_dict(), "fix": proposal.to_dict()}, f"{found}\n\n{proposal}", json)
        return
    show("health", study, found, str(found), json)


def planned_by(study: Study, plan: Path, output: Path | None) -> Proposal | Applied:
    """A plan from its file, applied where there is an output."""
    from armillary.cli.output import note
    from armillary.repairs.plan import read_plan
    from armillary.repairs.replaced import check_belongs
    from armillary.study.proposals import Proposal

    read = read_plan(plan, study.table.find)
    if output is not None:
        return study.apply_plan(read, output)
    check_belongs(study.table, read)
    note(f"{plan} is there already and is shown as it stands; -o OUTPUT applies it")
    return Proposal(study, read)
