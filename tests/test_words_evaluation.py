"""Evaluation against naive loops and closed forms."""

from __future__ import annotations

import json

import numpy as np
import pytest

from armillary.cli import main
from armillary.errors import UsageError
from armillary.table import Table
from armillary.words.evaluation import evaluate_similarity, mean_ranks, spearman
from armillary.words.evaluation_analogies import analogy_ranks, evaluate_analogies
from armillary.words.relation import relation
from armillary.words.retrieval import retrieval, text_vectors
from armillary.words.trends import permutation_p


def naive_ranks(rows: np.ndarray, question: list[int], variants: dict[int, set[int]]) -> list[int]:
    """Rank of d for a : b :: c : d, written out; ties by id."""
    unit = rows.astype(np.float64) / np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    a, b, c, d = question
    target = unit[b] - unit[a] + unit[c]
    score = unit @ (target / np.linalg.norm(target))
    near = unit @ unit[c]

    def rank(values, removed):
        order = sorted((-v, i) for i, v in enumerate(values) if i not in removed)
        return [i for _, i in order].index(d) + 1

    inputs = {a, b, c} - {d}
    wider = (inputs | set().union(*(variants.get(i, set()) for i in (a, b, c)))) - {d}
    return [rank(score, set()), rank(score, inputs), rank(score, wider), rank(near, {c} - {d})]


def test_batched_ranks_equal_a_naive_loop():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((400, 24)).astype(np.float32)
    rows[250:300] = rows[:50]  # equal rows tie
    words = [f"w{i}" for i in range(400)]
    words[380], words[381] = "W5", "W6"  # case variants
    table = Table.from_array(rows, words)
    ids = np.array([rng.choice(350, 4, replace=False) for _ in range(60)])
    ids[:20, :3] = rng.integers(3, 9, (20, 3))
    variants = {5: {380}, 6: {381}, 380: {5}, 381: {6}}
    expected = [naive_ranks(rows, q, variants) for q in ids.tolist()]
    keep = [k for k, q in enumerate(ids.tolist()) if q[0] != q[1]]
    assert analogy_ranks(table, ids[keep]).tolist() == [expected[k] for k in keep]


def test_a_perfect_relation_scores_one_and_the_baseline_does_not():
    rng = np.random.default_rng(1)
    base = rng.standard_normal((12, 40))
    offset = np.zeros(40)
    offset[0] = 8.0
    near = base + 0.1 * rng.standard_normal((12, 40))  # nearer to each x than its y
    rows = np.concatenate([base, base + offset, near, rng.standard_normal((300, 40))]).astype(np.float32)
    words = [f"x{i}" for i in range(12)] + [f"y{i}" for i in range(12)] + [f"z{i}" for i in range(312)]
    table = Table.from_array(rows, words)
    questions = [(f"x{i}", f"y{i}", f"x{j}", f"y{j}") for i in range(12) for j in range(12) if i != j]
    score = evaluate_analogies(table, "planted", {"r": [*questions, ("x0", "y0", "x1", "unknown")]})
    assert (score.total.questions, score.total.covered) == (133, 132)
    assert score.total.removed > 0.95 > 0.1 > score.total.baseline
    assert score.total.of_all == pytest.approx(score.total.removed * 132 / 133)
    found = {s.method: s for s in relation(table, "r", [(f"x{i}", f"y{i}") for i in range(12)]).scores}
    assert found["3CosAvg"].removed == 1.0
    assert found["LRCos"].removed == 1.0


def test_spearman_by_hand_and_with_ties():
    assert spearman(np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 4])) == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert spearman(np.array([1.0, 1, 2]), np.array([1.0, 2, 3])) == pytest.approx(np.sqrt(3) / 2)
    assert np.isnan(spearman(np.ones(3), np.arange(3.0)))


def test_mean_ranks_are_their_definition():
    """One more than how many are smaller, and half of how many others are equal (as scipy.stats.rankdata, slow to import)."""
    rng = np.random.default_rng(0)
    for values in (
        rng.integers(0, 6, (40, 25)).astype(float),
        rng.standard_normal((5, 9)),
        np.zeros((2, 4)),
        np.ones((3, 1)),
    ):
        smaller, equal = ((op(values[:, None], values[:, :, None])).sum(axis=-1) for op in (np.less, np.equal))
        assert np.array_equal(mean_ranks(values), smaller + (equal + 1) / 2)
    missing = np.array([[1.0, np.nan, 2.0], [3.0, 1.0, 1.0]])
    assert np.array_equal(mean_ranks(missing), [[np.nan] * 3, [3, 1.5, 1.5]], equal_nan=True)


def test_permutation_p_of_a_perfect_order_is_exact():
    rho, p = permutation_p(np.arange(5.0), np.array([1.0, 2, 3, 4, 5]))
    assert rho == pytest.approx(1.0)
    assert p == pytest.approx(2 / 120)


def test_similarity_score_with_coverage():
    table = Table.from_array(np.array([[1, 0], [1, 0.1], [1, 1], [0, 1]], np.float32), ["a", "b", "c", "d"])
    pairs = [("a", "b", 9.0), ("a", "c", 5.0), ("a", "d", 1.0), ("a", "missing", 4.0)]
    score = evaluate_similarity(table, "mine", pairs)
    assert (score.spearman, score.pairs, score.covered, score.single) == (pytest.approx(1.0), 4, 3, 3)
    with pytest.raises(UsageError, match="expected at least three pairs of mine that this table spells, found 1"):
        evaluate_similarity(table, "mine", pairs[2:])


