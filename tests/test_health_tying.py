"""Tied or not: the table of `docs/health.md`, row by row, as `health` tells it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from armillary.study import open as open_study
from gguf_writer import gguf_bytes

EMBED, HEAD = "model.embed_tokens.weight", "lm_head.weight"
A = np.arange(8, dtype=np.float32).reshape(4, 2) + 1
B = A[::-1].copy()
DIFFER, EQUAL, ONE = (
    "one table, but",
    "differ, but model.embed_tokens.weight and lm_head.weight hold",
    "holds one table only",
)

SAFETENSORS = [
    ({EMBED: A, HEAD: A}, {"tie_word_embeddings": True}, "Tied", ""),
    ({EMBED: A, HEAD: A}, {}, "Tied", ""),
    ({EMBED: A, HEAD: A}, {"tie_word_embeddings": False}, "Tied", EQUAL),
    ({EMBED: A, HEAD: B}, {"tie_word_embeddings": False}, "Untied", ""),
    ({EMBED: A, HEAD: B}, {}, "Untied", ""),
    ({EMBED: A, HEAD: B}, {"tie_word_embeddings": True}, "Untied", DIFFER),
    ({EMBED: A}, {"tie_word_embeddings": True}, "Tied", ""),
    ({EMBED: A}, {}, "Tied", ""),
    ({EMBED: A}, {"tie_word_embeddings": False}, "Tied", ONE),
    ({EMBED: A}, {"architectures": ["BertModel"]}, "Tying: cannot be told", ""),
]


@pytest.mark.parametrize(("tensors", "claims", "verdict", "reported"), SAFETENSORS)
def test_a_checkpoint_with_its_config(
    tmp_path: Path, tensors: dict[str, Any], claims: dict[str, Any], verdict: str, reported: str
) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"architectures": ["LlamaForCausalLM"], **claims}))
    save_file(tensors, tmp_path / "model.safetensors")
    study = open_study(tmp_path, cache=False)
    assert study.health(round_trip=False).tying.split(":")[0] == verdict.split(":")[0]
    assert [reported in c for c in study.load_report.contradictions] == ([True] if reported else [])
    assert (study.output() is not None) == (verdict == "Untied")


def gguf(tensors: dict[str, tuple[tuple[int, ...], int, bytes]], architecture: str = "llama") -> bytes:
    tokens = [f"t{i}" for i in range(4)]
    keys = {"general.architecture": architecture, "tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": tokens, "tokenizer.ggml.scores": [0.0] * 4}  # fmt: skip
    return gguf_bytes(keys, tensors)


def f32(rows: np.ndarray) -> tuple[tuple[int, ...], int, bytes]:
    return rows.shape, 0, rows.astype("<f4").tobytes()


def f16(rows: np.ndarray) -> tuple[tuple[int, ...], int, bytes]:
    return rows.shape, 1, rows.astype("<f2").tobytes()


@pytest.mark.parametrize(
    ("tensors", "architecture", "verdict"),
    [
        ({"token_embd.weight": f32(A)}, "llama", "Tied"),
        ({"token_embd.weight": f32(A), "output.weight": f32(A)}, "llama", "Tied"),
        ({"token_embd.weight": f32(A), "output.weight": f32(B)}, "llama", "Untied"),
        ({"token_embd.weight": f32(A), "output.weight": f16(A)}, "llama", "Untied"),  # two stored tables
        ({"token_embd.weight": f32(A)}, "bert", "Tying"),
    ],
)
def test_a_gguf_file(tmp_path: Path, tensors: dict[str, Any], architecture: str, verdict: str) -> None:
    (tmp_path / "model.gguf").write_bytes(gguf(tensors, architecture))
    study = open_study(tmp_path / "model.gguf", cache=False)
    assert study.health(round_trip=False).tying.split(":")[0] == verdict


def test_a_gguf_beside_a_checkpoint_that_disagrees(tmp_path: Path) -> None:
    """Of two files of one folder the checkpoint is read and the other is named; each by itself gives its own verdict."""
    (tmp_path / "config.json").write_text(
        json.dumps({"architectures": ["LlamaForCausalLM"], "tie_word_embeddings": True})
    )
    save_file({EMBED: A, HEAD: B}, tmp_path / "model.safetensors")
    (tmp_path / "model.gguf").write_bytes(gguf({"token_embd.weight": f32(A)}))
    folder = open_study(tmp_path, cache=False)
    assert folder.health(round_trip=False).tying.startswith("Untied") and folder.load_report.files_ignored == (
        "model.gguf",
    )
    assert any(DIFFER in c for c in folder.load_report.contradictions)
    alone = open_study(tmp_path / "model.gguf", cache=False)
    assert alone.health(round_trip=False).tying.startswith("Tied") and alone.load_report.contradictions == ()
