"""The logit lens as a report: the grid, the answer through the layers, a logit taken apart, the path."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armillary.answer import percent
from armillary.lens import Decomposition, LogitLens, Path
from armillary.lens.logit_lens import EARLY
from armillary.report import Column, FigureData, Finding, Report, Section, Series, TableData
from armillary.study.running import report_of

if TYPE_CHECKING:
    from armillary.study.study import Study


def lens_report(
    study: Study, found: LogitLens, decomposition: Decomposition | None = None, way: Path | None = None
) -> Report:
    """A lens as a report, with whichever of decomposition and path were made."""
    sections = [_grid(found), _answer(found)]
    sections += [_decomposition(decomposition)] if decomposition else []
    sections += [_path(way)] if way else []
    prompt = "".join(t.text for t in found.tokens).replace("▁", " ").strip()
    return report_of(study, f"{study.provenance.source}: {prompt}", [_finding(found)], sections)


def statement(found: LogitLens) -> str:
    """What the model answers, and from which layer on."""
    ranks, final = found.ranks[:, -1], percent(float(found.probabilities[-1, -1]))
    if found.ranks[-1, -1] > 1:
        return f"{found.answer.text} is number {ranks[-1]:,} at the output, with {final}."
    since = next((layer for layer in range(found.depth + 1) if (ranks[layer:] == 1).all()), found.depth)
    return (
        f"{found.answer.text} is first at the output, with {final}, and has been since layer {since} of {found.depth}."
    )


def _finding(found: LogitLens) -> Finding:
    return Finding(text=statement(found), section="answer", weight=1.0)


def _grid(found: LogitLens) -> Section:
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


def _answer(found: LogitLens) -> Section:
    layers = list(range(found.depth + 1))
    figure = FigureData(
        id="answer",
        title=statement(found),
        alt=f"Probability of {found.answer.text} after the last token, layer by layer.",
        x_label="layer",
        y_label=f"probability of {found.answer.text}",
        series=[
            Series(
                name=found.answer.text, role="measured", form="line", x=layers, y=found.probabilities[:, -1].tolist()
            )
        ],
        caption="After the last token of the prompt. Layer 0 is the table's row.",
    )
    columns = [
        Column(name="layer", label="layer", form="id"),
        Column(name="rank", label="rank", form="count"),
        Column(name="probability", label="probability", form="percent"),
        Column(name="kl", label="KL to the output, bits", form="number"),
        Column(name="entropy", label="entropy, bits", form="number"),
    ]
    each = zip(layers, found.ranks[:, -1].tolist(), found.probabilities[:, -1].tolist(), found.divergences[:, -1].tolist(),
               found.entropies[:, -1].tolist(), strict=True)  # fmt: skip
    table = TableData(
        id="answer", title=f"{found.answer.text} by layer", columns=columns, rows=[list(row) for row in each]
    )
    return Section(id="answer", title="The answer through the layers", figure=figure, tables=[table])


def _decomposition(found: Decomposition) -> Section:
    forms = {"token": "text", "id": "id", "probability": "percent", "cosine": "cosine"}
    columns = [
        Column(name=name, label=name.replace("_", " "), form=forms.get(name, "number"))  # pyright: ignore[reportArgumentType]
        for name in found.columns()
    ]
    rows = [list(row) for row in zip(*found.columns().values(), strict=True)]
    table = TableData(id="decomposition", title=found.title, columns=columns, rows=rows)
    return Section(
        id="decomposition", title="A logit taken apart", sentences=list(found.notes), tables=[table],
        how="h is the last state after the final norm, w the raw row of the output table; products in float64.",
    )  # fmt: skip


def _path(found: Path) -> Section:
    columns = [
        Column(name="layer", label="layer", form="id"),
        Column(name="norm", label="‖h‖", form="number"),
        Column(name="nearest", label="nearest rows"),
        Column(name="cosine", label="cosine of the first", form="cosine"),
    ]
    rows = [list(row) for row in zip(*found.columns().values(), strict=True)]
    table = TableData(id="path", title=found.title, columns=columns, rows=rows)
    return Section(id="path", title="The way through the table", sentences=list(found.notes), tables=[table])
