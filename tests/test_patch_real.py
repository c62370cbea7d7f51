"""A real model after a patch and an extension: SmolLM2 loads in transformers, and what was not touched stays as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armillary as arm
from armillary import catalog
from armillary.repairs.plan import Change, Plan

pytestmark = pytest.mark.real
PROMPT = "The capital of France is"
FRESH = ["▁armillary", "spherecode", "北京烤鸭"]
TOUCHED = [19_000, 30_000]  # tokens that the prompt does not hold


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """SmolLM2 as a Hugging Face folder in bfloat16, made from its GGUF file, with transformers' own tokenizer."""
    import torch
    import transformers

    from armillary.lens import open_model

    path, folder = catalog.resolve("demo:smollm2"), tmp_path_factory.mktemp("smollm2") / "model"
    open_model(path).network.to(torch.bfloat16).save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name).save_pretrained(folder)
    return folder


def loaded(folder: Path) -> tuple[Any, Any]:
    import torch
    import transformers

    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    return model, transformers.AutoTokenizer.from_pretrained(folder)


def logits(folder: Path) -> tuple[np.ndarray, str]:
    """Logits of the prompt, and the model's most probable next word."""
    import torch

    model, tokenizer = loaded(folder)
    with torch.inference_mode():
        found = model(**tokenizer(PROMPT, return_tensors="pt")).logits[0].numpy()
    return found, tokenizer.decode([int(found[-1].argmax())])


@pytest.fixture(scope="module")
def before(folder: Path) -> np.ndarray:
    found, answer = logits(folder)
    assert answer == " Paris"
    return found


def test_a_patched_model_loads_and_only_the_touched_tokens_change(folder: Path, before: np.ndarray) -> None:
    study = arm.open(folder, cache=False)
    king, queen = (study.table.find(word)[0] for word in ("king", "queen"))
    changes = (Change(TOUCHED[0], "reset", "pieces", (king, queen)), Change(TOUCHED[1], "reset", "draw"))
    plan = Plan("smollm2", study.facts.sha256, *study.shape, changes)
    applied = study.apply_plan(plan, folder.parent / "patched")
    after, answer = logits(folder.parent / "patched")
    assert np.flatnonzero((after != before).any(axis=0)).tolist() == TOUCHED and answer == " Paris"
    record = json.loads(applied.record.read_text("utf-8"))
    assert [c["id"] for c in record["changes"]] == TOUCHED and list(record["changes"][0]["tensors"]) == [
        "model.embed_tokens.weight"
    ]


def test_an_extended_model_loads_reads_the_new_tokens_and_answers_as_before(folder: Path, before: np.ndarray) -> None:
    import torch

    study = arm.open(folder, cache=False)
    rows = len(study.table)
    proposal = study.propose_extension([name.replace("▁", " ") for name in FRESH])
    assert [c.way for c in proposal.plan.changes] == ["pieces"] * 3
    study.apply_plan(proposal.plan, folder.parent / "grown")
    after, answer = logits(folder.parent / "grown")
    assert after.shape[1] == rows + 3 and answer == " Paris"
    np.testing.assert_allclose(after[:, :rows], before, atol=1e-4)  # a larger product may add in another order
    model, tokenizer = loaded(folder.parent / "grown")
    ids = tokenizer("an armillary of 北京烤鸭", add_special_tokens=False)["input_ids"]
    assert {rows, rows + 2} <= set(ids)
    new = model.get_input_embeddings().weight[rows + 1].detach()
    pieces = study.table.vocabulary.encode("spherecode")
    expected = torch.from_numpy(study.table.rows(pieces).mean(0)).bfloat16().float()
    np.testing.assert_array_equal(new.numpy(), expected.numpy())
    with torch.inference_mode():
        assert torch.isfinite(model(torch.tensor([ids])).logits).all()
    assert arm.open(folder.parent / "grown", cache=False).table.find("spherecode") == [rows + 1]


def test_an_encoder_grows_with_its_word_list(tmp_path: Path) -> None:
    import torch
    import transformers

    study = arm.open("demo:minilm", cache=False)
    study.apply_plan(study.propose_extension(["armillary", "orrery"]).plan, tmp_path / "grown")
    path, rows, text = catalog.resolve("demo:minilm"), len(study.table), "The river bank was steep."
    states = []
    for folder in (path, tmp_path / "grown"):
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        model = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
        with torch.inference_mode():
            states.append(model(**tokenizer(text, return_tensors="pt")).last_hidden_state.numpy())
    np.testing.assert_array_equal(*states)
    ids = tokenizer("an armillary and an orrery", add_special_tokens=False)["input_ids"]
    assert [i for i in ids if i >= rows] == [rows, rows + 1]
    assert (tmp_path / "grown" / "vocab.txt").read_text("utf-8").splitlines()[rows:] == ["armillary", "orrery"]
    pieces = study.table.vocabulary.encode("orrery")
    expected = study.table.rows(pieces).astype(np.float64).mean(0).astype(np.float32)
    np.testing.assert_array_equal(arm.open(tmp_path / "grown", cache=False).table.row(rows + 1), expected)
