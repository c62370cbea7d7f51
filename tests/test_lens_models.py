"""The lens on trained models: against another program's traces, the known figures, transformers' own loader."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import armillary as arm
from armillary import catalog
from armillary.lens import LanguageModel, Norm, Readout, built_in_senses, logit_lens, open_model, sense_study
from armillary.lens.permuted import permuted
from gguf_writer import gguf_bytes
from lens_models import F32

KNOWN = json.loads((Path(__file__).parent / "known" / "lens.json").read_text())


@pytest.fixture(scope="module")
def glass() -> tuple[object, list[int], object]:
    """glassllm's model, a text of its own tokenizer, and the trace of its forward pass."""
    import glassllm

    model, tokenizer = glassllm.load_pretrained("en")
    ids = [int(i) for i in tokenizer.encode("Once upon a time there was a little girl")]
    trace = glassllm.Tracer()
    with glassllm.no_grad():
        model(ids, trace=trace)
    return model, ids, trace


def recorded(trace: object, step: str) -> list[np.ndarray]:
    return [r.value for r in trace.records if r.id == step]  # pyright: ignore


def test_glassllm_logits_from_its_residuals_without_torch(glass) -> None:
    model, _, trace = glass
    table = model.E.data
    readout = Readout(table, table, Norm("rms", model.norm_f.gamma.data, None, model.cfg.eps), tied=True)
    last = recorded(trace, "resid.ffn")[-1]
    np.testing.assert_allclose(readout.norm(last), recorded(trace, "norm.final")[0], atol=1e-5)
    np.testing.assert_allclose(readout.logits(last), recorded(trace, "logits")[0], atol=1e-4)


def test_our_states_are_glassllms_trace(glass, tmp_path: Path) -> None:
    """Its weights as a GGUF file (it rotates adjacent pairs, as llama.cpp stores them), opened and run by us."""
    model, ids, trace = glass
    ours = open_model(_as_gguf(model, tmp_path / "glass.gguf"))
    states = ours.states(ids)
    np.testing.assert_allclose(states.at(0), recorded(trace, "embed")[0], atol=1e-6)
    for layer, residual in enumerate(recorded(trace, "resid.ffn"), 1):
        np.testing.assert_allclose(states.at(layer), residual, atol=1e-4)
    np.testing.assert_allclose(ours.logits(ids), recorded(trace, "logits")[0], atol=2e-4)


def _as_gguf(model, path: Path) -> Path:
    cfg = model.cfg
    names = {"norm1.gamma": "attn_norm", "attn.W_Q": "attn_q", "attn.W_K": "attn_k", "attn.W_V": "attn_v", "attn.W_O": "attn_output",
             "norm2.gamma": "ffn_norm", "ffn.W1": "ffn_gate", "ffn.W3": "ffn_up", "ffn.W2": "ffn_down"}  # fmt: skip
    tensors = {}
    for name, parameter in model.named_parameters().items():
        values = parameter.data.astype(np.float32)
        if name in ("E", "norm_f.gamma"):
            stored = {"E": "token_embd.weight", "norm_f.gamma": "output_norm.weight"}[name]
        else:
            _, layer, rest = name.split(".", 2)
            stored, values = f"blk.{layer}.{names[rest]}.weight", np.ascontiguousarray(values.T)
        tensors[stored] = (values.shape, F32, values.tobytes())
    sizes = {"block_count": cfg.n_layers, "context_length": cfg.max_len, "embedding_length": cfg.d_model,
             "feed_forward_length": int(8 * cfg.d_model / 3), "attention.head_count": cfg.n_heads,
             "attention.head_count_kv": cfg.n_kv_heads, "attention.layer_norm_rms_epsilon": float(cfg.eps),
             "rope.freq_base": float(cfg.rope_base)}  # fmt: skip
    keys = {"general.architecture": "llama", **{f"llama.{name}": value for name, value in sizes.items()}}
    path.write_bytes(gguf_bytes(keys, tensors))
    return path


@pytest.fixture(scope="module")
def smollm2() -> LanguageModel:
    return arm.open("demo:smollm2").model()


