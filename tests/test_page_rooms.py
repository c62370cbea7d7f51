"""Every room of the page on the demo table: its numbers are the library's, in both languages, and axe finds nothing."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

import armillary as arm
from browser_pages import LOOKS, axe, faults_of, numbers, opened, rested, served, users_cache

pytestmark = pytest.mark.browser

ROUTES = {
    "atlas": "#/atlas?token=500",
    "six": "#/atlas?part=six",
    "sphere": "#/sphere",
    "analogy": "#/words",
    "similarity": "#/words?part=similarity",
    "ladder": "#/words?part=ladder",
    "directions": "#/words?part=directions",
    "metrics": "#/words?part=metrics",
    "isotropy": "#/isotropy",
    "repairs": "#/isotropy?part=repairs",
    "norms": "#/isotropy?part=norms",
    "health": "#/health",
    "every": "#/health?part=every",
    "read": "#/health?part=read",
    "lens": "#/lens",
}


HEADINGS = (
    "[...document.querySelectorAll('main h2, main h3, main figure .legend li')]"
    ".filter(h => !h.closest('[lang=en]')).map(h => h.innerText)"
)


@pytest.fixture(scope="module")
def study(demo_study) -> arm.Study:
    return demo_study


def go(page, route: str) -> None:
    page.evaluate(f"location.hash = {route!r}")
    rested(page)


@pytest.mark.parametrize(("locale", "scheme", "width", "height"), LOOKS)
def test_every_room_in_both_languages_themes_and_sizes(browser, url, locale, scheme, width, height):
    kept = os.environ.get("ARMILLARY_SHOTS")  # a folder to keep the pictures in, for those who review them
    how = {"locale": locale, "color_scheme": scheme, "viewport": {"width": width, "height": height}}
    faults: dict[str, object] = {}
    with opened(browser, url, spoiled=axe(), **how) as page:
        for name, route in ROUTES.items():
            go(page, route)
            page.wait_for_timeout(300)
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                faults[f"{name}, width"] = page.evaluate("document.documentElement.scrollWidth")
            if alerts := page.get_by_role("alert").all_inner_texts():
                faults[f"{name}, alert"] = alerts
            if found := faults_of(page):
                faults[f"{name}, axe"] = found
            if locale == "zh-CN" and (
                bare := [h for h in page.evaluate(HEADINGS) if not re.search(r"[\u4e00-\u9fff]", h)]
            ):
                faults[f"{name}, not in Chinese"] = bare
            if kept:
                page.screenshot(path=Path(kept) / f"{name}-{locale}-{scheme}-{width}.png")
    assert faults == {}, "\n".join(f"{where}: {what}" for where, what in faults.items())


def test_an_analogy_shows_every_rank(page, study):
    go(page, "#/words")
    found = study.analogy("king - man + woman").analogy
    ranks = numbers(page.locator("table.ranks td").all_inner_texts())
    r = found.ranks
    assert ranks == [r.baseline, r.removed, r.variants_removed, r.kept]
    lists = page.locator(".two section")
    for place, entries in ((0, found.removed), (1, found.kept)):
        assert lists.nth(place).locator("th button").all_inner_texts() == [e.text for e in entries]
    page.get_by_label("A sum of words").fill("Paris - France + Italy")
    page.get_by_role("button", name="Ask").click()
    answer = study.analogy("Paris - France + Italy").analogy.answer.text
    expect(page.locator(".statement button")).to_have_text(answer)
    assert "q=Paris" in page.url
    page.get_by_label("A sum of words").fill("Paris -")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_role("alert")).to_contain_text("expected")


def test_a_cosine_stands_among_random_pairs(page, study):
    go(page, "#/words?part=similarity&w=king,queen,apple")
    found = study.similarity("king", "queen", "apple")
    rows = page.locator("main table").nth(1).locator("tbody tr")
    for row, pair in zip(rows.all(), found.pairs, strict=True):
        cells = row.locator("td").all_inner_texts()
        assert numbers([cells[0]])[0] == pytest.approx(pair.cosine, rel=5e-3)
        assert float(cells[1].split(" ±")[0]) == pytest.approx(pair.percentile, rel=5e-3)
        assert numbers([cells[3]])[0] == pytest.approx(pair.csls, rel=5e-3)


def test_the_ladder_is_the_library_s_in_either_list(page, study):
    go(page, "#/words?part=ladder")
    for language in ("en", "zh"):
        page.get_by_label("Word lists").select_option(language)
        rested(page)
        shown = numbers(page.locator("main table").first.locator("tbody td.number").all_inner_texts())
        assert shown == pytest.approx([r.mean for r in study.ladder(language).rungs], rel=5e-3, abs=5e-4)


def test_a_direction_is_read_on_words_it_has_not_seen(page, study):
    go(page, "#/words?part=directions&dir=plural")
    found = study.direction("plural")
    shown = numbers(page.locator("main tbody td.measured").all_inner_texts())
    assert shown == pytest.approx([found.auc, found.parallelism.value], rel=5e-3)
    page.get_by_label("A pair a line").fill("man woman\nking queen\nboy girl\nson daughter")
    page.get_by_label("Words to be read").fill("uncle aunt")
    page.get_by_role("button", name="Ask").click()
    expect(page.locator("main svg[role=img]")).to_contain_text("your words")
    expect(page.get_by_text("4 pairs, 4 of single tokens")).to_be_visible()


def test_six_categories_turn_flatten_and_answer_from_the_full_space(page, study):
    go(page, "#/atlas?part=six")
    table = page.get_by_role("table", name="share of the variance kept")
    mine, best = numbers(table.locator("td.number").all_inner_texts())
    ids = [w.ids[0] for w in study.categories("en").words]
    rows = study.table.rows(ids).astype(np.float64)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    spectrum = np.linalg.svd(unit - unit.mean(0), compute_uv=False) ** 2
    assert best == pytest.approx(100 * spectrum[:2].sum() / spectrum.sum(), rel=5e-3)
    assert mine == best
    cloud = page.get_by_role("application")
    cloud.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")  # half a radian about the vertical axis
    turned = numbers(table.locator("td.number").all_inner_texts())[0]
    c2 = np.cos(0.5) ** 2
    kept = c2 * spectrum[0] + (1 - c2) * spectrum[2] + spectrum[1]
    assert turned == pytest.approx(100 * kept / spectrum.sum(), rel=5e-3)
    assert turned < best
    page.get_by_role("button", name="Flatten").click()
    expect(table.locator("td.number").first).to_have_text(f"{best:.2f} %")
    page.get_by_text("words with their coordinates").click()
    page.get_by_role("button", name="dog", exact=True).click()
    near = page.get_by_role("table", name="Nearest to dog in the full space")
    near.wait_for()
    dog = next(w.ids[0] for w in study.categories("en").words if w.text == "dog")
    found = study.neighbors(dog, 5)
    assert near.locator("th button").all_inner_texts() == [t.text for t in found.tokens]
    assert numbers(near.locator("td.number").all_inner_texts()) == pytest.approx(found.values, abs=5e-4)


def test_metrics_stand_side_by_side(page, study):
    go(page, "#/words?part=metrics&m=king")
    lists = page.locator(".three").first.locator("section")
    for place, metric in enumerate(("cosine", "dot", "euclidean")):
        found = study.neighbors("king", 10, metric)
        assert lists.nth(place).locator("th button").all_inner_texts() == [t.text for t in found.tokens]


def test_a_table_alone_has_no_layers_and_says_so(page):
    go(page, "#/lens")
    expect(page.locator("main [role=status]").first).to_contain_text("holds a table alone")


@pytest.mark.real
def test_the_lens_is_the_library_s(browser, monkeypatch):
    users_cache(monkeypatch)
    from armillary.lens import logit_lens

    study = arm.open("demo:smollm2")
    with opened(browser, served(study)) as page:
        go(page, "#/lens?prompt=The+capital+of+France+is")
        found = logit_lens(study.model(), "The capital of France is")
        grid = page.locator("table.grid")
        grid.wait_for(timeout=300_000)
        shown = [row.locator("td").all_inner_texts() for row in grid.locator("tbody tr").all()]
        expected = [
            [found.named(layer, i)[0].text for i in range(len(found.tokens))] for layer in range(found.depth, -1, -1)
        ]
        assert shown == expected
        expect(page.locator(".map polyline")).to_have_count(1)
        page.get_by_role("button", name="Drift of a word").click()
        page.get_by_role("img", name="Mean cosine of bank").wait_for(timeout=300_000)
