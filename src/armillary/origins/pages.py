"""The laboratories' results as report pages: what was found in sentences, its figure, and the table behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from armillary.answer import Answer, Listing
from armillary.origins import figures
from armillary.report import Column, FigureData, Finding, Report, Section, TableData, ordered
from armillary.storage import atomic_path, output_path

_FIGURES: dict[str, Callable[[Any], FigureData]] = {
    "Packing": figures.packing_figure,
    "Frontier": figures.frontier_figure,
    "ToyModels": figures.features_figure,
    "PhaseDiagram": figures.phase_figure,
    "Groups": figures.groups_figure,
    "WordModel": figures.losses_figure,
    "PmiCheck": figures.residuals_figure,
    "Tying": figures.tying_figure,
    "DimensionChoice": lambda _: figures.dimension_figure(),
}


def figure_of(result: Answer) -> FigureData | None:
    """The figure of a laboratory's result; None where it has none, or nothing to draw yet."""
    draw = _FIGURES.get(type(result).__name__)
    figure = None if draw is None else draw(result)
    return figure if figure is not None and any(len(series.x) for series in figure.series) else None


def lab_report(name: str, results: Sequence[Answer]) -> Report:
    """A report of one section a result; it has no measures of a table."""
    from armillary import __version__

    sections = [_section(result, number) for number, result in enumerate(results, start=1)]
    stated = [(s.figure.title, s.id) for s in sections if s.figure]
    return Report(
        armillary=__version__,
        name=name,
        provenance={"source": name, "architecture": "", "tensor": "", "stored": "", "licence": ""},
        load_report={},
        row_facts={"sha256": ""},
        headlines=[],
        findings=ordered([Finding(text=f"{text}.", section=id, weight=1.0) for text, id in stated]),
        sections=sections,
        measures=[],
        scanned=False,
        seconds=None,
    )


def check_figure(path: Path) -> Path:
    """`path` if a figure can be written there; UsageError before any work is done."""
    return output_path(path, (".svg",), "a figure that ends in .svg")


def save_figures(results: Sequence[Answer], path: Path) -> list[Path]:
    """Write the first figure to `path`, and the others as NAME.ID.svg beside it; the files written."""
    drawn = [figure for result in results if (figure := figure_of(result)) is not None]
    paths = [path if i == 0 else path.with_name(f"{path.stem}.{f.id}-{i + 1}.svg") for i, f in enumerate(drawn)]
    for target, figure in zip(paths, drawn, strict=True):
        with atomic_path(target) as temporary:
            temporary.write_text(figures.svg(figure), "utf-8")
    return paths


def _section(result: Answer, number: int) -> Section:
    figure = figure_of(result)
    name = type(result).__name__.lower()
    if isinstance(result, Listing):
        title, sentences, tables = result.title, list(result.notes), [_table(result, name)]
    else:
        title, *sentences = str(result).splitlines()
        tables = []
    return Section(id=f"{name}-{number}", title=title, sentences=sentences, figure=figure, tables=tables)


def _table(result: Listing, name: str) -> TableData:
    columns = result.columns()
    forms = {key: _form(values) for key, values in columns.items()}
    return TableData(
        id=name,
        title=result.title,
        columns=[Column(name=key, label=key.replace("_", " "), form=form) for key, form in forms.items()],
        rows=[
            [str(v) if forms[k] == "text" else v for k, v in zip(columns, row, strict=True)]
            for row in zip(*columns.values(), strict=True)
        ],
    )


def _form(values: Sequence[Any]) -> Any:
    if all(type(v) is int for v in values):
        return "count"
    return "number" if all(isinstance(v, int | float) or v is None for v in values) else "text"
