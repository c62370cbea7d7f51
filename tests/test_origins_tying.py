"""Tying in miniature: gradients at both ends, the same seed, and whose side the tied table takes."""

from __future__ import annotations

import numpy as np
import pytest

from armillary.errors import UsageError
from armillary.origins import tying, word2vec
from armillary.origins.tying.network import Network, Size
from armillary.origins.tying.tying import pairs


def corpus(lines: int = 300) -> word2vec.Corpus:
    generator = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(40)])
    return word2vec.of_lines(
        [" ".join(words[generator.zipf(1.5, 12).clip(1, 40) - 1]) for _ in range(lines)], "made", 1
    )


def test_the_gradients_of_the_two_ends_add_up():
    import torch

    network = Network(Size(7, 4, 2, 6), tied=True, seed=0)
    loss, first, last = network.loss(torch.tensor([[0, 1], [2, 3]]), torch.tensor([4, 5]))
    loss.backward()
    assert torch.allclose(network.table.grad, first.grad + last.grad, atol=1e-7)
    assert first.grad[4:].abs().sum() == 0  # words that no context holds get nothing from the input end
    assert (last.grad.abs().sum(dim=1) > 0).all()  # every word gets something from the output end


def test_tied_and_untied_start_from_the_same_table_and_body():
    tied, untied = (Network(Size(9, 4), tied=t, seed=3) for t in (True, False))
    for a, b in zip(tied.parameters, untied.parameters, strict=False):
        assert np.array_equal(a.detach().numpy(), b.detach().numpy())
    assert len(untied.parameters) == len(tied.parameters) + 1


def test_pairs_stay_in_their_sentence():
    text = word2vec.of_lines(["a b c d", "e f g"], "text", 1)
    contexts, targets = pairs(text, Size(7, context=2))
    assert [[text.words[i] for i in [*c, t]] for c, t in zip(contexts.tolist(), targets.tolist(), strict=True)] == [
        list("abc"),
        list("bcd"),
        list("efg"),
    ]
    with pytest.raises(UsageError, match="more than 9 known words"):
        pairs(text, Size(7, context=9))


def test_likeness_of_a_rotated_table_is_one():
    generator = np.random.default_rng(0)
    rows = generator.standard_normal((60, 5)) + 1.0
    rotation = np.linalg.qr(generator.standard_normal((5, 5)))[0]
    same = tying.likeness(rows, 3.0 * rows @ rotation)
    assert (same.procrustes, same.cka, same.overlap) == pytest.approx((1.0, 1.0, 1.0), abs=1e-12)
    assert tying.likeness(rows, generator.standard_normal((60, 5))).procrustes < 0.6


def test_mean_cosine_by_its_definition():
    rows = np.random.default_rng(1).standard_normal((8, 3)) + 0.5
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    expected = np.mean([unit[i] @ unit[j] for i in range(8) for j in range(8) if i != j])
    assert tying.mean_cosine(rows) == pytest.approx(expected, abs=1e-14)


@pytest.mark.long
def test_the_same_seed_gives_the_same_numbers_and_tables():
    first, again = (tying.tie(corpus(), vocabulary=30, width=8, steps=20, batch=16, moments=4) for _ in range(2))
    assert np.array_equal(first.tied.input, again.tied.input) and first.to_dict() == again.to_dict()
    assert [m.step for m in first.tied.moments] == [0, 5, 10, 15, 20]
    assert set(first.tables()) == {"tied", "input", "output"} and first.tables()["tied"].shape == (30, 8)
    assert np.array_equal(first.tied.input, first.tied.output)
    assert "nearer to the" in str(first)


def test_an_interrupt_keeps_the_tied_run():
    def stop(done: int, total: int) -> None:
        if done == 12:
            raise KeyboardInterrupt

    found = tying.tie(corpus(), vocabulary=30, width=8, steps=20, batch=16, moments=4, progress=stop)
    assert found.interrupted and found.untied is None and found.to_output is None
    assert [m.step for m in found.tied.moments] == [0, 5, 10] and "Interrupted" in str(found)


@pytest.mark.slow
@pytest.mark.real
def test_the_tied_table_of_the_miniature_is_near_both_ends_and_its_side_is_said():
    """In miniature it is nearer to the input, the reverse of large models (docs/origins.md); far from chance to both."""
    found = tying.tie(word2vec.open_corpus("wordnet"))
    assert found.to_input is not None and found.to_output is not None
    chance = tying.likeness(found.tied.input, np.random.default_rng(0).standard_normal(found.tied.input.shape))
    for side in (found.to_input, found.to_output):
        assert side.procrustes > 2 * chance.procrustes and side.overlap > 10 * chance.overlap
    nearer = "output" if found.to_output.procrustes > found.to_input.procrustes else "input"
    assert f"nearer to the {nearer}" in found.notes[0]
