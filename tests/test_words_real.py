"""Real tables against figures made by others (`known/`), to their printed digits."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import armillary as arm
from armillary.table import Kind

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
    capital = study.analogy("Paris - France + Japan")
    assert capital.analogy.answer.text == "▁Tokyo"
    assert capital.chance is not None and capital.chance.draws == 1_000 and "capital" in capital.chance.how


@pytest.mark.parametrize("question", ["king - man + woman", "Paris - France + Japan"])
@pytest.mark.parametrize("model", ["demo", "demo:glove", "demo:smollm2", "demo:e5"])
def test_other_tables_are_asked_the_same_and_ranked_as_a_plain_product_ranks(model, question):
    study = arm.open(model)
    found = study.analogy(question, null=False).analogy
    unit = [w.vector.astype(np.float64) / np.linalg.norm(w.vector.astype(np.float64)) for w in found.words]
    target = unit[0] - unit[1] + unit[2]
    scores, near = [], []
    for _, block in study.table.blocks():
        rows = block.astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        scores.append(np.nan_to_num(rows @ target, nan=-9.0))
        near.append(np.nan_to_num(rows @ unit[0], nan=-9.0))
    values, alone = np.concatenate(scores), np.concatenate(near)
    values[study.table.vocabulary.kinds == Kind.NO_TOKEN] = alone[study.table.vocabulary.kinds == Kind.NO_TOKEN] = -9.0
    order = np.argsort(-values, kind="stable")
    inputs = [i for w in found.words for i in w.ids]
    assert [e.id for e in found.kept] == order[:10].tolist()
    ahead = values > values[found.answer.id]
    assert (found.ranks.kept, found.ranks.removed) == (1 + ahead.sum(), 1 + ahead.sum() - ahead[inputs].sum())
    ahead = alone > alone[found.answer.id]
    assert found.ranks.baseline == 1 + ahead.sum() - ahead[list(found.words[0].ids)].sum()
    assert found.words[0].note or found.base_rank == 1 + (values > values[found.words[0].ids[0]]).sum()