@pytest.mark.real
def test_smollm2_knows_the_capital_of_france(smollm2: LanguageModel) -> None:
    known = KNOWN["demo:smollm2"]
    found = logit_lens(smollm2, known["prompt"])
    assert found.answer.bytes == known["answer"].encode()
    assert round(float(found.probabilities[-1, -1]), 2) == known["probability"]
    for layer, rank in known["rank by layer"].items():
        at = found.depth if layer == "output" else int(layer)
        assert found.ranks[at, -1] == pytest.approx(rank, abs=0 if rank <= 50 else 4)
    assert found.depth == 30 and smollm2.framing.before == () and smollm2.disagreement <= 1e-4


@pytest.mark.real
def test_the_permuted_sentence_in_smollm2(smollm2: LanguageModel) -> None:
    found = permuted(smollm2)
    assert found.static_difference < 1e-8
    assert found.moved[0] == pytest.approx(1) and found.moved[smollm2.layers // 2] < 0.99


@pytest.mark.real
def test_gemma_ranks_probabilities_time_and_memory() -> None:
    """In a process of its own, so that its memory is its own."""
    known = KNOWN["demo:gemma3"]
    program = """
import json, resource, sys
import armillary as arm
from armillary.lens import logit_lens
model = arm.open("demo:gemma3").model()
opened = resource.getrusage(resource.RUSAGE_SELF)
found = logit_lens(model, sys.argv[1], answer="Paris", k=3)
shares = {t.bytes.decode(): float(p) for t, p in zip(found.named(found.depth, -1), found.top_probabilities[-1, -1])}
print(json.dumps({"ranks": found.ranks[:, -1].tolist(), "output": shares, "before": list(model.framing.before),
    "tied": model.readout.tied, "seconds": opened.ru_utime + opened.ru_stime, "peak": opened.ru_maxrss * 1024}))
"""
    environment = {"PYTHONPATH": str(Path(arm.__file__).parents[1]), **__import__("os").environ}
    out = subprocess.run(
        [sys.executable, "-c", program, known["prompt"]], capture_output=True, text=True, env=environment
    )
    found = json.loads(out.stdout or "null")
    assert found, out.stderr
    for layer, rank in known["rank of ' Paris' by layer"].items():
        assert found["ranks"][int(layer.split()[0])] == pytest.approx(rank, abs=0 if rank <= 50 else 0.02 * rank)
    assert {text: round(p, 3) for text, p in found["output"].items()} == known["output"]
    assert found["before"] == [2] and found["tied"]
    assert found["peak"] < 2.2e9


@pytest.mark.real
def test_senses_part_in_minilm_and_the_control_does_not() -> None:
    study = sense_study(arm.open("demo:minilm").model(), built_in_senses())
    apart = {word.word: word.separates for word in study.words}
    assert apart.pop("bread") is False and sum(apart.values()) >= 5
    for word in study.words:
        assert word.is_control or word.difference[-1] > word.difference[0] + 0.01  # with depth


@pytest.mark.slow
@pytest.mark.real
def test_senses_part_in_smollm2_and_the_control_does_not(smollm2: LanguageModel) -> None:
    study = sense_study(smollm2, built_in_senses())
    apart = {word.word: word.separates for word in study.words}
    assert apart.pop("bread") is False and sum(apart.values()) >= 5
    for word in study.words:
        np.testing.assert_allclose(word.difference[0], 0, atol=1e-9)  # one row, whatever stands around it


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize("name", ["demo:smollm2", "demo:gemma3"])
def test_bit_equal_to_transformers_own_loader(name: str) -> None:
    import torch
    import transformers

    path = catalog.resolve(name)
    ours = open_model(path)
    ids = ours.encode("The capital of France is")
    found = ours.logits(ids)
    del ours
    theirs = transformers.AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32
    ).eval()
    with torch.inference_mode():
        expected = theirs(torch.tensor([ids])).logits[0].numpy()
    np.testing.assert_array_equal(found, expected)
