"""The lesson in Chromium: in every step a live value follows the hand or the keyboard, and is the library's own."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import armillary as arm
from armillary.bounds.capacity import log_capacity
from armillary.origins.packing.known import SPHERES
from armillary.study.lesson.examples import EXAMPLES
from armillary.web.export import export
from browser_pages import LOOKS, axe, faults_of, files_served, numbers, opened, served, users_cache

pytestmark = pytest.mark.browser

LANGUAGES = {"en": "en", "zh-CN": "zh"}
SLIDER = ".live input[type=range]"
HANDLE = ".live [role=slider]"


@dataclass(frozen=True)
class Move:
    """What a reader does with the keyboard: the control that has the focus (the `nth` of its kind), and the keys."""

    control: str
    keys: tuple[str, ...]
    value: str  # the name of the live value that must follow, or a selector
    nth: int = 0


MOVES = {
    "onehot": Move(".live fieldset button", ("Enter",), "row-cosine", 5),
    "lookup": Move(".live .go", ("Enter", "Enter"), "sum-0"),
    "noise": Move(SLIDER, ("End",), "within"),
    "arrows": Move(HANDLE, ("ArrowUp", "ArrowUp"), "dot"),
    "length": Move(SLIDER, ("Home",), "rank"),
    "ladder": Move(SLIDER, ("End",), "mean"),
    "analogy": Move(SLIDER, ("End",), "kept"),
    "tied": Move(HANDLE, ("ArrowRight", "ArrowRight"), ".live td.number"),
    "directions": Move(SLIDER, ("End",), "near"),
    "crowd": Move(SLIDER, ("End",), "sd"),
    "packing": Move(".live .go", ("Enter",), "angle"),
    "superposition": Move(SLIDER, ("End",), "loss", 1),
    "pmi": Move(SLIDER, ("End",), "correlation"),
    "width": Move(SLIDER, ("End",), "recall"),
    "map": Move(".live p button", ("Enter",), "shown", 1),
    "cone": Move(SLIDER, ("End",), "toy"),
    "bank": Move(SLIDER, ("End",), ".live tbody tr:last-child td.number"),
    "lens": Move(".live p button", ("Enter",), ".live tbody th", 1),
    "limits": Move(".live .card", ("ArrowRight",), "sentence"),
}


@pytest.fixture(scope="module")
def study(demo_study) -> arm.Study:
    return demo_study


def go(page: Page, step: str, lang: str = "en", guess: str = "none") -> None:
    """To a step, with the guess made so that everything is shown; back when nothing is waited for."""
    kept = f"&l_guess={guess}" if guess else ""
    page.evaluate(f"location.hash = '#/learn?lang={lang}{kept}&step={step}'")
    page.wait_for_selector("article.step", timeout=60_000)
    page.wait_for_timeout(100)
    page.locator("[aria-busy=true]").first.wait_for(state="detached", timeout=120_000)


def shown(page: Page, value: str) -> str:
    """The text of a live value, by its name or a selector."""
    return page.locator(value if " " in value else f"[data-fact={value}]").first.inner_text()


def becomes(page: Page, value: str, holds: Callable[[str], bool]) -> str:
    """Wait until the live value is as it should be."""
    for _ in range(300):
        if holds(text := shown(page, value)):
            return text
        page.wait_for_timeout(100)
    raise AssertionError(f"{value} stayed at {text}")


def fact(page: Page, name: str) -> float:
    return numbers([shown(page, name).rstrip("°").split(" ")[0]])[0]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("step", MOVES)
def test_a_live_value_follows_the_keyboard_and_a_reset_brings_it_back(page, step, lang):
    move = MOVES[step]
    go(page, step, lang)
    assert f"step={step}" in page.url
    page.locator(move.control).nth(move.nth).focus()
    before = shown(page, move.value)
    for key in move.keys:
        page.keyboard.press(key)
    after = becomes(page, move.value, lambda text: text != before)
    assert after.strip()
    page.locator(".live .after button").click()
    assert "l_" not in page.url
    if step not in ("packing", "superposition"):  # these begin again from chance or from training
        page.evaluate("location.hash += '&l_guess=none'")
        becomes(page, move.value, lambda text: text == before)


def test_two_arrows_begin_at_24_and_follow_the_mouse(page):
    go(page, "arrows", guess="")
    names = ("dot", "length-a", "length-b", "cosine", "angle")
    assert [shown(page, name) for name in names] == ["24", "5", "5", "0.96", "16.3°"]
    handle = page.locator(HANDLE).first
    box = handle.bounding_box()
    plane = page.locator(".live svg").bounding_box()
    assert box and plane
    unit = plane["width"] / 17  # the picture is 17 units wide
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 3 * unit, box["y"] + box["height"] / 2 - 4 * unit, steps=8)
    page.mouse.up()
    assert [shown(page, name) for name in names] == ["48", "10", "5", "0.96", "16.3°"]
    assert "l_a=6%2C8" in page.url
    handle.focus()
    for key in ("ArrowUp", "Shift+ArrowLeft"):  # a quarter, and five quarters
        page.keyboard.press(key)
    assert shown(page, "dot") == "43.8"  # (4.75, 8.25) · (4, 3) = 43.75
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+ArrowRight")
    page.reload()
    page.wait_for_selector("article.step")
    assert shown(page, "dot") == "48"


def test_a_guess_comes_first_and_stands_beside_what_is_measured(page):
    go(page, "onehot", guess="")
    assert page.locator(".means").count() == 0
    page.get_by_role("button", name="cat and dog", exact=True).click()
    told = page.locator(".told")
    expect(told).to_contain_text("You said: cat and dog.")
    expect(told).to_contain_text("neither: both are equally far")
    expect(page.locator(".means")).to_be_visible()
    page.get_by_label("Language").select_option("zh-CN")
    expect(told).to_contain_text("你猜的是：相近的一对。")  # the guess survives the switch
    page.get_by_role("button", name="这一步重新来过").click()
    assert page.locator(".means").count() == 0


def test_n_and_p_walk_and_the_back_button_too(page):
    go(page, "onehot", guess="")
    page.keyboard.press("n")
    expect(page).to_have_url(re.compile("step=lookup"))
    expect(page.locator("article h2")).to_have_text("Looking up a row")
    page.keyboard.press("p")
    expect(page).to_have_url(re.compile("step=onehot"))
    page.go_back()
    expect(page).to_have_url(re.compile("step=lookup"))


def test_the_whole_lesson_by_keyboard_alone(page):
    """N opens a step with the focus on its title; Tab and Enter make a guess, and the case that was asked is shown."""
    go(page, "lookup", guess="")
    page.keyboard.press("p")
    for step in MOVES:
        expect(page).to_have_url(re.compile(f"step={step}"))
        expect(page.locator("#step-title")).to_be_focused()
        page.locator("[aria-busy=true]").first.wait_for(state="detached", timeout=120_000)
        for _ in range(3):  # the first choice, or the slider and then its button
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.matches('.predict button')"):
                break
        page.keyboard.press("Enter")
        expect(page.locator(".means")).to_be_visible(timeout=120_000)
        page.keyboard.press("n")
    expect(page).to_have_url(re.compile("step=references"))


def test_after_a_guess_the_picture_shows_what_was_asked(page):
    go(page, "arrows", guess="")
    page.get_by_role("button", name="only the dot product doubles").click()
    assert (shown(page, "dot"), shown(page, "cosine")) == ("48", "0.96")
    go(page, "directions", guess="")
    page.get_by_role("button", name="Measure").click()
    told = page.locator(".told .measured").inner_text()
    assert shown(page, "exact") == "1,024" and shown(page, "near") in told


def test_the_numbers_are_the_library_s(page, study):
    go(page, "onehot")
    pair = study.similarity("cat", "dog").pairs[0]
    assert fact(page, "row-cosine") == pytest.approx(pair.cosine, abs=0.0005)
    go(page, "ladder")
    rungs = {rung.name: rung for rung in study.ladder("en").rungs}
    cells = page.locator(".live table").first.locator("tbody td.number").all_inner_texts()
    assert numbers(cells)[:-1] == pytest.approx([r.mean for r in rungs.values()], rel=0.005, abs=0.0005)
    go(page, "analogy")
    page.locator(SLIDER).focus()
    page.keyboard.press("End")
    ranks = study.analogy("king - man + woman", answer="queen", null=False).analogy.ranks
    assert [fact(page, "kept"), fact(page, "removed")] == [ranks.kept, ranks.removed]
    go(page, "directions")
    page.evaluate("location.hash += '&l_d=8'")
    becomes(page, "exact", lambda text: text == "256")
    assert fact(page, "near") == round(math.exp(log_capacity(256, math.sin(math.radians(15)))))
    go(page, "bank")
    near = study.neighbors("bank", 6)
    assert page.locator(".live tbody th").all_inner_texts() == [t.text for t in near.tokens]
    assert numbers(page.locator(".live tbody td.number").all_inner_texts()) == pytest.approx(near.values, abs=0.0005)
    expect(page.locator(".live")).to_contain_text("holds a table alone")


def test_descent_on_the_ball_reaches_the_octahedron(page):
    go(page, "packing", guess="")
    page.evaluate("location.hash += '&l_n=2'")  # the third size: six points
    becomes(page, "best", lambda text: text == "90.000°")
    page.locator(".live .go").click()
    becomes(page, "gap", lambda text: float(text.rstrip("°")) < 0.01)
    ball = page.locator(HANDLE)
    before = ball.get_attribute("aria-valuetext")
    ball.focus()
    page.keyboard.press("ArrowRight")
    assert ball.get_attribute("aria-valuetext") != before
    box = ball.bounding_box()
    assert box
    place = page.locator(".live circle.point").first.get_attribute("cx")
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 180, box["y"] + 130, steps=4)
    page.mouse.up()
    assert page.locator(".live circle.point").first.get_attribute("cx") != place
    go(page, "packing")
    expect(page.locator(".told")).to_contain_text(" of 10.", timeout=60_000)
    assert SPHERES[3][14] == pytest.approx(fact(page, "best"), abs=0.0005)


def test_five_rare_features_fit_into_two_dimensions_and_two_that_are_always_on(page):
    go(page, "superposition", guess="")
    becomes(page, "steps", lambda text: text == "1,500")
    assert fact(page, "held") == 2
    go(page, "superposition")
    expect(page.locator(".told")).to_contain_text("5 of 5", timeout=60_000)  # Elhage et al. 2022: the pentagon


@pytest.mark.parametrize("lang", LANGUAGES)
def test_training_parts_the_kinds_and_follows_pmi(page, lang):
    go(page, "noise", lang)
    assert abs(fact(page, "within")) < 0.2  # random vectors, before any training
    page.locator(SLIDER).first.focus()
    page.keyboard.press("End")
    becomes(page, "within", lambda text: float(text) > 0.9)
    assert fact(page, "between") < 0.5
    go(page, "pmi", lang)
    page.locator(SLIDER).first.focus()
    page.keyboard.press("End")
    becomes(page, "correlation", lambda text: float(text) > 0.95)
    assert fact(page, "slope") == pytest.approx(1.0, abs=0.1)  # Levy & Goldberg 2014


@pytest.mark.parametrize(("lang", "scheme", "width", "height"), LOOKS)
def test_every_step_in_both_languages_themes_and_sizes(browser, url, lang, scheme, width, height):
    kept = os.environ.get("ARMILLARY_SHOTS")  # a folder to keep the pictures in, for those who review them
    how = {"color_scheme": scheme, "viewport": {"width": width, "height": height}, "reduced_motion": "reduce"}
    faults = []
    with opened(browser, url, spoiled=axe(), **how) as page:
        for step in [*MOVES, "references"]:
            go(page, step, lang)
            page.locator("article details").evaluate_all("all => all.forEach(d => d.open = true)")
            page.wait_for_timeout(200)
            wide = page.evaluate("[document.documentElement.scrollWidth - innerWidth, "
                                 "(m => m.scrollWidth - m.clientWidth)(document.querySelector('main'))]")  # fmt: skip
            assert wide == [0, 0], f"{step} is wider than the window"
            expect(page.get_by_role("alert")).to_have_count(0)
            faults += [(step, fault) for fault in faults_of(page)]
            if step != "references":
                assert page.locator("article math").count() >= 1  # every step explains its formula
            if kept:
                page.screenshot(path=Path(kept) / f"learn-{step}-{lang}-{scheme}-{width}.png")
    assert faults == []


def planted() -> arm.Study:
    """A small table with the English words of the lesson, and none of the Chinese ones."""
    asked = EXAMPLES["en"]
    words = [*asked.three, *asked.words, *asked.order, asked.ambiguous, *asked.sentence.split()]
    words += [w for question in asked.analogies for w in question] + [w for pair in asked.pairs for w in pair]
    names = list(dict.fromkeys(words))
    rows = np.random.default_rng(3).standard_normal((len(names) + 40, 12)).astype(np.float32)
    tokens = [*(f" {name}" for name in names), *(f" x{i}" for i in range(40))]
    return arm.open(arm.Table.from_array(rows, tokens=tokens, source="planted"), cache=False)


def test_an_exported_lesson_needs_no_server(browser, tmp_path):
    study = planted()
    export(study, tmp_path / "page", repairs=False)
    with files_served(tmp_path / "page") as address, opened(browser, address) as page:
        go(page, "onehot")
        assert fact(page, "row-cosine") == pytest.approx(study.similarity("cat", "dog").pairs[0].cosine, abs=0.0005)
        go(page, "noise")
        page.locator(SLIDER).first.focus()
        page.keyboard.press("End")
        becomes(page, "within", lambda text: float(text) > 0.9)
        assert page.get_by_role("button", name="Train on a corpus").count() == 0
        go(page, "lens")
        expect(page.locator(".live")).to_contain_text("an exported page holds no model")
        go(page, "bank", "zh-CN")
        expect(page.get_by_role("alert")).to_contain_text("要有一个写作")


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize("lang", LANGUAGES)
def test_word2vec_on_a_real_corpus_runs_as_a_job(page, lang, monkeypatch):
    users_cache(monkeypatch)
    go(page, "noise", lang)
    name = {"en": "Train on a corpus", "zh-CN": "用语料训练"}[lang]
    page.get_by_role("button", name=name).click()
    told = page.locator("[data-fact=film-within], .live [role=alert]").first
    told.wait_for(timeout=400_000)
    assert page.locator(".live [role=alert]").all_inner_texts() == []
    first = fact(page, "film-within") - fact(page, "film-between")
    page.locator(SLIDER).nth(1).focus()
    page.keyboard.press("End")
    last = becomes(page, "film-within", lambda text: float(text) > 0.3)
    assert abs(first) < 0.05  # random vectors
    assert float(last) - fact(page, "film-between") > 0.1  # kinds have parted


@pytest.mark.real
def test_a_model_that_runs_parts_the_bank_and_shows_its_layers(browser, monkeypatch):
    users_cache(monkeypatch)
    from armillary.lens import drift, paragraphs

    study = arm.open("demo:smollm2")
    with opened(browser, served(study)) as page:
        go(page, "bank")
        page.get_by_role("button", name="Run the model on both sentences").click()
        page.locator("[data-fact=layer-cosine]").wait_for(timeout=240_000)
        assert shown(page, "layer-cosine") == "1.00"
        model = study.model()
        found = drift(model, EXAMPLES["en"].contexts, "bank", baseline=model.states_of(paragraphs()))
        page.locator(SLIDER).nth(1).focus()
        page.keyboard.press("End")
        assert fact(page, "layer-cosine") == pytest.approx(found.cosines[-1, 0, 1], abs=0.0005)
        assert fact(page, "layer-random") == pytest.approx(found.anisotropy[-1], abs=0.0005)
        go(page, "lens")
        page.get_by_role("button", name="Run the model on").click()
        page.locator("[data-fact=rank]").wait_for(timeout=240_000)
        page.locator(SLIDER).focus()
        page.keyboard.press("End")
        becomes(page, "rank", lambda text: text == "1")  # at the last layer the lens is the model's own answer
