"""`armillary direction`: a difference of words, read on held-out pairs, with its null."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens

if TYPE_CHECKING:
    from armillary.words.directions import Chance, Direction


def command(
    model: Model,
    which: Annotated[
        list[str],
        typer.Argument(metavar="SET|A B…", help="A ready set by name, or words in pairs: low high low high …"),
    ],
    file: Annotated[Path | None, typer.Option("--pairs", metavar="FILE", help="Pairs of your own, one a line.")] = None,
    project: Annotated[str, typer.Option(metavar="WORDS", help="Words to project, by comma.")] = "",
    language: Annotated[str, typer.Option(metavar="en|zh", help="Language of the ready set.")] = "en",
    methods: Annotated[bool, typer.Option("--methods", help="Every analogy method on these pairs.")] = False,
    tensor: Tensor = None,
    tokens: Tokens = None,
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:
    """Fit a direction on pairs of words and read it on others.

    Projections, AUC, parallelism, each with its null.

    Ready sets: gender, plural, tense, comparative, capital, sentiment, and the trend of 'number magnitude'.
    """
    from armillary.cli.opening import open
    from armillary.cli.output import show
    from armillary.cli.word_lines import remarks
    from armillary.study.words import ready_set
    from armillary.words.lists import read_sections
    from armillary.words.word import try_word

    study = open(model, tensor=tensor, tokens=tokens, cache=not no_cache)
    name = " ".join(which)
    if name == "number magnitude":
        trend = study.trend(language=language)
        show("direction", study, trend, _trend_text(trend), json)
        return
    if file is not None:
        pairs = [pair for section in read_sections(file) for pair in section.pairs]
    elif len(which) == 1 or len(which) % 2:
        pairs = list(ready_set(name, language).pairs)
    else:
        pairs = list(zip(which[::2], which[1::2], strict=True))
    if methods:
        relation = study.relation(name, pairs)
        show("direction", study, relation, _methods_text(relation), json)
        return
    found = study.direction(pairs)
    projected = [w.strip() for w in project.split(",") if w.strip()]
    asked = found.project(study.table, projected)
    typed = [*(which if file is None and len(which) > 1 else ()), *projected]
    told = remarks(study.table, [w for w in (try_word(study.table, text) for text in typed) if w])
    result = {**found.to_dict(), "name": name, "projections": [{"word": w, "projection": p} for w, p in asked]}
    show("direction", study, result, "\n".join([*told, _text(found, name, asked)]), json)


def _text(found: Direction, name: str, asked: list[tuple[str, float]]) -> str:
    from armillary.answer import cosine, number
    from armillary.cli.output import table

    read = "held-out pairs" if found.held_out else "the pair itself (nothing to hold out)"
    lines = [
        f"{name}: {found.pairs} pairs ({found.single} of single tokens, {found.missing} missing), unit rows.",
        f"Mean projection on {read}: low side {cosine(found.low_mean)}, high side {cosine(found.high_mean)}; "
        f"{100 * found.low_zero_share:.0f} % of the low side lie near zero.",
        f"AUC {number(found.auc)}{_beside(found.null, 'sides swapped at random')}.",
    ]
    if found.parallelism:
        value = cosine(found.parallelism.value)
        lines.append(f"Parallelism of differences {value}{_beside(found.parallelism, 'partners drawn at random')}.")
    if asked:
        lines += ["", table([[w, cosine(p)] for w, p in asked], ["left", "right"], ["word", "projection"])]
    return "\n".join(lines)


def _beside(chance: Chance | None, how: str) -> str:
    from armillary.answer import number

    if chance is None:
        return ""
    spread = f"{number(chance.null_mean)} ± {number(chance.null_sd)}"
    return f" (null, {how}: {spread}; z = {number(chance.z)}, p = {number(chance.p)}, {chance.draws:,} draws)"


def _trend_text(trend) -> str:
    from armillary.answer import cosine, number
    from armillary.cli.output import table

    rows = [[w, cosine(p), "held out" if h else "fitted"] for w, p, h in trend.projections]
    told = (
        f"Spearman {number(trend.rho)} over {trend.held_out} held-out members (permutation p = {number(trend.p)}); "
        f"{number(trend.whole)} over all {trend.members}, the fitted ends included."
    )
    return "\n".join([table(rows, ["left", "right", "left"], ["word", "projection", ""]), "", told])


def _methods_text(relation) -> str:
    from armillary.answer import number, percent
    from armillary.cli.output import table
    from armillary.cli.word_lines import left_then_right

    header = ["method", "questions", "first, kept", "inputs removed", "variants removed", "MRR"]
    rows = [
        [s.method, str(s.questions), percent(s.kept), percent(s.removed), percent(s.variants_removed), number(s.mrr)]
        for s in relation.scores
    ]
    told = (
        f"{relation.name}: {relation.covered} of {relation.pairs} pairs are single tokens. Null: an answer from another "
        f"pair comes first in {percent(relation.null)} of {relation.null_draws:,} draws."
    )
    return "\n".join([table(rows, left_then_right(5), header), "", told])
