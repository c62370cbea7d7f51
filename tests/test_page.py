"""The page in Chromium, against the real server under its real security headers, on a table of hostile tokens."""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import expect, sync_playwright

import armillary as arm
from armillary.web import serve

pytestmark = pytest.mark.browser

HOSTILE = ["<script>document.title='broken'</script>", "a\tb\n", b"\xe4\xba", "‮abc", "x" * 300, " king", "king"]
FLAGS = [
    "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
]  # fmt: skip


@pytest.fixture(scope="module")
def study() -> arm.Study:
    rows = np.random.default_rng(2).standard_normal((400, 16)).astype(np.float32)
    words = [*HOSTILE, *(f" w{i}" for i in range(400 - len(HOSTILE)))]
    return arm.open(arm.Table.from_array(rows, tokens=words, source="hostile"), cache=False)


@pytest.fixture(scope="module")
def url(study) -> str:
    told: list[str] = []
    threading.Thread(target=serve, args=(study,), kwargs={"ready": told.append}, daemon=True).start()
    deadline = time.monotonic() + 30
    while not told and time.monotonic() < deadline:
        time.sleep(0.02)
    return told[0]


@pytest.fixture(scope="module")
def browser() -> Iterator:
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        running = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def page(browser, url) -> Iterator:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US", color_scheme="light")
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    foreign: list[str] = []
    origin = url.split("/?")[0]
    page.on("request", lambda r: None if r.url.startswith((origin, "data:", "blob:")) else foreign.append(r.url))
    page.goto(url)
    page.wait_for_selector("nav a")
    yield page
    context.close()
    assert errors == [] and foreign == []


def points_drawn(page) -> int:
    """How many pixels of the map are not empty."""
    return page.evaluate(
        """() => { const c = document.querySelector('canvas'); const gl = c.getContext('webgl2');
        const p = new Uint8Array(4 * c.width * c.height);
        gl.readPixels(0, 0, c.width, c.height, gl.RGBA, gl.UNSIGNED_BYTE, p);
        let n = 0; for (let i = 3; i < p.length; i += 4) n += p[i] > 0; return n; }"""
    )


def test_the_map_is_drawn_and_zooms(page):
    page.wait_for_selector("canvas")
    expect(page.locator("main h2")).to_contain_text("%")
    page.wait_for_timeout(500)
    before = points_drawn(page)
    assert 200 <= before <= 400 * 16  # 400 points of one to a few pixels
    circle_before = page.evaluate("location.hash")
    page.get_by_role("button", name="+", exact=True).click()
    page.wait_for_timeout(600)
    assert points_drawn(page) != before
    assert page.evaluate("location.hash") == circle_before


def test_the_secret_leaves_the_address_bar(page):
    assert "token=" not in page.url


def test_search_opens_a_card_with_the_library_s_neighbours(page, study):
    page.keyboard.press("/")
    page.keyboard.type("king")
    page.get_by_role("option").first.wait_for()
    page.keyboard.press("Enter")
    card = page.get_by_role("complementary")
    card.get_by_role("heading", name="▁king").wait_for()
    shown = card.locator("ol li button").all_inner_texts()
    assert shown == [t.text for t in study.neighbors(5, 10).tokens]
    assert "token=5" in page.url
    page.keyboard.press("ArrowRight")  # the nearest neighbour's own card
    nearest = study.neighbors(5, 1).tokens[0]
    expect(page).to_have_url(re.compile(f"token={nearest.id}$"))
    page.go_back()
    expect(page).to_have_url(re.compile("token=5$"))
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("token"))


@pytest.mark.parametrize("id", range(5))
def test_hostile_tokens_are_shown_as_text(page, study, id):
    page.evaluate(f"location.hash = '#/atlas?token={id}'")
    heading = page.get_by_role("complementary").locator("h2")
    heading.wait_for()
    expect(page.locator("aside dd").first).to_have_text(str(id))
    assert heading.inner_text() == study.table.token(id).text
    assert page.title().endswith("Armillary")
    assert page.locator("aside script").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_planner_answers_the_sliders(page):
    page.get_by_role("link", name="Sphere").click()
    first = page.get_by_role("row", name="Welch").locator("td").first
    first.wait_for()
    expect(first).to_have_text("0.245")  # √((V−d)/(d(V−1))) at V = 400, d = 16
    slider = page.get_by_role("slider").nth(1)
    slider.focus()
    for _ in range(100):
        page.keyboard.press("ArrowRight")  # 2⁴ → 2⁵
    expect(first).to_have_text("0.170")  # the same at d = 32
    assert "d=32" in page.url


def test_a_scan_runs_from_the_page(page):
    page.get_by_role("link", name="Sphere").click()
    start = page.get_by_role("button", name="Compare all pairs")
    start.wait_for()
    start.click()
    page.get_by_role("heading", name="The sphere").wait_for(timeout=60_000)
    figure = page.locator("figure").first
    assert figure.locator("svg[role=img]").get_attribute("aria-label")
    figure.get_by_role("button", name="Table").click()
    assert figure.locator("tbody tr").count() > 5


def test_both_languages_and_themes_are_remembered(page):
    page.get_by_label("Language").select_option("zh-CN")
    page.get_by_role("link", name="球面").wait_for()
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    page.get_by_label("主题").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.reload()
    page.get_by_role("link", name="球面").wait_for()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(14, 19, 32)"


def test_a_stranger_s_tab_gets_nothing(browser, url):
    context = browser.new_context()
    page = context.new_page()
    page.goto(re.sub(r"\?token=.*", "", url))
    alert = page.get_by_role("alert")
    alert.wait_for()
    assert "open the page by the whole address" in alert.inner_text()
    context.close()
