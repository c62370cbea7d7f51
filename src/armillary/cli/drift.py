"""`armillary drift`: what context does to a word, layer by layer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from armillary.cli.options import AsJson, Model


def command(
    model: Model,
    sentences: Annotated[
        list[str] | None, typer.Argument(metavar="SENTENCE…", help="Sentences that hold the word; none: by sense.")
    ] = None,
    word: Annotated[str | None, typer.Option(metavar="WORD", help="The word.")] = None,
    senses: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Sentences by sense: '# word: sense', then a sentence a line.")
    ] = None,
    cone: Annotated[bool, typer.Option("--cone", help="Also the geometry of a text's states, layer by layer.")] = False,
    text: Annotated[Path | None, typer.Option(metavar="FILE", help="A text for --cone and for the baseline.")] = None,
    pool: Annotated[str, typer.Option(metavar="mean|first", help="The vector of a word of several tokens.")] = "mean",
    device: Annotated[str, typer.Option(metavar="cpu|cuda", help="Where the model runs, always in float32.")] = "cpu",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Also write a report: .html, .json or .md.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Follow one word through the layers in several sentences.

    Or see whether the senses of words part.

    Without sentences: six ambiguous words of twenty sentences a sense, and a word of one sense as control (--word
    chooses one of them). Needs the extra lens. Never downloads.
    """
    from armillary.cli.opening import open
    from armillary.cli.output import listing, note, note_model, show
    from armillary.cli.progress import progress
    from armillary.errors import UsageError
    from armillary.lens import built_in_senses, drift, paragraphs, read_senses, sense_study
    from armillary.lens.cone import cone_by_layer
    from armillary.lens.permuted import permuted
    from armillary.report.saving import checked_path
    from armillary.study.drift import drift_report
    from armillary.study.files import check_spared

    if pool not in ("mean", "first"):
        raise UsageError(f"expected --pool mean or first, found {pool!r}")
    if sentences and word is None:
        raise UsageError("expected --word WORD, the word to follow, found none", "drift MODEL SENTENCE… --word bank")
    target = checked_path(output) if output else None
    texts = paragraphs(text)
    groups = {} if sentences else _chosen(read_senses(senses) if senses else built_in_senses(), word)
    study = open(model)
    check_spared(target, study, text, senses)
    note_model(study)
    running = study.model(device)
    found: dict[str, Any] = {}
    with progress("reading sentences", "sentences") as advance:
        if sentences and word:
            baseline = running.states_of(texts)
            found["word"] = drift(running, sentences, word, baseline=baseline, pool=pool, progress=advance)  # pyright: ignore[reportArgumentType]
        else:
            found["senses"] = sense_study(running, groups, pool=pool, progress=advance)  # pyright: ignore[reportArgumentType]
            found["order"] = permuted(running)
        if cone:
            named = str(text) if text else "the built-in text"
            found["cone"] = cone_by_layer(running, texts, text=named, progress=advance)
    if target:
        drift_report(study, **found).save(target)
        note(f"{target}")
    result = {name: part.to_dict() for name, part in found.items()}
    show("drift", study, result, "\n\n".join(listing(part) for part in found.values()), json)


def _chosen(groups: Any, word: str | None) -> Any:
    from armillary.errors import UsageError

    if word is None:
        return groups
    if word not in groups:
        raise UsageError(
            f"expected one of {', '.join(groups)}, found {word!r}", "give sentences of your own, or --senses FILE"
        )
    return {word: groups[word]}
