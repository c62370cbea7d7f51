"""Whether words of a kind stand together: six categories, measured in the full space and drawn in two dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.answer import cosine, number, percent
from armillary.errors import UsageError
from armillary.report import Column, FigureData, Finding, Section, Series, TableData
from armillary.study.sections.part import Part, table_of

if TYPE_CHECKING:
    from armillary.study.study import Study
    from armillary.words.categories import Categories

NEEDS_SCAN = True  # not for its pairs: so that the first findings, which come before a scan, stay quick
ID = "categories"
FEWEST, LISTED = 40, 12


def compose(study: Study, scanned: bool) -> Part | None:
    """The six categories in English; None where the table has fewer than 40 of their words."""
    if study.table.vocabulary.named_by_id:
        return None
    try:
        found = study.categories("en")
    except UsageError:  # fewer than two categories can be spelled
        return None
    if len(found.words) < FEWEST:
        return None
    told = (
        f"The nearest of {len(found.words)} words in six categories is of the same category for {percent(found.purity)} "
        f"of them, by chance for {percent(found.purity_chance)}."
    )
    overall = found.overall
    section = Section(
        id=ID,
        title="Words of a kind",
        sentences=[
            told,
            f"The mean cosine is {cosine(overall.within)} within a category and {cosine(overall.between)} between "
            f"categories (p = {number(overall.p)} over 999 shuffled labelings).",
        ],
        figure=_figure(found, f"{percent(found.purity)} of the words stand nearest to one of their kind"),
        tables=[_separations(found), *_misses(found)],
        how="Cosines in the full space, rows as stored. A word of several tokens stands by its first; "
        f"{found.single} of {len(found.words)} are one token. Only the picture is a projection.",
    )
    return Part(section, findings=(Finding(text=told, section=ID, weight=0.4),))


def _figure(found: Categories, title: str) -> FigureData:
    flat = found.flat
    labels = np.array(found.labels)
    return FigureData(
        id="categories-plane",
        title=title,
        alt="The words on the plane of their first two principal components, coloured by category.",
        x_label="first principal component",
        y_label="second",
        series=[
            Series.of("points", name, at[:, 0], at[:, 1], "category")
            for name in dict.fromkeys(found.labels)
            if len(at := flat.points[labels == name])
        ],
        caption=f"The plane holds {percent(float(flat.explained.sum()))} of the variance and keeps "
        f"{percent(float(flat.recall.mean()))} of each word's 5 nearest: measure in the table, not in the picture.",
    )


def _separations(found: Categories) -> TableData:
    columns = [
        Column(name="group", label="category"),
        Column(name="words", label="words", form="count"),
        *(Column(name=n, label=n, form="cosine") for n in ("within", "between")),
        Column(name="p", label="p", form="number"),
    ]
    rows = [[s.name, s.words, s.within, s.between, s.p] for s in found.by_category]
    rows += [[f"{s.name}, its subgroups", s.words, s.within, s.between, s.p] for s in found.subgroups]
    return table_of("categories-table", "Mean cosines within and between", columns, rows)


def _misses(found: Categories) -> list[TableData]:
    if not found.near_misses:
        return []
    columns = [
        *(Column(name=n, label=n) for n in ("word", "category", "nearest")),
        Column(name="of", label="of category"),
        *(Column(name=n, label=n, form="cosine") for n in ("cosine", "best of its own")),
    ]
    rows = [
        [found.shown(m.word), m.category, found.shown(m.nearest), m.nearest_category, m.cosine, m.own_cosine]
        for m in found.near_misses[:LISTED]
    ]
    note = f"The {LISTED} widest of {len(found.near_misses)}." if len(found.near_misses) > LISTED else ""
    return [table_of("near-misses", "Words whose nearest is of another category", columns, rows, note)]
