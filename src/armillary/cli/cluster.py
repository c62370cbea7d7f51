"""`armillary cluster`: do words of a kind stand together, and what a picture of them gets wrong."""

from __future__ import annotations

from typing import Annotated

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens


def command(
    model: Model,
    lists: Annotated[
        str, typer.Option("--lists", metavar="en|zh|FILE", help="The six categories, or your own.")
    ] = "en",
    tensor: Tensor = None,
    tokens: Tokens = None,
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:
    """Measure how well categories of words stand apart.

    Separation with its p, neighbour purity, near misses, projection error."""
    from armillary.answer import cosine, number, percent
    from armillary.cli.opening import open
    from armillary.cli.output import show, table
    from armillary.cli.word_lines import left_then_right

    study = open(model, tensor=tensor, tokens=tokens, cache=not no_cache)
    found = study.categories(lists)
    header = ["category", "words", "within", "between", "p"]
    rows = [
        [s.name, str(s.words), cosine(s.within), cosine(s.between), number(s.p)]
        for s in (found.overall, *found.by_category)
    ]
    below = [[s.name, str(s.words), cosine(s.within), cosine(s.between), number(s.p)] for s in found.subgroups]
    lines = [
        f"{len(found.words)} words, {found.single} of one token, the others by their first; {len(found.missing)} left out.",
        table(rows, left_then_right(4), header),
        "",
        "Subgroups within a category:",
        table(below, left_then_right(4), header) if below else "  none",
        "",
        f"The nearest word of the set is of the same category for {percent(found.purity)} of the words "
        f"(chance {percent(found.purity_chance)}).",
    ]
    lines += [
        f"  near miss: {found.shown(m.word)} of {m.category} is nearest to {found.shown(m.nearest)} of "
        f"{m.nearest_category}, {cosine(m.cosine)}; "
        f"to its own kind {cosine(m.own_cosine)}"
        for m in found.near_misses[:10]
    ]
    for name, picture in (("two", found.flat), ("three", found.solid)):
        lines.append(
            f"In {name} dimensions {percent(float(picture.explained.sum()))} of the variance is explained; the median "
            f"word loses {percent(float(sorted(picture.lost)[len(picture.lost) // 2]))} of its squared distance and "
            f"keeps {percent(float(picture.recall.mean()))} of its 5 nearest."
        )
    show("cluster", study, found, "\n".join(lines), json)
