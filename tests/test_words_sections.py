"""The report's sections about words, on a table whose ladder, categories and norms are planted."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from armillary.report.drawing import draw
from armillary.study import open as open_study
from armillary.study.sections import categories, frequency, words
from armillary.study.study import Study
from armillary.table import Table
from armillary.words.lists import shipped

WIDTH = 32


@pytest.fixture(scope="module")
def study() -> Study:
    """Category words on the axis of their category; 300 English words whose norm is their rank among frequent ones."""
    from wordfreq import top_n_list

    rng = np.random.default_rng(0)
    sections = shipped("categories", "en")
    names = list(dict.fromkeys(s.name for s in sections))
    rows: dict[str, np.ndarray] = {}
    for section in sections:
        for word in section.words:
            rows.setdefault(word, np.eye(WIDTH)[names.index(section.name)] + 0.02 * rng.standard_normal(WIDTH))
    for name, spread in (("synonym", 0.1), ("related", 1.0), ("unrelated", 9.0)):
        for a, b in next(s for s in shipped("ladder", "en") if s.name == name).pairs:
            base = rng.standard_normal(WIDTH)
            rows.setdefault(a, base)
            rows.setdefault(b, base + spread * rng.standard_normal(WIDTH))
    frequent = [w for w in top_n_list("en", 3_000) if w.isalpha() and w.isascii()]
    for word in frequent[::5]:
        rows.setdefault(word, rng.standard_normal(WIDTH))
    place = {w: i for i, w in enumerate(frequent)}
    matrix = np.stack([row / np.linalg.norm(row) * (1 + place.get(word, 5_000)) for word, row in rows.items()])
    return open_study(Table.from_array(matrix.astype(np.float32), list(rows)), cache=False)


def test_the_ladder_is_told_as_measured(study):
    part = words.compose(study, False)
    assert part is not None
    found = study.ladder("en")
    assert part.section.sentences == [f"English: {found.sentence}"]
    assert part.findings[0].text == found.sentence
    figure = part.section.figure
    assert figure is not None
    bars, intervals = figure.series
    assert figure.x_names == [r.name for r in found.rungs]
    picture = draw(figure)
    assert all(f">{name}</text>" in picture for name in figure.x_names)
    assert list(bars.y) == [r.mean for r in found.rungs] and bars.y[0] == pytest.approx(1)
    assert list(intervals.y)[:2] == [found.rungs[0].low, found.rungs[0].high]
    held = sum(s.low > 0 for s in found.steps)
    assert figure.title.startswith(f"{held} of {len(found.steps)} steps")
    assert [row[1] for row in part.section.tables[0].rows] == [r.name for r in found.rungs]


def test_norms_that_fall_with_frequency_are_told_so(study):
    part = frequency.compose(study, False)
    assert part is not None and part.section.figure is not None
    assert part.section.figure.title == "Frequent words have shorter rows"
    middle = [round(y or 0.0, 2) for y in part.section.figure.series[0].y]
    assert middle == sorted(middle, reverse=True) and len(middle) == 20


def test_categories_that_are_apart_are_pure(study):
    part = categories.compose(study, True)
    assert part is not None and part.section.figure is not None
    assert [s.name for s in part.section.figure.series] == [
        "animals",
        "numbers",
        "colours",
        "countries",
        "verbs",
        "foods",
    ]
    assert part.section.figure.title == "100 % of the words stand nearest to one of their kind"
    assert all(row[4] == 0.001 for row in part.section.tables[0].rows if "subgroups" not in str(row[0]))
    assert len(part.section.tables) == 1  # no near miss


def test_without_word_lists_the_frequencies_are_left_out_with_a_note(study, monkeypatch):
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    part = frequency.compose(study, False)
    assert part is not None and part.findings == () and part.section.figure is None
    assert part.section.sentences == [
        "Left out. Word frequencies needs packages that are not installed; pip install 'armillary[words]'."
    ]


def test_tables_without_words_have_no_such_sections():
    bare = open_study(Table.from_array(np.eye(5, dtype=np.float32)), cache=False)
    other = open_study(Table.from_array(np.eye(5, dtype=np.float32), [f"x{i}" for i in range(5)]), cache=False)
    for study in (bare, other):
        assert [m.compose(study, True) for m in (words, frequency, categories)] == [None] * 3


def test_tokens_say_their_script(monkeypatch):
    table = Table.from_array(np.eye(4, dtype=np.float32), ["cat", "猫", "кот", "7"])
    found = open_study(table, cache=False).tokens()
    assert found.columns()["script"] == ["Latin", "Han", "Cyrillic", "Common"]
    assert open_study(table, cache=False).tokens(where="script = 'Han'").columns()["text"] == ["猫"]
    from armillary.words import scripts

    scripts._ranges.cache_clear()
    monkeypatch.setitem(sys.modules, "fontTools.unicodedata", None)
    without = open_study(table, cache=False).tokens()
    assert without.columns()["script"] == [None] * 4
    assert "Column script is empty: it needs the extra words." in without.notes
