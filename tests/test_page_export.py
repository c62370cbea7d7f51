"""An exported folder in Chromium, served by a plain file server: the same page, the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

import armillary as arm
from armillary.web.export import export
from browser_pages import files_served, numbers, rested

pytestmark = pytest.mark.browser

WORDS = ["<script>alert(1)</script>", b"\xe4\xba", " king", "king", " queen", " man", " woman"]


@pytest.fixture(scope="module")
def study() -> arm.Study:
    rows = np.random.default_rng(5).standard_normal((300, 16)).astype(np.float32)
    rows[4] = rows[2] - rows[5] + rows[6]  # a planted analogy
    words = [*WORDS, *(f" w{i}" for i in range(300 - len(WORDS)))]
    return arm.open(arm.Table.from_array(rows, tokens=words, source="planted"), cache=False)


@pytest.fixture(scope="module")
def url(study, tmp_path_factory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("exported") / "page"
    export(study, folder, repairs=False)
    with files_served(folder) as url:
        yield url


def test_the_map_the_search_and_the_card_need_no_server(page, study):
    page.wait_for_selector("canvas")
    page.keyboard.press("/")
    page.keyboard.type("king")
    page.get_by_role("option").first.wait_for()
    assert page.get_by_role("option").locator(".token").all_inner_texts()[:2] == ["▁king", "king"]
    page.keyboard.press("Enter")
    card = page.get_by_role("complementary")
    card.get_by_role("heading", name="▁king").wait_for()
    assert card.locator("ol li button").all_inner_texts() == [t.text for t in study.neighbors(2, 10).tokens]
    page.evaluate("location.hash = '#/atlas?token=0'")
    expect(card.get_by_role("heading", level=2)).to_have_text("<script>alert(1)</script>")


def test_free_questions_are_answered_in_the_browser(page, study):
    page.evaluate("location.hash = '#/words?q=king - man + woman'")
    rested(page)
    expect(page.locator(".statement button")).to_have_text("▁queen")
    ranks = study.analogy("king - man + woman").analogy.ranks
    shown = numbers(page.locator("table.ranks td").all_inner_texts())
    assert shown[1:] == [ranks.removed, ranks.variants_removed, ranks.kept]
    page.evaluate("location.hash = '#/words?part=similarity&w=king,queen'")
    rested(page)
    cells = page.locator("main table").nth(1).locator("tbody td").all_inner_texts()
    assert numbers([cells[0]])[0] == pytest.approx(study.similarity("king", "queen").pairs[0].cosine, abs=0.01)
    page.evaluate("location.hash = '#/words?w=king,nosuchword&part=similarity'")
    expect(page.get_by_role("alert")).to_contain_text("is no single token of this table")


@pytest.mark.parametrize("room", ["sphere", "isotropy", "health", "lens", "words"])
def test_every_room_opens(page, room):
    page.evaluate(f"location.hash = '#/{room}'")
    page.wait_for_selector("main h2")
    page.wait_for_timeout(300)
    if room == "lens":
        expect(page.locator("main [role=status]").first).to_contain_text("an exported page holds no model")
    if room == "sphere":
        page.get_by_role("heading", name="The sphere").wait_for()
        expect(page.get_by_role("row", name="Welch").locator("td").first).to_have_text("0.244")


def test_it_says_what_needs_the_live_page(page):
    page.evaluate("location.hash = '#/words?part=metrics&m=w5'")
    expect(page.get_by_role("alert")).to_contain_text("needs the live page")
    expect(page.get_by_label("Space")).to_be_disabled()


@pytest.mark.real
def test_the_exported_demo_is_small_and_equal(tmp_path: Path):
    study = arm.open("demo")
    found = export(study, tmp_path / "page", repairs=False)
    assert found.size < 25_000_000 and found.free_questions
    scan = study.scan()
    for place in range(0, len(scan.ids), 400):
        near = study.neighbors(int(scan.ids[place]), 10)
        assert [t.id for t in near.tokens] == scan.neighbors[place].tolist()
        assert list(near.values) == scan.similarities[place].tolist()
