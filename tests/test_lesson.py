"""The lesson's documents, on a planted table small enough to work out by hand, and what the server makes of them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import armillary as arm
from armillary.errors import UsageError
from armillary.study.lesson import LANGUAGES, PARTS, lesson_of
from armillary.study.lesson.examples import EXAMPLES
from armillary.web.lesson import documents

D = 24
ENGLISH = EXAMPLES["en"]


def words() -> list[str]:
    """Every English word that the lesson asks about, with the space that starts a word."""
    asked = [*ENGLISH.three, *ENGLISH.words, *ENGLISH.order, ENGLISH.ambiguous, *ENGLISH.sentence.split()]
    asked += [w for question in ENGLISH.analogies for w in question] + [w for pair in ENGLISH.pairs for w in pair]
    return list(dict.fromkeys(asked))


@pytest.fixture(scope="module")
def study() -> arm.Study:
    """Random rows, but queen lies at king − man + woman of the unit rows, and Queens on the way there."""
    names = words()
    rows = np.random.default_rng(7).standard_normal((len(names) + 60, D)).astype(np.float32) + 0.3
    unit = {name: rows[i] / np.linalg.norm(rows[i]) for i, name in enumerate(names)}
    rows[names.index("queen")] = 3 * (unit["king"] - unit["man"] + unit["woman"])
    tokens = [*(f" {name}" for name in names), *(f" x{i}" for i in range(60))]
    return arm.open(arm.Table.from_array(rows, tokens=tokens, source="planted"), cache=False)


def row(study: arm.Study, word: str) -> np.ndarray:
    return study.table.row(study.table.find(f" {word}")[0]).astype(np.float64)


def cosine(x: np.ndarray, y: np.ndarray) -> float:
    return float(x @ y / np.sqrt((x @ x) * (y @ y)))


def unit_rows(study: arm.Study) -> np.ndarray:
    rows = study.code.take(np.arange(len(study.code))).astype(np.float64)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_every_part_of_the_english_lesson_is_plain_json(study):
    for part in PARTS:
        json.dumps(lesson_of(study, "en", part), allow_nan=False)


def test_the_lookup_and_the_three_words(study):
    found = lesson_of(study, "en", "onehot")
    assert [t["text"] for t in found["tokens"]] == [f"▁{w}" for w in ENGLISH.sentence.split()]
    assert found["values"][1] == row(study, "cat")[:4].tolist()
    assert found["equal"] is True and found["rows_in_product"] == len(study.table)
    assert found["cosines"][0][2] == pytest.approx(cosine(row(study, "cat"), row(study, "economy")), abs=1e-12)


def test_cosine_and_product_lists_share_what_a_naive_search_finds(study):
    found = {w["text"]: w for w in lesson_of(study, "en", "length")["words"]}
    river, rows = row(study, "river"), study.code.take(np.arange(len(study.code))).astype(np.float64)
    own = study.table.find(" river")[0]
    scores = {"cosine": unit_rows(study) @ river, "dot": rows @ river}
    first = {}
    for name, values in scores.items():
        values[own] = -np.inf
        first[name] = set(np.argsort(-values)[:10].tolist())
    assert found["river"]["shared"] == len(first["cosine"] & first["dot"])
    assert {r["id"] for r in found["river"]["cosine"]} == first["cosine"]


def test_the_planted_analogy_climbs_to_the_first_place(study):
    question = lesson_of(study, "en", "analogy")["questions"][0]
    king, man, woman = (row(study, w) / np.linalg.norm(row(study, w)) for w in ("king", "man", "woman"))
    unit = unit_rows(study)
    goal = study.table.find(" queen")[0]
    for step in (question["steps"][0], question["steps"][10], question["steps"][-1]):
        scores = unit @ (king + step["t"] * (woman - man))
        rank = int((scores > scores[goal]).sum()) + 1
        assert step["kept"] == rank
        ahead = sum(scores[study.table.find(f" {w}")[0]] > scores[goal] for w in ("king", "man", "woman"))
        assert step["removed"] == rank - ahead
    assert question["steps"][-1]["kept"] == 1 and question["steps"][-1]["cosine"] == pytest.approx(1.0, abs=1e-6)
    assert question["steps"][0]["first"][0]["text"] == "▁king"


def test_a_row_answers_to_itself_unless_a_longer_one_reaches_further(study):
    found = lesson_of(study, "en", "tied")
    rows = study.code.take(np.arange(len(study.code))).astype(np.float64)
    best = (rows @ rows.T).argmax(axis=1)
    assert found["share"] == pytest.approx(float((best == np.arange(len(rows))).mean()), abs=1e-12)
    assert found["sampled"] == len(rows)


def test_the_crowd_is_measured_on_other_rows_than_oneself(study):
    found = lesson_of(study, "en", "crowd")
    unit = unit_rows(study)
    upper = (unit @ unit.T)[np.triu_indices(len(unit), 1)]
    assert found["mean"] == pytest.approx(upper.mean(), abs=5 * upper.std() / np.sqrt(found["pairs"]))
    assert np.sum(np.array(found["density"]) * np.diff(found["edges"])) == pytest.approx(1.0)
    n = len(unit)
    assert found["welch"] == pytest.approx(np.sqrt((n - D) / (D * (n - 1))), abs=1e-12)


def test_all_directions_keep_every_neighbour(study):
    cuts = lesson_of(study, "en", "width")["cuts"]
    assert cuts[-1]["m"] == D and cuts[-1]["recall"] == 1.0
    assert cuts[-1]["variance"] == pytest.approx(1.0)
    assert [c["variance"] for c in cuts] == sorted(c["variance"] for c in cuts)


def test_the_map_counts_what_plane_and_space_share(study):
    word = lesson_of(study, "en", "map")["words"][0]
    assert word["shared"] == len({r["id"] for r in word["full"]} & {r["id"] for r in word["plane"]})
    plane = study.projection
    far = np.sum((plane.xy.astype(np.float64) - np.array(word["xy"])) ** 2, axis=1)
    far[word["id"]] = np.inf
    assert {r["id"] for r in word["plane"]} == set(np.argsort(far, kind="stable")[:10].tolist())


def test_the_cone_is_the_mean_over_all_pairs_and_centring_undoes_it(study):
    spaces = lesson_of(study, "en", "cone")["spaces"]
    unit = unit_rows(study)
    upper = (unit @ unit.T)[np.triu_indices(len(unit), 1)]
    assert spaces[0]["mean"] == pytest.approx(upper.mean(), abs=1e-12)
    assert spaces[0]["sd"] == pytest.approx(upper.std(), abs=1e-12)
    rows = study.code.take(np.arange(len(study.code))).astype(np.float64)
    centred = rows - rows.mean(0)
    cat, dog = (centred[study.table.find(f" {w}")[0]] for w in ("cat", "dog"))
    assert spaces[1]["method"] == "centre"
    assert spaces[1]["cosines"][0] == pytest.approx(cosine(cat, dog), abs=1e-6)


def test_a_table_of_an_array_has_no_model(study):
    assert "array" in lesson_of(study, "en", "bank")["why_no_model"]
    assert lesson_of(study, "en", "lens")["words"][0]["first"]


def test_a_table_without_the_words_says_so_and_is_exported_as_such(study):
    with pytest.raises(UsageError, match="expected a part of the lesson among en, zh"):
        lesson_of(study, "en", "nothing")
    with pytest.raises(UsageError, match="expected a token that spells"):
        lesson_of(study, "zh", "bank")
    found = dict(documents(study))
    assert set(found) == {f"lesson/{language}/{part}" for language in LANGUAGES for part in PARTS}
    assert "unavailable" in json.loads(found["lesson/zh/bank"])
    assert json.loads(found["lesson/en/onehot"])["equal"] is True
