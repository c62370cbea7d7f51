"""The logit lens, the decomposition, the path and the bias, each against its definition written out slowly."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from armillary.errors import UsageError
from armillary.lens import LanguageModel, Norm, Readout, States, model_of
from armillary.lens.bias import bias_against_frequency, bias_of
from armillary.lens.decompose import decompose
from armillary.lens.framing import Framing
from armillary.lens.logit_lens import lens_of, logit_lens, top_ids
from armillary.lens.path import path
from armillary.table import Table
from lens_models import LAYERS, WORDS, network, table_for, vocabulary

PROMPT = "w5 w40 w3 w22 w5"


@pytest.fixture(scope="session")
def gpt2() -> LanguageModel:
    made = network("gpt2")
    return model_of(made, table_for(made), framing=Framing((1,), (), 1))


def probabilities(readout: Readout, state: np.ndarray) -> np.ndarray:
    scores = [float(s) for s in readout.logits(state[None])[0]]
    exponentials = [math.exp(s - max(scores)) for s in scores]
    return np.array([e / sum(exponentials) for e in exponentials])


def naive_rank(values: np.ndarray, id: int) -> int:
    """Position of an id when values are sorted (value descending, id ascending), from 1."""
    return sorted(range(len(values)), key=lambda i: (-values[i], i)).index(id) + 1


def test_every_cell_of_the_lens(gpt2: LanguageModel) -> None:
    found = logit_lens(gpt2, PROMPT, k=4)
    states, readout = gpt2.states(PROMPT), gpt2.readout
    assert readout is not None
    assert [t.text for t in found.tokens] == ["<s>", "w5", "w40", "w3", "w22", "w5"] and found.depth == LAYERS
    for position in range(6):
        final = probabilities(readout, states.layers[LAYERS, position])
        answer = int(final.argmax())
        assert found.answers[position] == answer
        for layer in range(LAYERS + 1):
            p = probabilities(readout, states.layers[layer, position])
            assert found.top[layer, position].tolist() == sorted(range(WORDS), key=lambda i: (-p[i], i))[:4]
            np.testing.assert_allclose(found.top_probabilities[layer, position], np.sort(p)[::-1][:4], rtol=1e-5)
            assert found.ranks[layer, position] == naive_rank(p, answer)
            assert found.probabilities[layer, position] == pytest.approx(p[answer], rel=1e-5)
            assert found.entropies[layer, position] == pytest.approx(-sum(x * math.log2(x) for x in p), rel=1e-5)
            kl = sum(f * math.log2(f / x) for f, x in zip(final, p, strict=True))
            assert found.divergences[layer, position] == pytest.approx(kl, rel=1e-4, abs=1e-5)
    assert found.ranks[LAYERS].tolist() == [1] * 6 and np.all(found.divergences[LAYERS] == 0)


def test_a_chosen_answer_is_followed_at_every_position(gpt2: LanguageModel) -> None:
    found = logit_lens(gpt2, PROMPT, answer="w9")
    assert found.chosen and found.answers.tolist() == [9] * 6 and found.answer.text == "w9"
    assert gpt2.readout is not None
    p = probabilities(gpt2.readout, gpt2.states(PROMPT).layers[2, 5])
    assert (found.ranks[2, 5], found.probabilities[2, 5]) == (naive_rank(p, 9), pytest.approx(p[9], rel=1e-5))
    assert logit_lens(gpt2, PROMPT, answer=9).answer.id == 9
    with pytest.raises(UsageError, match="an answer that is one token, found 'w99'"):
        logit_lens(gpt2, PROMPT, answer="w99")
    with pytest.raises(UsageError, match="expected an id from 0 to 63, found 64"):
        logit_lens(gpt2, PROMPT, answer=64)
    with pytest.raises(UsageError, match="1 to 64 top tokens, found 65"):
        logit_lens(gpt2, PROMPT, k=65)


def test_ties_go_to_the_smaller_id() -> None:
    readout = Readout(np.ones((6, 2), "f4"), np.ones((6, 2), "f4"), Norm())
    found = lens_of(
        readout, States(tuple(vocabulary(6)[i] for i in (4,)), np.ones((2, 1, 2), "f4")), vocabulary(6), answer=3, k=6
    )
    assert found.top[0, 0].tolist() == [0, 1, 2, 3, 4, 5] and found.ranks.tolist() == [[4], [4]]
    assert found.entropies[1, 0] == pytest.approx(math.log2(6))
    assert top_ids(np.array([1.0, 3.0, 3.0, 2.0, 3.0]), 2).tolist() == [1, 2]


def test_long_prompts_are_done_in_blocks_with_the_same_result(
    gpt2: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = logit_lens(gpt2, PROMPT)
    monkeypatch.setattr(sys.modules["armillary.lens.logit_lens"], "_BLOCK", 2 * WORDS)  # the name is also a function
    parts = logit_lens(gpt2, PROMPT)
    for name in ("top", "answers", "ranks"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
    np.testing.assert_allclose(parts.divergences, whole.divergences, atol=1e-5)


def test_an_encoder_has_no_lens() -> None:
    made = network("bert")
    ours = model_of(made, table_for(made), encoder=True)
    with pytest.raises(UsageError, match="expected a model that predicts a next token, found tiny, an encoder"):
        logit_lens(ours, PROMPT)


def test_a_logit_is_its_parts() -> None:
    made = network("phi")
    ours = model_of(made, table_for(made))
    readout, state = ours.readout, ours.states(PROMPT).layers[LAYERS, -1]
    assert readout is not None
    found = decompose(readout, state, ours.table.vocabulary, k=5)
    logits = readout.logits(state[None])[0]
    ids = [token.id for token in found.tokens]
    assert ids == np.lexsort((np.arange(WORDS), -logits))[:5].tolist()
    for i, id in enumerate(ids):
        parts = found.state_norm * found.row_norms[i] * found.cosines[i] + found.biases[i]
        assert parts == pytest.approx(found.logits[i], rel=1e-6) == pytest.approx(float(logits[id]), rel=1e-4)
    h = readout.norm(state[None])[0].astype(float)
    rows = readout.output.astype(float)
    cosines = rows @ h / np.linalg.norm(rows, axis=1) / np.linalg.norm(h)
    distances = np.linalg.norm(rows - h, axis=1)
    firsts = {
        "score": logits.argmax(),
        "dot": (rows @ h).argmax(),
        "cosine": cosines.argmax(),
        "euclidean": distances.argmin(),
    }
    assert {name: token.id for name, token in found.nearest.items()} == firsts
    assert found.ranks_by_cosine == tuple(naive_rank(cosines, id) for id in ids)
    assert found.ranks_by_distance == tuple(naive_rank(-distances, id) for id in ids)
    assert found.agree == (len(set(firsts.values())) == 1)


def test_dot_cosine_and_euclid_can_each_choose_another() -> None:
    rows = np.array([[10, 10], [1, 0], [3, 1], [1, 0.2]], "f4")  # long; in line but short; near; —
    found = decompose(Readout(rows, rows, Norm()), np.array([3.0, 0.4], "f4"), vocabulary(4), k=4)
    assert (found.nearest["dot"].id, found.nearest["cosine"].id, found.nearest["euclidean"].id) == (0, 3, 2)
    assert not found.agree and "by cosine w3" in found.notes[0]


def test_the_path_finds_the_nearest_rows(gpt2: LanguageModel) -> None:
    states = gpt2.states(PROMPT)
    axes = np.eye(32)[:2]
    rows = gpt2.table.vectors.block(0, WORDS).astype(float)
    found = path(states, 2, gpt2.table, k=3, mean=rows.mean(0), axes=axes)
    length = np.linalg.norm(rows, axis=1).mean()
    for layer in range(LAYERS + 1):
        h = states.layers[layer, 2].astype(float)
        cosines = rows @ h / np.linalg.norm(rows, axis=1) / np.linalg.norm(h)
        assert [t.id for t in found.nearest[layer]] == np.lexsort((np.arange(WORDS), -cosines))[:3].tolist()
        np.testing.assert_allclose(found.cosines[layer], np.sort(cosines)[::-1][:3])
        assert found.norms[layer] == pytest.approx(np.linalg.norm(h))
        np.testing.assert_allclose(found.coordinates[layer], (length * h / np.linalg.norm(h) - rows.mean(0))[:2])
    assert found.token.text == "w40"
    with pytest.raises(UsageError, match="position from 0 to 5, found 6"):
        path(states, 6, gpt2.table)


def test_the_path_of_a_row_starts_at_itself() -> None:
    made = network("gemma3")
    ours = model_of(made, table_for(made))
    found = path(ours.states(PROMPT), 1, ours.table)
    assert found.nearest[0][0].id == 40 and found.cosines[0][0] == pytest.approx(1, abs=1e-6)


def test_a_zero_row_is_never_nearest() -> None:
    table = Table.from_array(np.array([[0, 0], [-1, 0.1]], "f4"))
    states = States((vocabulary(4)[3],), np.array([[[1.0, 0.0]], [[-1.0, 0.0]]], "f4"))
    assert [row[0].id for row in path(states, 0, table, k=1).nearest] == [1, 1]


def test_bias_of_norm_and_head_on_the_table() -> None:
    made = network("phi")
    readout = model_of(made, table_for(made)).readout
    assert readout is not None
    nothing = np.zeros((1, 32), "f4")
    found = bias_of(readout)
    assert found is not None
    np.testing.assert_allclose(
        found, readout.logits(nothing)[0], atol=1e-5
    )  # the scores of a model that has read nothing
    llama = network("llama")
    other = model_of(llama, table_for(llama)).readout
    assert other is not None and bias_of(other) is None


def test_bias_against_frequency_is_spearman() -> None:
    from scipy.stats import spearmanr

    rng = np.random.default_rng(3)
    bias, frequency = rng.normal(size=50).round(1), rng.normal(size=50).round(1)  # with ties
    frequency[:5] = -np.inf  # tokens never seen
    found = bias_against_frequency(bias, frequency)
    assert found.n == 45 and found.spearman == pytest.approx(spearmanr(bias[5:], frequency[5:]).statistic)
    assert bias_against_frequency(frequency[5:], frequency[5:]).p == pytest.approx(1 / 1001)
    with pytest.raises(UsageError, match="at least 3 tokens with a frequency, found 0"):
        bias_against_frequency(bias, np.full(50, np.nan))
