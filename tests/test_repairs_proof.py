"""A repair proves itself: a space whose cosines are all above 0.7, documents and queries, cuts, and published scores."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import codes
from armillary.errors import UnreadableError, UsageError
from armillary.repairs import Repair, fit, fit_cloud, load_repair, repaired_table
from armillary.sphere import Code, cloud
from armillary.study import open
from armillary.study.changes import Change
from armillary.study.documents import Vectors, read_vectors, repaired_retrieval, written
from armillary.study.evidence import AnalogySet, Difference, SimilaritySet, difference, mean_difference, scores_of
from armillary.study.repairing import repair_of
from armillary.study.truncation import truncation_of
from armillary.table import Table

KNOWN = Path(__file__).parent / "known"
SCORES = json.loads((KNOWN / "glove50.json").read_text())["all_but_the_top_wordsim353"]


def cone_space(n: int, d: int, seed: int) -> np.ndarray:
    """Rows around one direction: mean cosine about .8."""
    rows = codes.random_rows(n, d, seed)
    rows[:, 0] += 2 * np.sqrt(d)
    return rows


def changes(result) -> dict[str, Change]:
    return {change.name: change for change in result.changes}


@pytest.mark.long
def test_a_cone_is_repaired_and_written_and_its_map_takes_new_queries(tmp_path):
    rows, queries = cone_space(600, 20, 0), cone_space(40, 20, 1)
    study = open(Table.from_array(rows, [f"w{i}" for i in range(600)]))
    result = repair_of(study, "all-but-the-top", output=tmp_path / "round.safetensors")
    found = changes(result)
    assert found["mean_cosine"].before > 0.7 and abs(found["mean_cosine"].after) < 0.01
    assert found["mean_cosine"].verdict == found["cone_half_angle"].verdict == "better"
    again = open(tmp_path / "round.safetensors")
    assert again.table.find("w7") == [7] and again.shape == (600, 20)
    expected = result.repair.apply(rows).astype(np.float32)
    assert (again.table.rows(np.arange(600)) == expected).all()
    from safetensors.numpy import load_file

    assert (load_file(tmp_path / "round.safetensors")["embedding.weight"] == expected).all()
    loaded = load_repair(tmp_path / "round.repair.safetensors")
    assert (loaded.apply(queries) == result.repair.apply(queries)).all()
    u = loaded.apply(queries)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    assert abs((u @ u.T)[np.triu_indices(40, 1)].mean()) < 0.05


def planted(seed: int, noise: float) -> tuple[Vectors, Vectors, dict[str, dict[str, float]]]:
    """500 documents in a cone, 200 queries near their own document, but from another corner of it."""
    documents = cone_space(500, 16, seed)
    random = np.random.default_rng(seed + 1000)  # other numbers than those of the documents
    queries = documents[:200] + noise * random.standard_normal((200, 16)).astype(np.float32)
    ids = tuple(f"d{i}" for i in range(500))
    return (
        Vectors(ids, documents),
        Vectors(tuple(f"q{i}" for i in range(200)), queries),
        {f"q{i}": {f"d{i}": 1.0} for i in range(200)},
    )


def test_documents_and_queries_unrelated_pairs_fall_and_the_task_does_not():
    documents, queries, grades = planted(2, 0.5)
    result = repaired_retrieval(documents, queries, grades, "centre")
    assert changes(result)["mean_cosine"].before > 0.7
    before, after = result.thresholds[0.01]
    assert before > 0.85 and after < 0.75
    scores = {score.name: score for score in result.scores}
    assert scores["recall@1"].verdict != "worse" and "No score got worse." in str(result)
    assert scores["recall@1"].n == 200


@pytest.mark.long
def test_queries_of_another_kind_can_lose_their_own_mean(tmp_path):
    """Queries are documents moved by one long vector: nothing is found until each side loses its own mean."""
    documents, _, _ = planted(5, 0.0)
    asked = Vectors(documents.ids, documents.rows + 40 * np.eye(16, dtype=np.float32)[3])
    grades = {id: {id: 1.0} for id in documents.ids}
    shared, own = (repaired_retrieval(documents, asked, grades, "centre", own_mean=own) for own in (False, True))
    first = [next(s for s in found.scores if s.name == "recall@1") for found in (shared, own)]
    assert first[0].after < 0.2 and first[1].after == 1.0
    assert shared.asked is None and own.asked is not None
    assert own.asked.mean == pytest.approx(asked.rows.mean(0, dtype=np.float64), abs=1e-12)
    saved = written(own, documents, tmp_path / "c.safetensors")
    assert load_repair(tmp_path / "c.queries.repair.safetensors").parameters["mean_of"] == "queries"
    assert "c.queries.repair.safetensors" in saved.notes[-1]
    with pytest.raises(UsageError, match="takes a mean away, found conceptor"):
        repaired_retrieval(documents, asked, grades, "conceptor", own_mean=True)


def test_what_gets_worse_is_marked():
    documents, queries, grades = planted(3, 0.3)
    ruined = Repair("centre", {}, np.diag([0.0] * 14 + [1.0, 1.0]), np.zeros(16))
    result = repaired_retrieval(documents, queries, grades, "centre", repair=ruined)
    assert "recall@1" in result.worse and "Worse than before: recall@1" in str(result)


def test_without_relevance_geometry_alone_is_told():
    documents, queries, _ = planted(4, 0.3)
    result = repaired_retrieval(documents, queries, {}, "whiten")
    assert result.scores == () and "No relevance is given" in str(result)
    assert result.hubs["Documents never among them"][0] > 0
    with pytest.raises(UsageError, match="as wide as the documents"):
        repaired_retrieval(documents, Vectors(("a",), np.ones((1, 3), np.float32)), {}, "centre")


def test_vectors_from_parquet_and_npy(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as parquet

    rows = codes.random_rows(5, 3)
    path = tmp_path / "v.parquet"
    parquet.write_table(pa.table({"id": list("abcde"), "embedding": rows.tolist()}), path)
    found = read_vectors(path)
    assert found.ids == tuple("abcde") and (found.rows == rows).all()
    np.save(tmp_path / "v.npy", rows)
    found = read_vectors(tmp_path / "v.npy")
    assert found.ids == ("0", "1", "2", "3", "4") and (found.rows == rows).all()
    for columns in ({"id": [1]}, {"a": [[1.0]], "b": [[1.0]]}, {"a": [[1.0], [1.0, 2.0]]}):
        parquet.write_table(pa.table(columns), path)
        with pytest.raises(UnreadableError, match="vectors"):
            read_vectors(path)
    path.write_bytes(b"nothing")
    with pytest.raises(UnreadableError, match="Parquet"):
        read_vectors(path)


def test_differences_are_of_the_same_pairs():
    same = mean_difference("x", "score", np.arange(9.0), np.arange(9.0))
    assert (same.low, same.high, same.verdict) == (0, 0, "no difference shown")
    better = mean_difference("x", "score", np.arange(9.0), np.arange(9.0) + 1)
    assert (better.low, better.high) == (pytest.approx(1, abs=1e-12),) * 2 and better.verdict == "better"
    assert Difference("x", "score", 1, 0, -2, -1, 5).verdict == "worse"


def naive_spearman(x: np.ndarray, y: np.ndarray) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(x, y).statistic)


@pytest.mark.long
def test_similarity_is_judged_on_the_pairs_that_both_tables_cover():
    words = [f"w{i}" for i in range(40)]
    random = np.random.default_rng(0)
    rows, other = codes.random_rows(40, 6, 1), codes.random_rows(40, 6, 2)
    other[3] = 0  # a row without a direction: its pairs are no pairs of either
    pairs = [(words[i], words[j], float(random.random())) for i, j in random.integers(0, 40, (60, 2))]
    known = SimilaritySet("set", pairs)
    answers = {name: [known.answers(Table.from_array(x, words))] for name, x in (("one", rows), ("two", other))}
    scores = scores_of(answers, [known], seed=7)
    at = [i for i, (a, b, _) in enumerate(pairs) if "w3" not in (a, b)]
    people = np.array([score for _, _, score in pairs])[at]
    expected, draws = {}, {}
    for name, x in (("one", rows), ("two", other)):
        u = x.astype(float) / np.maximum(np.linalg.norm(x.astype(float), axis=1, keepdims=True), 1e-300)
        cosines = np.array([u[words.index(a)] @ u[words.index(b)] for a, b, _ in pairs])[at]
        expected[name] = naive_spearman(cosines, people)
        rng = np.random.default_rng(7)  # ten times a hundred draws of the items, each judged by the naive correlation
        items = np.concatenate([rng.integers(0, len(at), (100, len(at))) for _ in range(10)])
        draws[name] = np.array([naive_spearman(cosines[drawn], people[drawn]) for drawn in items])
    for name in scores:
        assert scores[name][0].n == len(at) < 60
        assert scores[name][0].value == pytest.approx(expected[name], abs=1e-12)
    found = difference(scores["one"][0], scores["two"][0])
    low, high = np.quantile(draws["two"] - draws["one"], [0.025, 0.975])
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-12), pytest.approx(high, abs=1e-12))
    same = difference(scores["one"][0], scores["one"][0])
    assert (same.before, same.low, same.high) == (same.after, 0, 0)
    few = SimilaritySet("few", pairs[:9])
    assert scores_of({"one": [few.answers(Table.from_array(rows, words))]}, [few]) == {"one": []}


def test_analogies_are_judged_by_first_places_with_the_inputs_removed():
    """he_i = e_i, she_i = e_i + e_4: every question about them has its answer, and a thirteenth is not covered."""
    pairs = [(f"he{i}", f"she{i}") for i in range(4)]
    rows, words = [], []
    for i, pair in enumerate(pairs):
        rows += [np.eye(6)[i], np.eye(6)[i] + np.eye(6)[4]]
        words += pair
    questions = [(*pairs[i], *pairs[j]) for i in range(4) for j in range(4) if i != j]
    known = AnalogySet("set", [*questions, ("he0", "she0", "he1", "nobody")])
    table = Table.from_array(np.array(rows, np.float32), words)
    answers = known.answers(table)
    assert answers[:12].tolist() == [1.0] * 12 and np.isnan(answers[12])
    broken = np.array(rows, np.float32)
    broken[1] = np.eye(6)[5]  # she0 is elsewhere: no question has it as its answer; as an input it does no harm
    after = known.answers(Table.from_array(broken, words))
    assert [after[i] for i, q in enumerate(questions)] == [float(q[3] != "she0") for q in questions]
    scores = scores_of({"before": [answers], "after": [after]}, [known])
    found = difference(scores["before"][0], scores["after"][0])
    assert (found.before, found.after, found.n, found.verdict) == (
        1.0,
        0.75,
        12,
        "no difference shown",
    )  # 0.75¹² = 3 % of draws miss all three


def test_verdicts_of_changes():
    assert Change("mean_cosine", "", -0.5, 0.1, "exact").verdict == "better"
    assert Change("partition_isotropy", "", 0.5, 0.1, "exact").verdict == "worse"
    assert Change("uniformity", "", -2.0, -2.0001, "exact").verdict == "the same"
    assert Change("two_nn", "", 4, 9, "estimate").verdict == ""
    assert Change("rogue_dimensions", "", 0.4, None, "exact").verdict == ""


def test_cuts_of_a_table_whose_last_dimensions_are_nothing():
    rows = np.concatenate([codes.random_rows(300, 6, 5), np.zeros((300, 6))], 1).astype(np.float32)
    result = truncation_of(open(Table.from_array(rows)), [2, 6, 12])
    recall = {(cut.kind, cut.dimensions): cut.recall for cut in result.cuts}
    assert recall["components", 6] == recall["components", 12] == pytest.approx(1.0, abs=2e-3)  # ties by rounding
    assert recall["coordinates", 6] == recall["coordinates", 12] == 1.0
    assert recall["components", 2] < 0.5
    assert recall["int8", 12] > 0.9 > recall["binary", 12]
    assert {cut.kind: cut.bytes_per_row for cut in result.cuts if cut.dimensions == 12} == {
        "components": 48, "coordinates": 48, "int8": 12, "binary": 2,
    }  # fmt: skip
    assert result.variance[6] == pytest.approx(1.0)
    with pytest.raises(UsageError, match="from 1 to 12"):
        truncation_of(open(Table.from_array(rows)), [13])


@pytest.mark.parametrize("power", [126, -126])
def test_cuts_at_the_ends_of_float32_are_those_in_its_middle(power):
    rows = np.clip(np.random.default_rng(5).standard_normal((60, 8)), -3.9, 3.9).astype(np.float32)
    middle = truncation_of(open(Table.from_array(rows)))
    with np.errstate(over="raise", invalid="raise"):
        end = truncation_of(open(Table.from_array(rows * np.float32(2.0**power))))
    assert end.cuts == middle.cuts
    assert end.variance == pytest.approx(middle.variance, rel=1e-6)


def test_retrieval_of_pages_by_their_titles_through_cuts(monkeypatch):
    """A page is five words, its title three of them; nDCG@10 of one relevant page is 1/log₂(1 + rank) up to rank 10."""
    random = np.random.default_rng(6)
    rows = np.concatenate([codes.random_rows(60, 6, 6), np.zeros((60, 6))], 1).astype(np.float32)
    words = [f"w{i}" for i in range(60)]
    inside = [random.choice(60, 5, replace=False) for _ in range(30)]
    pages = {f"p{i}": " ".join(words[j] for j in own) for i, own in enumerate(inside)}
    titles = {f"t{i}": " ".join(words[j] for j in own[:3]) for i, own in enumerate(inside)}
    grades = {f"t{i}": {f"p{i}": 1.0} for i in range(30)}
    asked = {titles[t]: titles[t] for t in titles}
    found = {titles[t]: grade for t, grade in grades.items()}
    monkeypatch.setattr("armillary.study.evaluation.help_pages", lambda _: (asked, pages, found))
    result = truncation_of(open(Table.from_array(rows, words)), [2, 6, 12])
    scores = {(cut.kind, cut.dimensions): cut.retrieval for cut in result.cuts}
    means = [
        np.array([rows[own].mean(0, dtype=np.float64) for own in part]) for part in (inside, [o[:3] for o in inside])
    ]
    means = [m.astype(np.float32).astype(np.float64) for m in means]  # what a store holds
    expected = {}
    for size in (2, 6):
        x, q = (m[:, :size] / np.linalg.norm(m[:, :size], axis=1, keepdims=True) for m in means)
        cosines = q @ x.T
        ranks = 1 + (cosines > np.diag(cosines)[:, None]).sum(1)
        expected[size] = np.where(ranks <= 10, 1 / np.log2(1 + ranks), 0).mean()
    assert len(asked) == 30 and scores["coordinates", 2] == pytest.approx(expected[2], abs=1e-6)
    for kind, size in (("coordinates", 6), ("coordinates", 12), ("components", 6), ("components", 12)):
        assert scores[kind, size] == pytest.approx(expected[6], abs=1e-6)
    assert scores["binary", 12] < scores["int8", 12] == pytest.approx(expected[6], abs=0.05)
    assert result.lacking == () and "retrieval" in result.columns()


def test_retrieval_that_cannot_be_had_says_why(monkeypatch, tmp_path):
    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path))
    result = truncation_of(open(Table.from_array(codes.random_rows(50, 4))), [2])
    assert {cut.retrieval for cut in result.cuts} == {None}
    assert result.lacking[0].startswith("No retrieval: help-en") and "armillary fetch help-en" in result.lacking[0]


@pytest.mark.real
def test_glove_after_all_but_the_top_has_the_published_scores():
    from armillary.study.evidence import similarity_sets
    from armillary.words.evaluation import evaluate_similarity

    study = open("demo:glove")
    whole, pairs = cloud(study.code), similarity_sets()["WS353"]
    for components, known in ((0, SCORES["mean only"]), (1, SCORES["D=1"]), (2, SCORES["D=2"])):
        table = repaired_table(study.table, fit_cloud(whole, "all-but-the-top", components=components))
        score = evaluate_similarity(table, "WS353", pairs, draws=1)
        assert score.covered == 353
        assert score.spearman == pytest.approx(known, abs=6e-4)  # published with three or four digits


def test_fit_reads_a_table_in_blocks():
    rows = codes.lopsided(9000, 5, seed=6)  # three blocks
    repair = fit(Code.of(Table.from_array(rows)), "centre")
    assert repair.mean == pytest.approx(rows.astype(np.float64).mean(0), rel=1e-12)
