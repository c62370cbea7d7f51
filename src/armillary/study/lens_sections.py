"""A lens as sections of a report: the grid, the answer through the layers, a logit taken apart, the path on the map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.lens import Decomposition, Path
from armillary.lens.logit_lens import EARLY
from armillary.report import Column, FigureData, Finding, Section, Series, TableData
from armillary.study.sections.part import Part, rows_of, table_of

if TYPE_CHECKING:
    from armillary.study.lens import Lens
    from armillary.study.study import Study

_DRAWN = 1_500  # rows of the table behind a path: enough to show the cloud, few enough for a page
_FORMS = {"token": "text", "id": "id", "probability": "percent", "cosine": "cosine", "rank_by_cosine": "count", "rank_by_distance": "count"}  # fmt: skip


def parts_of(lens: Lens) -> list[Part]:
    """The sections of a lens in the order they are read."""
    found = Finding(text=lens.statement, section="answer", weight=0.5)
    parts = [Part(_grid(lens)), Part(_answer(lens), findings=(found,))]
    parts += [Part(_decomposition(lens.decomposition))] if lens.decomposition else []
    parts += [Part(_path(lens.way, lens.study))] if lens.way else []
    parts += [Part(Section(id="bias", title="Before any text", sentences=[str(lens.bias)]))] if lens.bias else []
    return parts


def _grid(lens: Lens) -> Section:
    found = lens.found
    columns = [Column(name="layer", label="layer", form="id")]
    columns += [Column(name=f"p{i}", label=token.text) for i, token in enumerate(found.tokens)]
    rows, shades = [], []
    for layer in range(found.depth, -1, -1):
        rows.append([layer, *(found.named(layer, i)[0].text for i in range(len(found.tokens)))])
        shades.append([None, *found.top_probabilities[layer, :, 0].tolist()])
    table = TableData(
        id="lens",
        title="The most probable next token, by layer and position",
        columns=columns,
        rows=rows,
        shades=shades,
        note="The output is the top row, the table's own row the bottom one. The deeper the colour, the more probable.",
    )
    how = (
        "logits = softcap(W·N(h) + b): each layer's state is read with the final norm, its statistics computed anew. "
        + EARLY
    )
    return Section(id="grid", title="What each layer would say", tables=[table], how=how)


def _answer(lens: Lens) -> Section:
    found, layers = lens.found, list(range(lens.found.depth + 1))
    middle = len(found.vocabulary) / 2
    figure = FigureData(
        id="answer",
        title=lens.statement,
        alt=f"Rank of {found.answer.text} after the last token, layer by layer, beside that of a token at random.",
        x_label="layer",
        y_label=f"rank of {found.answer.text}",
        y_log=True,
        series=[
            Series.of("line", found.answer.text, layers, found.ranks[:, -1]),
            Series.of("line", "a token at random", [0, found.depth], [middle, middle], "random"),
        ],
        caption="After the last token of the prompt; rank 1 is the most probable token. Layer 0 is the table's row.",
    )
    columns = [
        Column(name="layer", label="layer", form="id"),
        Column(name="rank", label="rank", form="count"),
        Column(name="probability", label="probability", form="percent"),
        Column(name="kl", label="KL to the output, bits", form="number"),
        Column(name="entropy", label="entropy, bits", form="number"),
    ]
    each = (found.ranks, found.probabilities, found.divergences, found.entropies)
    rows = rows_of([layers, *(values[:, -1].tolist() for values in each)])
    table = table_of("answer", f"{found.answer.text} by layer", columns, rows)
    return Section(id="answer", title="The answer through the layers", figure=figure, tables=[table])


def _decomposition(found: Decomposition) -> Section:
    columns = [
        Column(name=name, label=name.replace("_", " "), form=_FORMS.get(name, "number"))  # pyright: ignore[reportArgumentType]
        for name in found.columns()
    ]
    table = table_of("decomposition", found.title, columns, rows_of(list(found.columns().values())))
    return Section(
        id="decomposition", title="A logit taken apart", sentences=list(found.notes), tables=[table],
        how="h is the last state after the final norm, w the raw row of the output table; products in float64.",
    )  # fmt: skip


def _path(found: Path, study: Study) -> Section:
    columns = [
        Column(name="layer", label="layer", form="id"),
        Column(name="norm", label="‖h‖", form="number"),
        Column(name="nearest", label="nearest rows"),
        Column(name="cosine", label="cosine of the first", form="cosine"),
    ]
    table = table_of("path", found.title, columns, rows_of([found.columns()[c.name] for c in columns]))
    return Section(
        id="path",
        title="The way through the table",
        sentences=list(found.notes),
        figure=_map(found, study),
        tables=[table],
    )


def _map(found: Path, study: Study) -> FigureData:
    plane = study.projection
    drawn = np.random.default_rng(0).permutation(len(plane.ids))[:_DRAWN]
    spots, depth = found.coordinates, len(found.norms) - 1
    ends = (("layer 0", spots[:1]), (f"layer {depth}", spots[-1:]))
    return FigureData(
        id="path",
        title=f"{found.token.text} goes from {found.nearest[0][0].text} to {found.nearest[-1][0].text} in {depth} layers",
        alt="The states of one position on the map of the table's rows, layer by layer.",
        x_label="first principal component of the rows",
        y_label="second",
        series=[
            Series.of("points", "rows of the table", plane.xy[drawn, 0], plane.xy[drawn, 1], "random"),
            Series.of("line", "the way", spots[:, 0], spots[:, 1]),
            *(
                Series.of("points", name, at[:, 0], at[:, 1], "category")
                for name, at in ends
            ),
        ],
        caption=f"Directions of the states at the mean length of the rows, on the two widest directions of the table; "
        f"{min(_DRAWN, len(plane.ids)):,} rows drawn at random. The plane holds {100 * float(plane.explained.sum()):.2g} % of "
        "the rows' variance: nearness is told by the table, not by the picture.",
    )  # fmt: skip