def test_retrieval_by_hand():
    documents = np.eye(4)
    queries = np.array([[1.0, 0.9, 0, 0], [0, 0, 1, 2]])
    score = retrieval("hand", queries, documents, [{1: 1.0}, {3: 2.0, 0: 1.0}])
    assert (score.recall[1].value, score.recall[5].value) == (0.25, 1.0)  # 0 of 1, then 1 of 2
    assert score.mrr.value == (1 / 2 + 1) / 2
    first = 1 / np.log2(3)  # the only relevant document stands second
    second = (3 + 1 / np.log2(4)) / (3 + 1 / np.log2(3))  # grades 2 and 1 at ranks 1 and 3
    assert score.ndcg.value == pytest.approx((first + second) / 2)


def test_text_vectors_without_a_tokenizer_are_means_of_known_words():
    table = Table.from_array(np.array([[1, 0], [0, 1]], np.float32), ["cat", "dog"])
    vectors = text_vectors(table, ["The cat, the dog and the cat.", "nothing known"])
    assert vectors[0].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert vectors[1].tolist() == [0, 0]


FOUND = {"TSV": ("a\tcat dog\nb\tdog\u2028\n", "q\tcat\nr\tbird\n", "q 0 a 1\nr 0 b 1\nr 0 z 1\nx 0 a 1\n")}
FOUND["JSON"] = (
    '{"_id": "a", "title": "cat", "text": "dog"}\r\n{"_id": "b", "text": "dog\u2028"}\n',
    '{"id": "q", "text": "cat"}\n\n{"id": "r", "text": "bird"}',
    "query-id\tcorpus-id\tscore\nq\ta\t1\nr\tb\t1\nr\tz\t1\nx\ta\t1\n",
)


@pytest.fixture
def own(tmp_path, monkeypatch, capsys):
    """Retrieval on files of one's own: (exit code, standard output, standard error) of the command."""
    monkeypatch.chdir(tmp_path)
    np.save("m.npy", np.array([[1, 0], [0, 1]], np.float32))
    (tmp_path / "t.txt").write_text("cat\ndog\n", "utf-8")

    def call(corpus: str, queries: str, judged: str, *more: str) -> tuple[int, str, str]:
        for name, text in (("c", corpus), ("q", queries), ("j", judged)):
            (tmp_path / name).write_text(text, "utf-8", newline="")
        arguments = ["evaluate", "m.npy", "--tokens", "t.txt", "--no-cache", "--retrieval", "c", "q", "j", *more]
        monkeypatch.setattr("sys.argv", ["armillary", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        return int(end.value.code or 0), *capsys.readouterr()

    return call


@pytest.mark.parametrize("form", FOUND)
def test_retrieval_on_files_of_ones_own(own, form):
    """cat finds `cat dog` (cosine 1/√2) before `dog` (0); bird has no vector, so b stands second by its place."""
    code, out, _ = own(*FOUND[form], "--json")
    result = json.loads(out)["result"]
    score = result["retrieval"][0]
    assert (code, score["queries"], score["documents"]) == (0, 2, 2)
    assert score["recall"]["1"] == {"value": 0.5, "low": 0.0, "high": 1.0, "chance": 0.5}
    assert score["mrr"]["value"] == 0.75 and score["ndcg_10"]["value"] == pytest.approx((1 + 1 / np.log2(3)) / 2)
    assert (score["blank_queries"], score["blank_documents"]) == (1, 0)
    assert result["left_out"] == {
        "judgements of queries that are not there": 1,
        "judgements of documents that are not there": 1,
    }
    _, out, _ = own(*FOUND[form])
    assert "2 queries, 2 documents. A random order finds: @1 50.0 %" in out
    assert "Without any word of this table, so near to nothing: 1 query and 0 documents." in out
    assert "Left out: judgements of queries that are not there 1, judgements of documents that are not there 1." in out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"corpus": "a\tx\na\ty\n"}, "expected every id once in c, found 'a' again in line 2"),
        ({"corpus": "a cat\n"}, "expected an id, a tab and a text in line 1 of c, found no tab"),
        ({"queries": '{"text": "cat"}\n'}, "expected an id and a text in line 1 of q, found another record"),
        ({"queries": "\n"}, "expected texts in q, found an empty file"),
        ({"judged": "q a\n"}, "expected query, document and grade in line 1 of j, found 'q a'"),
        ({"judged": "q a nan\n"}, "expected query, document and grade in line 1 of j, found 'q a nan'"),
        ({"judged": "q a 5000\n"}, "expected query, document and grade in line 1 of j"),
        ({"judged": "q a 0\n"}, "expected queries with relevant documents, found none"),
        ({"judged": "q z 1\n"}, "found none whose ids agree; the first is of 'q' and 'z'"),
        ({"judged": ""}, "expected relevance judgements in j, found an empty file"),
    ],
)
def test_files_of_ones_own_that_are_none_are_one_line_and_a_cure(own, change, message):
    code, out, err = own(**dict(zip(("corpus", "queries", "judged"), FOUND["TSV"], strict=True)) | change)
    assert (code, out) == (2, "")
    first, cure = err.splitlines()
    assert first.startswith("error: ") and message in first and cure.strip()
