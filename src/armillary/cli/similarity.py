"""`armillary similarity`: what the cosine of words means in this table."""

from __future__ import annotations

from typing import Annotated

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens


def command(
    model: Model,
    words: Annotated[list[str] | None, typer.Argument(metavar="A B…", help="Two or more words.")] = None,
    ladder: Annotated[str, typer.Option(metavar="en|zh", help="The relation ladder in this language instead.")] = "",
    pool: Annotated[str, typer.Option(metavar="mean|first|single", help="What a word of several tokens is.")] = "mean",
    tensor: Tensor = None,
    tokens: Tokens = None,
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:
    """Say what the cosine of two words means in this table.

    Percentile and z among random pairs, CSLS, dot product and distance."""
    from armillary.answer import cosine, number
    from armillary.cli.heat_map import heat_map
    from armillary.cli.opening import open
    from armillary.cli.output import show, table
    from armillary.cli.word_lines import left_then_right, mark_note, pool_of, remarks

    study = open(model, tensor=tensor, tokens=tokens, cache=not no_cache)
    if ladder:
        steps = study.ladder(ladder)
        header = ["rung", "mean cosine", "95 % interval", "pairs", "single tokens", "missing"]
        rows = [
            [r.name, cosine(r.mean), f"{cosine(r.low)} … {cosine(r.high)}", str(r.pairs), str(r.single), str(r.missing)]
            for r in steps.rungs
        ]
        body = table(rows, left_then_right(5), header)
        show("similarity", study, steps, f"{body}\n\n{steps.sentence}", json)
        return
    found = study.similarity(*(words or ()), pool=pool_of(pool))
    header = ["pair", "cosine", "percentile", "z", "CSLS", "dot", "Euclidean"]
    rows = [
        [
            f"{p.a} – {p.b}",
            cosine(p.cosine),
            _percentile(p.percentile, p.percentile_error),
            number(p.z),
            number(p.csls),
            number(p.dot),
            number(p.euclidean),
        ]
        for p in found.pairs
    ]
    norms = ", ".join(f"{w.text} {number(w.norm)}" for w in found.words)
    nowhere = study.shape[0] - found.rows
    left_out = f"; {nowhere:,} left out (zero, not finite, or without a token)" if nowhere else ""
    told = (
        f"Two random rows of this table have a cosine of {cosine(found.mean)} ± {cosine(found.sd)} "
        f"({found.background_kind}, {found.background_pairs:,} pairs). Norms: {norms}. Raw space, {found.rows:,} rows{left_out}."
    )
    body = table(rows, left_then_right(6), header)
    picture = (
        heat_map([w.text for w in found.words], found.cosines, found.mean, found.sd) if len(found.words) > 2 else ""
    )
    above = [*remarks(study.table, found.words), *([picture, ""] if picture else [])]
    parts = [*above, body, "", told, *mark_note(found.words)]
    show("similarity", study, found, "\n".join(parts), json)


def _percentile(value: float, error: float) -> str:
    """A percentile with its error, never rounded to 0 or 100: beyond 99.99 the sample or the histogram says no more."""
    from armillary.answer import interval

    if value > 99.99:
        return "> 99.99"
    if value < 0.01:
        return "< 0.01"
    return interval(value, error) if error else f"{value:.2f}"
