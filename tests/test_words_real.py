"""Real tables against figures made by others (`known/`), to their printed digits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import armillary as arm

pytestmark = pytest.mark.real
KNOWN = Path(__file__).parent / "known"


def known(name: str) -> dict:
    return json.loads((KNOWN / name).read_text("utf-8"))


def scores(model: str, *sets: str) -> dict[str, float]:
    return {s["name"]: s["spearman"] for s in arm.open(model).evaluate(sets)["similarity"]}


def test_wordsim_on_glove():
    assert round(scores("demo:glove", "WS353")["WS353"], 5) == known("glove50.json")["wordsim353_spearman"]


def test_google_on_the_first_30000_words_of_glove():
    expected = known("glove50.json")["google_analogies_3cosadd_top30000"]
    (result,) = arm.open("demo:glove").evaluate(["Google"], rows=30_000)["analogies"]
    for part, syntactic in (("semantic", False), ("syntactic", True)):
        inside = [r for r in result["relations"] if r["name"].startswith("gram") == syntactic and r["covered"]]
        covered = sum(r["covered"] for r in inside)
        right = sum(round(r["removed"] * r["covered"]) for r in inside)
        assert [round(100 * right / covered, 2), covered] == expected[part]
    assert round(100 * result["total"]["removed"], 2) == expected["total"]


@pytest.mark.parametrize(("model", "key"), [("demo", "demo (wordllama)"), ("demo:gemma3", "demo:gemma3 leading space")])
def test_similarity_sets_on_token_tables(model, key):
    """The published WS353 figures are over its 348 distinct pairs."""
    expected = known("similarity_tables.json")[key]
    found = scores(model, *("WS353-distinct" if name == "WS353" else name for name in expected))
    rounded = {("WS353" if name == "WS353-distinct" else name): round(value, 3) for name, value in found.items()}
    assert rounded == expected


def test_the_two_analogies_of_gemma():
    study = arm.open("demo:gemma3")
    royal = study.analogy("king - man + woman")
    assert royal.analogy.kept[0].text == royal.analogy.answer.text == "▁queen"
    parallel = royal.analogy.parallelism
    assert parallel is not None and round(parallel, 3) == known("gemma3_270m.json")["parallelism woman-man, queen-king"]
    assert (royal.analogy.ranks.baseline, royal.analogy.ranks.removed) == (2, 1)
    assert royal.chance is not None and royal.chance.draws == 1_000
    assert study.analogy("Paris - France + Japan", null=False).analogy.answer.text == "▁Tokyo"
