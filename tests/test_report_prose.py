"""The report's sentences follow its own numbers: each is written for the case at hand, and for its opposite."""

from __future__ import annotations

import numpy as np
import pytest

import armillary as arm
from armillary.repairs import Filters
from armillary.report import Report, cells
from armillary.report.findings import crowd
from armillary.report.html import shown
from armillary.report.markdown import render as render_markdown
from armillary.study.sections import repaired, repairs


@pytest.fixture(scope="module")
def even(tmp_path_factory) -> Report:
    """300 directions drawn evenly in 40 dimensions, far shorter than 1: no hub, no mean, nothing for a conceptor."""
    rows = np.random.default_rng(1).standard_normal((300, 40)).astype(np.float32) * 1e-3
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARMILLARY_CACHE", str(tmp_path_factory.mktemp("cache")))
        return arm.open(arm.Table.from_array(np.vstack([rows, -rows]), [f"w{i}" for i in range(600)])).report()


def prose(report: Report, section: str) -> str:
    return " ".join(next(s for s in report.sections if s.id == section).sentences)


def test_an_even_table_is_not_said_to_need_what_it_has_no_use_for(even):
    assert "a conceptor lowers none here" in prose(even, "repairs")
    assert "holds for both" in prose(even, "repaired")


def test_a_bound_is_called_what_it_is(even):
    closest = next(f.text for f in even.findings if f.text.startswith("The closest of all pairs"))
    assert "no code of this size can be below" in closest and "best possible" not in closest


@pytest.mark.parametrize(
    ("largest", "said"), [(0.2, "lowers the largest to a gain of 0.200"), (1.0, "lowers none here")]
)
def test_a_conceptor_is_told_by_its_gains(largest, said):
    gains = {"centre": np.ones(4), "all-but-the-top": np.array([0, 0, 1.0, 1]), "whiten": np.array([0.25, 0.5, 0.5, 1])}
    told = repairs.sentence(Filters(np.ones(4), gains | {"conceptor": np.array([largest, 1, 1, 1])}))
    assert said in told and "drops the first 2" in told and "4.00 times the gain of the first" in told


def test_hubs_are_told_only_where_there_are_some(even):
    assert "more often than their share" in crowd.hubs_sentence(3.0)
    assert "That is no hub" in crowd.hubs_sentence(0.3)
    skew = even.measure("hubness_skewness").value
    assert skew is not None and (skew <= crowd.SOME) == ("That is no hub" in prose(even, "hubs"))


def test_a_row_that_no_search_finds_is_told_only_where_there_is_one(even):
    share = even.measure("antihub_share")
    for value, said in (
        (0.0, "Every row is among the 10 nearest of some other row."),
        (0.25, "25.0 % of the rows are among"),
    ):
        assert said in " ".join(crowd.sentences({"antihub_share": share.model_copy(update={"value": value})}, 10))


@pytest.mark.parametrize(
    ("change", "said"), [(0.2, "for one of them only"), (-0.2, "for one of them only"), (0.001, "for both")]
)
def test_a_threshold_moves_with_the_mean_alone(change, said):
    assert said in repaired.threshold(change)


def test_what_fonts_lack_or_draw_as_a_bar_is_spelled_out_and_stays_text():
    assert shown("\u240a▁▁▁▁▁<b>") == (
        '<span class="sign" title="\u240a">LF</span>▁<span class="sign">×5</span>&lt;b&gt;'
    )
    assert shown("▁the ▁▁▁ \u2421") == '▁the ▁▁▁ <span class="sign" title="\u2421">DEL</span>'


def test_a_column_of_dashes_is_left_out(even):
    norms = next(s for s in even.sections if s.id == "norms")
    heads = [head for _, head in cells.null_columns(even.measure(name) for name in norms.measures)]
    assert heads and "matched code" not in heads
    markdown = render_markdown(even)
    assert f"| measure | value | {' | '.join(heads)} | definition |" in markdown
    assert "| measure | value | definition |" in markdown  # health: no null at all


def test_sample_words_are_words(tmp_path, monkeypatch):
    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path))
    names = ["<s>", "</s>", *(f"{a}{b}x" for a in "abcdefgh" for b in "abcdefgh"), *",.;:!?()"]
    rows = np.random.default_rng(2).standard_normal((len(names), 12)).astype(np.float32)
    found = arm.open(arm.Table.from_array(rows, names)).report()
    table = next(t for s in found.sections for t in s.tables if t.id == "neighbors-table")
    sampled = [str(row[0]) for row in table.rows]
    assert len(sampled) == 6 and all(word.isalpha() for word in sampled)


@pytest.mark.parametrize(("closest", "said"), [(0.99, "often spelling variants"), (0.3, "says nothing about them")])
def test_pairs_as_close_as_chance_are_not_explained(tmp_path, monkeypatch, closest, said):
    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path))
    rows = np.random.default_rng(3).standard_normal((300, 64)).astype(np.float32)
    if closest > 0.9:
        rows[1] = rows[0] + 0.05 * rows[1]
    assert said in prose(arm.open(arm.Table.from_array(rows, [f"w{i}" for i in range(300)])).report(), "pairs")


def test_tokens_in_sentences_are_quoted(even):
    assert "“w" in next(f.text for f in even.findings if f.text.startswith("The closest of all pairs"))
    assert all("“w" in prose(even, section) for section in ("sphere", "crowd", "pairs", "hubs"))
