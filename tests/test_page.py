"""The page in Chromium, against the real server under its real security headers, on a table of hostile tokens."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

import armillary as arm
from browser_pages import lasso, numbers, opened, rested

pytestmark = pytest.mark.browser

HOSTILE = ["<script>document.title='broken'</script>", "a\tb\n", b"\xe4\xba", "‮abc", "x" * 300, " king", "king"]


@pytest.fixture(scope="module")
def study() -> arm.Study:
    rows = np.random.default_rng(2).standard_normal((400, 16)).astype(np.float32)
    words = [*HOSTILE, *(f" w{i}" for i in range(400 - len(HOSTILE)))]
    return arm.open(arm.Table.from_array(rows, tokens=words, source="hostile"), cache=False)


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
    page.get_by_role("button", name="Zoom in").click()
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


HOSTILE_ADDRESSES = [
    f"#/{room}?{key}={value}"
    for room, keys in {
        "atlas": ("token", "colour", "space", "part"), "sphere": ("v", "d"), "words": ("q", "part", "lists"),
        "isotropy": ("repair",), "health": ("kind", "part"), "learn": ("step", "lang"),
    }.items()
    for key in keys
    for value in ("__proto__", "toString", "-1", "1e99", "<img src=x onerror=alert(1)>", "%E0%A4%A")
]  # fmt: skip


def test_whatever_stands_in_the_address_the_page_stands(page, study):
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    for address in HOSTILE_ADDRESSES:
        page.evaluate("address => { location.hash = address }", address)
        page.wait_for_timeout(40)
        assert page.locator("main img").count() == 0
    page.evaluate("location.hash = '#/health'")  # errors that nobody saw fail the test where the page is closed
    page.get_by_role("heading", name="Rows that need attention").wait_for()
    page.evaluate("location.hash = '#/atlas?token=5&colour=toString'")
    expect(page.get_by_role("complementary").locator("h2")).to_have_text("▁king")
    expect(page.get_by_label("Colour")).to_have_value("none")
    assert asked == []


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


def test_a_repair_shows_what_it_did_and_changes_every_list(page, study):
    page.get_by_role("link", name="Isotropy").click()
    page.get_by_role("button", name="Repairs").click()
    row = page.get_by_role("row", name="centring", exact=False).first
    row.get_by_role("button", name="Measure").click()
    mean = page.get_by_role("row", name=re.compile("^Mean cosine"))
    mean.wait_for(timeout=120_000)
    before, after = numbers(mean.locator("td.number").all_inner_texts())
    rows = study.table.rows(range(400)).astype(np.float64)
    for moved, value in ((rows, before), (rows - rows.mean(0), after)):
        unit = moved / np.linalg.norm(moved, axis=1, keepdims=True)
        expected = ((unit.sum(0) ** 2).sum() - 400) / (400 * 399)
        assert value == pytest.approx(expected, rel=5e-3)
    row.get_by_role("button", name="Look there").click()
    expect(page).to_have_url(re.compile("space=centred"))
    page.evaluate("location.hash += '&token=5'")
    card = page.get_by_role("complementary")
    card.get_by_text("cosine in the centred space").wait_for()
    shown = card.locator("ol li button").all_inner_texts()
    assert shown == [t.text for t in study.in_space("centred").neighbors(5, 10).tokens]


def test_health_filters_and_sorts_every_row(page, study):
    page.evaluate("location.hash = '#/health?part=every&sort=norm'")
    rested(page)
    norms = np.linalg.norm(study.table.rows(range(400)).astype(np.float64), axis=1)
    ids = page.locator("main tbody td:first-child")
    expect(ids.first).to_have_text(str(norms.argmin()))
    assert [int(t) for t in ids.all_inner_texts()] == np.argsort(norms)[:200].tolist()
    page.get_by_label("Order").select_option("falling")
    expect(ids.first).to_have_text(str(norms.argmax()))
    page.get_by_label("Text contains").fill("<script>")
    page.get_by_role("button", name="Filter").click()
    expect(ids).to_have_text(["0"])
    page.get_by_label("A filter of your own").fill("norm >")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("alert")).to_contain_text("expected a DuckDB expression")
    page.go_back()
    expect(ids).to_have_text(["0"])


def test_a_lasso_becomes_a_list_and_a_csv(page, study):
    page.wait_for_selector("canvas")
    page.wait_for_timeout(500)
    reach = lasso(page)
    heading = page.get_by_role("heading", name="rows selected")
    heading.wait_for()
    count = int(heading.inner_text().split()[0])
    plane = study.projection.xy
    expected = int((np.abs(plane) < reach).all(axis=1).sum())
    assert abs(count - expected) <= 0.1 * expected + 2  # the hand's line has corners cut by the pointer's steps
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    lines = download.value.path().read_text("utf-8").splitlines()
    assert lines[0] == '"id","text","bytes","kind","x","y","shown"'
    assert sum(line[0].isdigit() for line in lines[1:]) == count


def test_points_have_names_that_stand_apart(page, study):
    page.wait_for_selector("canvas")
    names = page.locator(".map svg text")
    names.first.wait_for()
    few = set(names.all_text_contents())
    assert 5 <= len(few) < 100
    for _ in range(4):
        page.get_by_role("button", name="Zoom in").click()
    page.wait_for_timeout(800)
    assert set(names.all_text_contents()) != few


def test_without_webgl_there_is_a_reason_and_a_table(browser, url, study):
    blind = """const real = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return kind === 'webgl2' ? null : real.call(this, kind, ...more); };"""
    with opened(browser, url, spoiled=blind) as page:
        expect(page.get_by_role("alert")).to_contain_text("The map needs WebGL2")
        expect(page.locator("main tbody tr")).to_have_count(200)
        expect(page.locator("main tbody td:first-child").first).to_have_text("0")


def test_a_lost_server_is_told_and_asked_again(browser, url):
    context = browser.new_context(locale="en-US")
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector("canvas")
    context.set_offline(True)
    page.get_by_role("link", name="Health").click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("the server does not answer")
    context.set_offline(False)
    alert.get_by_role("button", name="Try again").click()
    page.get_by_role("heading", name="Rows that need attention").wait_for()
    expect(page.get_by_role("alert")).to_have_count(0)
    context.close()


def test_the_keyboard_alone_goes_everywhere(page):
    page.wait_for_selector("canvas")
    page.locator("nav a").first.focus()
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText")
        )
    assert {"Search", "Sphere", "Words", "Health", "Lens", "Lasso", "Zoom in", "Language", "Theme: Dark"} <= reached
    field = page.get_by_role("application")
    field.focus()
    before = points_drawn(page)
    page.keyboard.press("+")
    page.keyboard.press("+")
    page.wait_for_timeout(700)
    assert points_drawn(page) != before
    page.keyboard.press("0")
    page.get_by_role("link", name="Words").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="The analogy lab").wait_for()


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
