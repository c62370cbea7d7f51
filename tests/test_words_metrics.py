"""The three metrics side by side, on tables where direction and length are known, and against a naive loop."""

from __future__ import annotations

import numpy as np
import pytest

from armillary.errors import UsageError
from armillary.table import Table
from armillary.words.metrics import METRICS, compare_metrics


def naive_lists(rows: np.ndarray, k: int) -> dict[str, list[list[int]]]:
    x = rows.astype(np.float64)
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    scores = {"cosine": unit @ unit.T, "dot": x @ x.T, "euclidean": -np.linalg.norm(x[:, None] - x[None], axis=2)}
    others = range(len(x))
    return {
        m: [sorted((j for j in others if j != i), key=lambda j, v=v, i=i: (-v[i, j], j))[:k] for i in others]
        for m, v in scores.items()
    }


def test_direction_and_length_part_the_metrics():
    """a's nearest by direction is long, its nearest by distance is short and askew; the longest row wins the product."""
    rows = np.array([[1, 0], [10, 0.5], [0.9, 0.4], [0, 100], [30, 40]], np.float32)
    table = Table.from_array(rows, ["a", "along", "askew", "up", "long"])
    found = compare_metrics(table, ["a"], k=1)
    assert {m: near[0][1] for m, near in found.neighbors["a"].items()} == {
        "cosine": "along",
        "dot": "long",
        "euclidean": "askew",
    }
    values = {m: near[0][2] for m, near in found.neighbors["a"].items()}
    assert values["cosine"] == pytest.approx(10 / np.sqrt(100.25))
    assert values["dot"] == pytest.approx(30)
    assert values["euclidean"] == pytest.approx(np.sqrt(0.1**2 + 0.4**2), rel=1e-6)
    assert found.word_overlap["a"] == {"cosine–dot": 0, "cosine–euclidean": 0, "dot–euclidean": 0}


def test_overlap_and_hubs_equal_a_naive_loop_over_every_row():
    rng = np.random.default_rng(0)
    rows = (rng.standard_normal((400, 6)) * rng.uniform(0.3, 3, (400, 1))).astype(np.float32)
    found = compare_metrics(Table.from_array(rows), [], k=5, queries=400)
    expected = naive_lists(rows, 5)
    for i, a in enumerate(METRICS):
        for b in METRICS[i + 1 :]:
            pairs = zip(expected[a], expected[b], strict=True)
            shared = [len(set(x) & set(y)) / 5 for x, y in pairs]
            assert found.overlap[f"{a}–{b}"] == pytest.approx(np.mean(shared), abs=1e-12)
        occurrence = np.bincount(np.concatenate(expected[a]), minlength=400)
        order = sorted(range(400), key=lambda j, n=occurrence: (-n[j], j))[:5]
        assert [(h.id, h.occurrence) for h in found.hubs[a]] == [(j, occurrence[j]) for j in order]
    assert found.queries == 400


def test_a_table_of_many_blocks_gives_the_same_lists():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((9_000, 4)).astype(np.float32)
    found = compare_metrics(Table.from_array(rows), [], k=3, queries=40)
    ids = np.sort(np.random.default_rng(0).choice(9_000, 40, replace=False))
    unit = rows / np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    shared = []
    for i in ids.tolist():
        cosines, dots = unit @ unit[i], rows.astype(np.float64) @ rows[i]
        cosines[i] = dots[i] = -np.inf
        shared.append(len(set(np.argsort(-cosines)[:3]) & set(np.argsort(-dots)[:3])) / 3)
    assert found.overlap["cosine–dot"] == pytest.approx(np.mean(shared), abs=1e-12)


def test_on_unit_rows_all_metrics_agree_and_the_identity_holds():
    rows = np.random.default_rng(2).standard_normal((300, 8))
    unit = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    found = compare_metrics(Table.from_array(unit), ["#0"], k=4)
    assert found.overlap == {"cosine–dot": 1, "cosine–euclidean": 1, "dot–euclidean": 1}
    assert found.word_overlap["#0"] == found.overlap
    assert found.identity_error < 1e-12


def test_hubs_are_told_by_frequency_decile():
    """One long row is in every list of the dot product; its decile holds all that is not its own list."""
    rows = np.eye(20, dtype=np.float32) + 0.01
    rows[7] += 50
    deciles = 1 + np.arange(20) // 2
    found = compare_metrics(Table.from_array(rows), [], k=1, deciles=deciles)
    assert (found.hubs["dot"][0].id, found.hubs["dot"][0].occurrence, found.hubs["dot"][0].decile) == (7, 19, 4)
    assert found.hub_deciles is not None
    assert found.hub_deciles["dot"][3] == pytest.approx(19 / 20)
    assert sum(found.hub_deciles["dot"]) == pytest.approx(1)


def test_synonyms_of_unequal_norm_come_first():
    rows = np.array([[1, 0], [8, 0], [3, 0], [0, 2]], np.float32)
    found = compare_metrics(Table.from_array(rows, ["big", "large", "begin", "start"]), [], k=1)
    first, second = found.unequal
    assert (first.a, first.b, first.norm_a, first.norm_b) == ("big", "large", 1.0, 8.0)
    assert (first.cosine, first.euclidean) == (1.0, 7.0)
    assert (second.a, second.b, second.cosine) == ("begin", "start", 0.0)
    assert second.euclidean == pytest.approx(np.sqrt(13))


def test_bad_questions():
    table = Table.from_array(np.eye(3, dtype=np.float32))
    with pytest.raises(UsageError, match="expected k of at least 1, found 0"):
        compare_metrics(table, [], k=0)
    with pytest.raises(UsageError, match="expected at least two rows with a direction"):
        compare_metrics(Table.from_array(np.array([[1, 0], [0, 0]], np.float32)), [])
