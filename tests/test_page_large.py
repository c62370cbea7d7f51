"""The page on a vocabulary of 262,144 rows: the map pans, one row's neighbours are the library's, every room opens."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import armillary as arm
from browser_pages import lasso, rested, users_cache

pytestmark = [pytest.mark.browser, pytest.mark.real]

KING = 9_615
FRAME = 1_000  # milliseconds that a frame may take while a hand pans, in software rendering
# milliseconds of each of twelve steps of the map, drawn to the end: a pixel is read back
PAN = """async () => {
  const map = document.querySelector('.map svg'), gl = document.querySelector('canvas').getContext('webgl2');
  const took = [];
  for (let step = 0, began = performance.now(); step < 12; step++) {
    map.dispatchEvent(new KeyboardEvent('keydown', { key: step % 2 ? 'ArrowLeft' : 'ArrowRight', bubbles: true }));
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 0)));
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    took.push(performance.now() - began);
    began = performance.now();
  }
  return took;
}"""
SHOWN = {  # what a room must have told; a heading, or the reason why it has none
    "#/sphere": "How many directions fit",
    "#/words": "The analogy lab",
    "#/words?part=similarity": "What a cosine means in this table",
    "#/words?part=ladder": "The relation ladder",
    "#/words?part=directions": "Directions, read on words they have not seen",
    "#/words?part=metrics": "Three metrics side by side",
    "#/isotropy": "How evenly it fills its space",
    "#/isotropy?part=repairs": "What a repair would change",
    "#/isotropy?part=norms": "How long the rows are",
    "#/health": "Rows that need attention",
    "#/health?part=every": "Every row, by any measure",
    "#/health?part=read": "What was read",
    "#/atlas?part=six": "Six categories of words",
    "#/lens": "What each layer would say",
}


@pytest.fixture(scope="module")
def study() -> arm.Study:
    with pytest.MonkeyPatch.context() as patch:
        users_cache(patch)
        return arm.open("demo:gemma3")


def map_drawn(page: Page) -> None:
    expect(page.locator("main h2")).to_contain_text("% of its variance", timeout=300_000)
    expect(page.locator(".filling")).to_have_count(0, timeout=60_000)


def test_the_whole_vocabulary_is_drawn_and_pans(page):
    map_drawn(page)
    took = page.evaluate(PAN)
    assert np.median(took) < FRAME, took


def test_a_search_leads_to_the_card_and_its_exact_neighbours(page, study):
    map_drawn(page)
    page.keyboard.press("/")
    page.keyboard.type("king")
    expect(page.get_by_role("option").locator(".token").first).to_have_text("▁king", timeout=60_000)
    page.keyboard.press("Enter")
    card = page.get_by_role("complementary")
    card.locator("ol li").first.wait_for(timeout=60_000)
    assert card.locator("ol li button").all_inner_texts() == [t.text for t in study.neighbors(KING, 10).tokens]
    expect(card).to_contain_text("exact over all 262,144 rows")
    expect(page.locator(".map svg > circle")).to_have_count(11)  # the row and its neighbours are lit
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(f"token={study.neighbors(KING, 1).tokens[0].id}$"))


def test_a_lasso_lists_what_it_caught(page, study):
    map_drawn(page)
    reach = lasso(page)
    heading = page.get_by_role("heading", name="rows selected")
    heading.wait_for(timeout=60_000)
    count = int(heading.inner_text().split()[0].replace(",", ""))
    expected = int((np.abs(study.projection.xy) < reach).all(axis=1).sum())
    assert abs(count - expected) <= 0.02 * expected
    expect(page.locator("main tbody tr")).to_have_count(200)


@pytest.mark.slow
@pytest.mark.parametrize("route", SHOWN)
def test_every_room_tells_its_numbers(page, route):
    page.evaluate(f"location.hash = {route!r}")
    rested(page)
    expect(page.get_by_role("heading", name=SHOWN[route])).to_be_visible(timeout=300_000)
    rested(page)
    expect(page.get_by_role("alert")).to_have_count(0)
    assert re.search(r"\d", page.locator("main").inner_text())
