"""What near means for words: the relation ladder, from identical to unrelated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armillary.errors import UsageError
from armillary.report import Column, FigureData, Finding, Section, Series, TableData
from armillary.study.sections.part import Part, table_of

if TYPE_CHECKING:
    from armillary.study.study import Study
    from armillary.words.ladder import Ladder

NEEDS_SCAN = False
ID = "words"
LANGUAGES: dict[str, str] = {"en": "English", "zh": "Chinese"}


def compose(study: Study, scanned: bool) -> Part | None:
    """The ladder in the languages this table spells; None where it spells no English."""
    ladders = {name: found for code, name in LANGUAGES.items() if (found := _ladder(study, code)) is not None}
    if "English" not in ladders:
        return None
    section = Section(
        id=ID,
        title="What near means for words",
        sentences=[f"{name}: {found.sentence}" for name, found in ladders.items()],
        figure=_figure(ladders["English"]),
        tables=[_table(ladders)],
        how="Mean cosines of word pairs written for this purpose, rows as stored, a word of several tokens as the mean of "
        "their rows. Intervals: 1,000 bootstrap draws of the pairs; a step held if the interval of its difference lies "
        "above 0.",
    )
    english = ladders["English"]
    weight = 0.45 if english.contradicted else 0.2
    return Part(section, findings=(Finding(text=english.sentence, section=ID, weight=weight),))


def _ladder(study: Study, language: str) -> Ladder | None:
    if study.table.vocabulary.named_by_id:
        return None
    try:
        found = study.ladder(language)
    except UsageError:  # no pair of any rung can be spelled
        return None
    return found if min(r.pairs for r in found.rungs) > 1 and len(found.rungs) > 2 else None


def _figure(found: Ladder) -> FigureData:
    places = [1.0 + i for i in range(len(found.rungs))]
    gaps: list[float | None] = [y for r in found.rungs for y in (r.low, r.high, None)]
    held = sum(step.verdict == "held" for step in found.steps)
    return FigureData(
        id="ladder",
        title=f"{held} of {len(found.steps)} steps from {found.rungs[0].name} to {found.rungs[-1].name} hold",
        alt="Mean cosine of the English pairs of each rung with its interval, in the order expected from near to far.",
        x_label="rung, from near to far as expected",
        x_names=[r.name for r in found.rungs],
        y_label="mean cosine",
        series=[
            Series.of("bars", "mean of the pairs", places, [r.mean for r in found.rungs]),
            Series.of("line", "95 % interval", [p for p in places for _ in range(3)], gaps, "bound"),
        ],
        caption="English pairs. The order is the one expected; the bars are as measured.",
    )


def _table(ladders: dict[str, Ladder]) -> TableData:
    columns = [
        Column(name="language", label="language"),
        Column(name="rung", label="rung"),
        *(Column(name=n, label=n, form="cosine") for n in ("mean", "low", "high")),
        *(
            Column(name=n, label=label, form="count")
            for n, label in (("pairs", "pairs"), ("single", "of single tokens"))
        ),
    ]
    rows = [
        [language, r.name, r.mean, r.low, r.high, r.pairs, r.single]
        for language, found in ladders.items()
        for r in found.rungs
    ]
    return table_of("ladder-rungs", "The rungs, with 95 % intervals of the mean", columns, rows)
