"""Drift as a report: senses that part, one word in several contexts, the cone by layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armillary.answer import Listing, cosine, number, percent
from armillary.lens import Drift, SenseStudy
from armillary.lens.cone import ConeByLayer
from armillary.lens.permuted import Permuted
from armillary.report import Column, FigureData, Finding, Report, Section, Series, TableData
from armillary.study.running import report_of

if TYPE_CHECKING:
    from armillary.study.study import Study


def drift_report(
    study: Study,
    *,
    senses: SenseStudy | None = None,
    word: Drift | None = None,
    order: Permuted | None = None,
    cone: ConeByLayer | None = None,
) -> Report:
    """Whichever of the four were made, as one report."""
    sections = [_senses(senses)] if senses else []
    sections += [_word(word)] if word else []
    sections += [_order(order)] if order else []
    sections += [_cone(cone), _dimensions(cone)] if cone else []
    findings = [Finding(text=note, section="senses", weight=1.0) for note in (senses.notes if senses else ())]
    return report_of(study, f"{study.provenance.source}: words through the layers", findings, sections)


def _senses(found: SenseStudy) -> Section:
    series = [
        Series.of(
            "line",
            f"{word.word} (one sense)" if word.is_control else word.word,
            range(len(word.within)),
            word.difference,
            "random" if word.is_control else "category",
            low=word.low,
            high=word.high,
        )
        for word in found.words
    ]
    figure = FigureData(
        id="senses",
        title=" ".join(found.notes),
        alt="For each word, the mean cosine within a sense minus that between senses, layer by layer.",
        x_label="layer",
        y_label="cosine, within − between senses",
        series=series,
        caption="Above 0 the senses of a word lie further apart than two sentences of one sense. The grey line is a word "
        "of one sense, its sentences in two halves. Bands: 95 % intervals, bootstrap over sentences.",
    )
    how = (
        "The vector of a word in a sentence is the mean of its tokens' states. The layer's anisotropy is in both means and "
        "cancels. The value is the mean over the upper half of the layers, fixed beforehand; intervals: 1,000 bootstrap "
        "draws of sentences within each sense; p: 1,000 shuffles of the senses."
    )
    tables = [_table("senses", found)]
    return Section(id="senses", title="Do the senses of a word part?", figure=figure, tables=tables, how=how)


def _word(found: Drift) -> Section:
    layers = list(range(len(found.cosines)))
    series = [
        Series.of("line", found.word, layers, found.self_similarity),
        Series.of("line", "any two words", layers, found.anisotropy, "random"),
    ]
    figure = FigureData(
        id="word",
        title=found.title,
        alt=f"Mean cosine of {found.word} between contexts by layer, beside the layer's baseline.",
        x_label="layer",
        y_label="mean cosine",
        series=series,
        caption=found.notes[0],
    )
    return Section(id="word", title=f"{found.word} in its contexts", figure=figure, tables=[_table("word", found)])


def _order(found: Permuted) -> Section:
    return Section(
        id="order",
        title="The same words in another order",
        sentences=list(found.notes),
        tables=[_table("order", found)],
    )


def _cone(found: ConeByLayer) -> Section:
    top = max(found.layers, key=lambda layer: layer.mean_cosine)
    rogue = f"; one coordinate makes {percent(top.rogue_share)} of it" if top.rogue_share is not None else ""
    figure = FigureData(
        id="cone",
        title=f"Two positions of the text have a mean cosine of up to {cosine(top.mean_cosine)}, in layer {top.layer}{rogue}",
        alt="Mean cosine of all pairs of positions by layer, for a text and for its words shuffled.",
        x_label="layer",
        y_label="mean cosine of two positions",
        series=[
            *_pair(found, "mean_cosine"),
            Series.of("line", "a random code: 0", [0, len(found.layers) - 1], [0.0, 0.0], "bound"),
        ],
        caption=" ".join(found.notes[:2]),
    )  # fmt: skip
    table = _table("cone", found, ("layer", "cosine", "rogue", "overlap", "norm"))
    return Section(id="cone", title="The cone by layer", figure=figure, tables=[table])


def _dimensions(found: ConeByLayer) -> Section:
    thinnest = min(
        (layer for layer in found.layers if layer.intrinsic is not None),
        key=lambda layer: layer.intrinsic or 0.0,
        default=None,
    )
    told = (
        f"The states of layer {thinnest.layer} have an intrinsic dimension of {number(thinnest.intrinsic)}, "
        f"as many normal rows {number(thinnest.intrinsic_random)}"
        if thinnest
        else "Too few positions for an intrinsic dimension"
    )
    layers = [layer.layer for layer in found.layers]
    null = [layer.intrinsic_random for layer in found.layers]
    figure = FigureData(
        id="dimensions",
        title=told,
        alt="Intrinsic dimension of the states by layer, for a text, for its words shuffled and for normal rows.",
        x_label="layer",
        y_label="intrinsic dimension",
        y_log=True,
        series=[
            *_pair(found, "intrinsic"),
            Series.of("line", "normal rows", layers, null, "random"),
        ],
        caption=found.notes[2],
    )
    table = _table("dimensions", found, ("layer", "PR", "intrinsic"))
    return Section(id="dimensions", title="How many directions the states use", figure=figure, tables=[table])


def _pair(found: ConeByLayer, name: str) -> list[Series]:
    """A measure of the text and of the shuffled text, by layer."""
    layers = [layer.layer for layer in found.layers]
    text, shuffled = ([getattr(layer, name) for layer in states] for states in (found.layers, found.shuffled))
    return [
        Series.of("line", "text", layers, text),
        Series.of("line", "shuffled text", layers, shuffled, "matched"),
    ]


def _table(id: str, found: Listing, begins: tuple[str, ...] = ("",)) -> TableData:
    """The columns of a listing whose names begin so, as a table."""
    columns = {name: values for name, values in found.columns().items() if name.startswith(begins)}
    rows: list[list[Any]] = [list(row) for row in zip(*columns.values(), strict=True)]
    return TableData(
        id=id, title=found.title, columns=[_column(name, rows, i) for i, name in enumerate(columns)], rows=rows
    )


def _column(name: str, rows: list[list[Any]], place: int) -> Column:
    value = next((row[place] for row in rows if row[place] is not None), "")
    kind = "text" if isinstance(value, str) else "count" if isinstance(value, int) else "number"
    form = "id" if name == "layer" else "cosine" if "cosine" in name else kind
    return Column(name=name, label=name.replace("_", " "), form=form)
