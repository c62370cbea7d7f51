"""Sentence vectors: means of a model's own states, whatever the order and the lengths of the texts."""

from __future__ import annotations

import numpy as np
import pytest

from armillary.errors import UsageError
from armillary.lens.opening import model_of
from armillary.study.sentences import encoder_of, sentence_vectors
from lens_models import LAYERS, network, table_for


@pytest.mark.long
def test_they_are_the_means_of_the_states_of_each_text():
    net = network("llama")
    model = model_of(net, table_for(net))
    texts = ["w5 w6 w7", "w9", "w8 w3", "w4 w3 w10"]
    for layer in (None, 1):
        found = sentence_vectors(model, texts, layer)
        for vector, text in zip(found, texts, strict=True):
            states = model.states(text).at(LAYERS if layer is None else layer)
            assert vector == pytest.approx(states.mean(axis=0), abs=1e-4)  # float32, in another batch
    with pytest.raises(UsageError, match=f"expected a layer from 0 to {LAYERS}, found 9"):
        sentence_vectors(model, texts, 9)


def test_a_text_is_cut_and_one_without_tokens_is_zero(monkeypatch):
    net = network("llama")
    model = model_of(net, table_for(net))
    monkeypatch.setattr("armillary.study.sentences.TOKENS", 2)
    found = sentence_vectors(model, ["w5 w6 w7 w8", "w5 w6", ""])
    assert np.array_equal(found[0], found[1]) and not found[2].any()


def test_a_missing_model_is_no_name_to_download(tmp_path):
    with pytest.raises(UsageError, match=r"expected a model that can run at .*nothing, found nothing there"):
        encoder_of(str(tmp_path / "nothing"))
