"""The readout and the opening of models, on small models built here: our reading is the model's own."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

import numpy as np
import pytest

from armillary.errors import MissingExtra, UnreadableError, UsageError
from armillary.lens import LanguageModel, Norm, Readout, model_of, open_model
from armillary.lens.framing import Framing, framing_of_folder, framing_of_gguf
from armillary.lens.gguf_network import unpermuted
from armillary.lens.network import self_test
from lazy import torch
from lens_models import CONTEXT, LAYERS, WIDTH, WORDS, network, save_folder, save_gguf, table_for, vocabulary

IDS = [1, 5, 40, 3, 22, 5]
KINDS = {
    "llama": ("rms", {}),
    "llama untied": ("rms", {"tie_word_embeddings": False}),
    "llama tied": ("rms", {"tie_word_embeddings": True}),
    "gpt2": ("layer", {}),
    "phi": ("layer", {}),  # untied, with a bias of the head
    "granite": ("rms", {"logits_scaling": 8.0, "embedding_multiplier": 3.0}),
    "gemma2": ("rms+1", {"final_logit_softcapping": 5.0}),
    "gemma3": ("rms+1", {}),
}


def model(name: str) -> LanguageModel:
    made = network(name.split()[0], **KINDS[name][1])
    return model_of(made, table_for(made), framing=Framing((1,), (), 1))


@pytest.fixture(scope="session", params=KINDS)
def tiny(request: pytest.FixtureRequest) -> tuple[str, LanguageModel]:
    return request.param, model(request.param)


def test_the_lens_of_the_last_layer_is_the_models_own_logits(tiny: tuple[str, LanguageModel]) -> None:
    name, ours = tiny
    readout, states = ours.readout, ours.states(IDS)
    assert readout is not None and readout.norm.kind == KINDS[name][0]
    with torch.inference_mode():
        theirs = ours.network(torch.tensor([IDS])).logits[0].numpy()
    np.testing.assert_allclose(readout.logits(states.at(LAYERS)), theirs, atol=1e-4, rtol=0)
    assert 0 <= ours.disagreement <= 1e-4


def test_every_part_of_the_readout_counts(tiny: tuple[str, LanguageModel]) -> None:
    """The same logits without the weight of the norm, the cap, the bias or the multiplier are refused by size."""
    from dataclasses import replace

    name, ours = tiny
    readout, last = ours.readout, ours.states(IDS).at(LAYERS)
    assert readout is not None
    own = readout.logits(last)
    without = [replace(readout, norm=Norm(readout.norm.kind, eps=readout.norm.eps))]
    without += [replace(readout, softcap=None)] if name == "gemma2" else []
    without += [replace(readout, bias=None)] if name == "phi" else []
    without += [replace(readout, multiplier=1.0)] if name == "granite" else []
    for wrong in without:
        with pytest.raises(UnreadableError, match=r"expected the readout to give .* found them [\d.e+]+ apart"):
            self_test(wrong, last, own)
    with pytest.raises(UnreadableError, match="apart"):
        self_test(readout, last, np.full_like(own, np.nan))


def test_facts_of_the_readout(tiny: tuple[str, LanguageModel]) -> None:
    name, ours = tiny
    facts = ours.readout.to_dict() if ours.readout else {}
    assert facts["tied"] == (name in ("llama tied", "gpt2", "gemma2", "gemma3", "granite")) or name == "granite"
    assert facts["softcap"] == (5.0 if name == "gemma2" else None)
    assert facts["bias"] == (name == "phi")
    assert facts["norm_bias"] == (name in ("gpt2", "phi"))
    assert facts["multiplier"] == (1 / 8 if name == "granite" else 1.0)
    scale = {"gemma2": WIDTH**0.5, "gemma3": WIDTH**0.5}.get(name, 1.0)
    assert name == "granite" or facts["scale"] == pytest.approx(scale, rel=1e-6)


def test_tied_weights_and_the_table_are_one_memory() -> None:
    ours = model("gemma3")
    weight = ours.network.get_input_embeddings().weight
    assert ours.network.get_output_embeddings().weight.data_ptr() == weight.data_ptr()
    assert ours.readout is not None and np.shares_memory(ours.readout.input, ours.readout.output)
    assert np.shares_memory(ours.table.vectors.block(0, 4), weight.detach().numpy())


def test_folded_and_centred_views(tiny: tuple[str, LanguageModel]) -> None:
    _, ours = tiny
    readout, states = ours.readout, ours.states(IDS)
    assert readout is not None
    before = readout.output.copy()
    folded = readout.folded()
    assert (folded.view, folded.norm.weight, folded.norm.bias) == ("folded", None, None)
    for layer in range(LAYERS + 1):
        np.testing.assert_allclose(folded.logits(states.at(layer)), readout.logits(states.at(layer)), atol=2e-5)
    if readout.softcap is not None:
        with pytest.raises(UsageError, match="without a softcap"):
            readout.centred()
    else:
        shifted = readout.centred().logits(states.at(LAYERS)) - readout.logits(states.at(LAYERS))
        np.testing.assert_allclose(shifted, shifted[:, :1].repeat(WORDS, 1), atol=2e-5)  # one number a position
        assert np.abs(readout.centred().output.mean(0)).max() < 1e-6
    np.testing.assert_array_equal(readout.output, before)


def test_layer_zero_is_the_scaled_row_and_layers_are_in_order(tiny: tuple[str, LanguageModel]) -> None:
    name, ours = tiny
    states = ours.states(IDS)
    assert states.layers.shape == (LAYERS + 1, len(IDS), WIDTH) and states.depth == LAYERS
    if name not in ("gpt2", "granite"):  # the one adds positions, the other scales after the module
        assert ours.readout is not None
        np.testing.assert_allclose(states.at(0), ours.table.rows(IDS) * np.float32(ours.readout.scale), rtol=1e-6)
    caught: list[np.ndarray] = []
    layers = next(m for n, m in ours.network.named_modules() if n in ("model.layers", "transformer.h"))
    hooks = [
        layer.register_forward_hook(lambda _m, _i, out: caught.append((out[0] if isinstance(out, tuple) else out)[0].numpy()))
        for layer in layers
    ]  # fmt: skip
    with torch.inference_mode():
        ours.network(torch.tensor([IDS]))
    for hook in hooks:
        hook.remove()
    for layer in range(LAYERS):
        np.testing.assert_allclose(states.at(layer + 1), caught[layer].reshape(len(IDS), WIDTH), atol=1e-6)
    with pytest.raises(UsageError, match="layer from 0 to 3, found -1"):
        states.at(-1)


@pytest.mark.long
def test_texts_of_equal_length_share_a_pass_and_give_what_each_gives_alone(tiny: tuple[str, LanguageModel]) -> None:
    _, ours = tiny
    texts = [[1, 4, 5], [1, 9], [1, 6, 7], [1, 30]]
    calls: list[tuple[int, int]] = []
    together = ours.states_of(texts, progress=lambda done, total: calls.append((done, total)))
    for text, states in zip(texts, together, strict=True):
        assert [token.id for token in states.tokens] == text
        np.testing.assert_allclose(states.layers, ours.states(text).layers, atol=1e-4)
    assert calls == [(2, 4), (4, 4)]


def test_norms_are_told_apart_by_what_they_compute() -> None:
    rng = np.random.default_rng(1)
    h, w, b = rng.normal(1, 2, (3, 8)).astype("f4"), rng.normal(size=8).astype("f4"), rng.normal(size=8).astype("f4")
    for i in range(3):
        x = h[i].astype(float)
        layer = (x - x.mean()) / np.sqrt(((x - x.mean()) ** 2).mean() + 1e-5) * w + b
        np.testing.assert_allclose(Norm("layer", w, b, 1e-5)(h)[i], layer, rtol=1e-4, atol=1e-5)
        rms = x / np.sqrt((x**2).mean() + 1e-6)
        np.testing.assert_allclose(Norm("rms", w, None, 1e-6)(h)[i], rms * w, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(Norm("rms+1", w, None, 1e-6)(h)[i], rms * (1 + w), rtol=1e-4, atol=1e-5)
    assert Norm()(h) is h


def test_a_norm_of_another_form_is_refused() -> None:
    made = network("llama")
    made.model.norm = torch.nn.Sequential(made.model.norm, torch.nn.Tanh())
    with pytest.raises(
        UnreadableError, match="expected a layer norm or an RMS norm before the output, found Sequential"
    ):
        model_of(made, table_for(made))


def test_a_head_that_does_more_is_refused_with_the_size_of_the_disagreement() -> None:
    made = network("llama")
    made.config.final_logit_softcapping = 3.0  # the config says so, the network does not
    with pytest.raises(UnreadableError, match=r"found them \d\.\d+ apart"):
        model_of(made, table_for(made))


@pytest.mark.long
@pytest.mark.parametrize("kind", ["llama", "qwen2", "qwen3", "gemma3"])
@pytest.mark.parametrize("tied", [True, False])
def test_gguf_by_state_is_the_model_it_was_written_from(kind: str, tied: bool, tmp_path: Path) -> None:
    made = network(kind, tie_word_embeddings=tied)
    ours = open_model(save_gguf(made, kind, tmp_path / "tiny.gguf"))
    with torch.inference_mode():
        expected = made(torch.tensor([IDS])).logits[0].numpy()
    tolerance = 2e-5 if kind == "gemma3" else 0  # (w + 1) − 1 is w to a rounding only
    np.testing.assert_allclose(ours.logits(IDS), expected, atol=tolerance, rtol=0)
    assert ours.readout is not None and ours.readout.tied is tied
    assert (ours.layers, ours.context, ours.framing) == (LAYERS, CONTEXT, Framing((1,), (), 1))


def test_gguf_rotary_factors_divide_the_frequencies(tmp_path: Path) -> None:
    made = network("llama")
    path = save_gguf(made, "llama", tmp_path / "tiny.gguf", **{"llama.rope.freq_base": 5000.0})
    ours = open_model(path)
    expected = 5000.0 ** (-np.arange(0, 8, 2) / 8)
    np.testing.assert_allclose(ours.network.model.rotary_emb.inv_freq.numpy(), expected, rtol=1e-6)


def test_the_order_of_rotary_rows_is_undone() -> None:
    stored = np.array([[0, 2, 1, 3, 10, 12, 11, 13]], np.float32).T  # two heads of 4: pairs (i, i + 2) side by side
    expected = [0, 1, 2, 3, 10, 11, 12, 13]
    assert unpermuted(stored, 2).ravel().tolist() == expected
    assert unpermuted(stored.ravel(), 2).tolist() == expected


@pytest.mark.parametrize("kind", ["llama", "gpt2", "bert"])
def test_a_folder_opens_offline(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = network(kind, **({"tie_word_embeddings": True} if kind == "llama" else {}))
    folder = save_folder(made, tmp_path / "model")

    def no_network(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    ours = open_model(folder)
    assert ours.encode("w5 w6") == [1, 5, 6] and ours.is_encoder == (kind == "bert")
    with torch.inference_mode():
        out = made(torch.tensor([[1, 5, 6]]), output_hidden_states=True)
    if kind == "bert":
        np.testing.assert_allclose(ours.states("w5 w6").at(LAYERS), out.last_hidden_state[0].numpy(), atol=1e-6)
        with pytest.raises(UsageError, match="no next token"):
            ours.logits([1])
    else:
        np.testing.assert_array_equal(ours.logits([1, 5, 6]), out.logits[0].numpy())


def test_framing_of_each_kind_of_file(tmp_path: Path) -> None:
    words = vocabulary()
    folder = tmp_path / "f"
    folder.mkdir()
    bert = {"type": "BertProcessing", "cls": ["<s>", 1], "sep": ["</s>", 2]}
    template = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "</s>"}}],
    }
    for processor, expected in (
        (None, ((), ())),
        ({"type": "ByteLevel"}, ((), ())),
        (bert, ((1,), (2,))),
        (template, ((1,), (2,))),
        ({"type": "Sequence", "processors": [{"type": "ByteLevel"}, template]}, ((1,), (2,))),
    ):
        (folder / "tokenizer.json").write_text(json.dumps({"post_processor": processor}))
        found = framing_of_folder(folder, words)
        assert (found.before, found.after) == expected
    ids = {"tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2}
    assert framing_of_gguf({**ids, "tokenizer.ggml.model": "llama"}) == Framing((1,), (), 1)
    assert framing_of_gguf({**ids, "tokenizer.ggml.model": "gpt2"}) == Framing((), (), 1)
    assert framing_of_gguf({**ids, "tokenizer.ggml.add_eos_token": True}) == Framing((), (2,), 1)
    assert framing_of_gguf({"tokenizer.ggml.add_bos_token": True}) == Framing()


def test_each_wrong_thing_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = model("llama")
    with pytest.raises(UsageError, match="expected a text, found an empty one"):
        ours.encode("")
    with pytest.raises(
        UsageError, match=f"expected at most {CONTEXT} tokens, the model's context, found {CONTEXT + 1}"
    ):
        ours.encode("w5 " * CONTEXT)  # and the BOS
    table = tmp_path / "rows.npy"
    np.save(table, np.ones((4, 2), np.float32))
    with pytest.raises(
        UnreadableError, match=r"expected a model that can run, found rows\.npy, which is a table alone"
    ):
        open_model(table)
    folder = tmp_path / "tablefolder"
    folder.mkdir()
    np.save(folder / "rows.npy", np.ones((4, 2), np.float32))
    with pytest.raises(UnreadableError, match=r"found no config\.json"):
        open_model(folder)
    with pytest.raises(UsageError, match="expected the device cpu or cuda, found 'tpu'"):
        open_model(table, device="tpu")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        MissingExtra, match=r"running a model needs packages that are not installed\npip install 'armillary\[lens\]'"
    ):
        open_model(table)


def test_a_checkpoint_without_its_head_is_refused(tmp_path: Path) -> None:
    folder = save_folder(network("llama", tie_word_embeddings=False), tmp_path / "model")
    from safetensors.numpy import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    del weights["lm_head.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UnreadableError, match=r"1 missing, such as lm_head\.weight"):
        open_model(folder)


def test_readout_without_torch() -> None:
    rng = np.random.default_rng(2)
    table, h = rng.normal(size=(7, 4)).astype("f4"), rng.normal(size=(2, 4)).astype("f4")
    readout = Readout(table, table, Norm(), softcap=2.0, bias=np.arange(7, dtype="f4"), multiplier=0.5, tied=True)
    expected = 2.0 * np.tanh((h @ table.T + np.arange(7)) * 0.5 / 2.0)
    np.testing.assert_allclose(readout.logits(h), expected, rtol=1e-5)
