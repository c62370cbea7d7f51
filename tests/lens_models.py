"""Small models built in the test, with random weights, as files and in memory. Shared by the tests of the lens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from armillary.table import ArrayRows, Kind, LoadReport, Provenance, Table, Vocabulary
from gguf_writer import gguf_bytes

WORDS = 64
WIDTH, LAYERS, HEADS, KV, INNER, CONTEXT = 32, 3, 4, 2, 48, 40
_SIZES = {
    "vocab_size": WORDS,
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": KV,
    "intermediate_size": INNER,
    "max_position_embeddings": CONTEXT,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
F32 = 0  # GGUF's number of the type


class Splitter:
    """A tokenizer for tests: words of the vocabulary between spaces."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def encode(self, text: str) -> list[int]:
        return [self.names.index(word) for word in text.split()]

    def decode(self, ids: Any) -> bytes:
        return " ".join(self.names[i] for i in ids).encode()


def vocabulary(rows: int = WORDS) -> Vocabulary:
    """`<unk>`, `<s>`, `</s>`, then w3, w4, …"""
    names = ["<unk>", "<s>", "</s>", *(f"w{i}" for i in range(3, rows))]
    kinds = np.zeros(rows, np.uint8)
    kinds[:3] = Kind.CONTROL
    return Vocabulary([n.encode() for n in names], names, kinds, tokenizer=Splitter(names))


def network(kind: str, seed: int = 0, **fields: Any) -> Any:
    """A model of one kind with random weights large enough that every part matters: norms, biases, softcaps."""
    import torch  # here, since every worker of pytest imports this file, and one of them runs the tests that need it
    import transformers

    transformers.utils.logging.disable_progress_bar()  # its bars on stderr when a model is saved are none of ours
    config, model = {
        "llama": ("LlamaConfig", "LlamaForCausalLM"),
        "qwen2": ("Qwen2Config", "Qwen2ForCausalLM"),
        "qwen3": ("Qwen3Config", "Qwen3ForCausalLM"),
        "gemma2": ("Gemma2Config", "Gemma2ForCausalLM"),
        "gemma3": ("Gemma3TextConfig", "Gemma3ForCausalLM"),
        "gpt2": ("GPT2Config", "GPT2LMHeadModel"),
        "phi": ("PhiConfig", "PhiForCausalLM"),
        "granite": ("GraniteConfig", "GraniteForCausalLM"),
        "bert": ("BertConfig", "BertModel"),
    }[kind]
    sizes: dict[str, Any] = dict(_SIZES)
    if kind == "gpt2":
        sizes = {"vocab_size": WORDS, "n_embd": WIDTH, "n_layer": LAYERS, "n_head": HEADS, "n_positions": CONTEXT}
    if kind in ("gemma2", "gemma3", "qwen3"):
        sizes["head_dim"] = 12  # not width / heads, so that the two cannot be mixed up
    if kind in ("gemma2", "gemma3"):
        sizes |= {"query_pre_attn_scalar": 12, "sliding_window": 8}
    made = getattr(transformers, model)(getattr(transformers, config)(**{**sizes, **fields}))
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in made.named_parameters():
            centre = 0.0 if parameter.ndim == 2 or name.endswith("bias") or kind.startswith("gemma") else 1.0
            parameter.copy_(centre + 0.3 * torch.randn(parameter.shape, generator=generator))
    return made.eval()


def table_for(model: Any) -> Table:
    """The input table of a live model."""
    rows = model.get_input_embeddings().weight.detach().numpy()
    report = LoadReport("test", rows=len(rows), width=rows.shape[1])
    return Table(ArrayRows(rows), vocabulary(len(rows)), Provenance("tiny"), report)


def save_folder(model: Any, folder: Path, *, framed: bool = True) -> Path:
    """A Hugging Face folder with safetensors and a word-level `tokenizer.json` that adds `<s>`, if `framed`."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    model.save_pretrained(folder)
    names = [name if name.startswith("<") else "▁" + name for name in vocabulary().names]
    tokenizer = Tokenizer(models.WordLevel({name: i for i, name in enumerate(names)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.add_special_tokens(names[:3])
    if framed:
        tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def save_gguf(model: Any, kind: str, path: Path, **extra: Any) -> Path:
    """A GGUF file as llama.cpp's converter writes it: its names, its order of q and k, Gemma's norms with 1 added."""
    config = model.config
    tensors = {}
    for name, parameter in model.state_dict().items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        values = parameter.numpy().astype(np.float32)
        heads = config.num_attention_heads if "q_proj" in name else config.num_key_value_heads
        if kind == "llama" and name.endswith(("q_proj.weight", "k_proj.weight")):
            values = _reordered(values, heads)
        if kind == "gemma3" and name.endswith("norm.weight"):
            values = values + np.float32(1)
        tensors[_gguf_name(name, kind)] = (values.shape, F32, values.tobytes())
    keys: dict[str, Any] = {
        "general.architecture": kind,
        f"{kind}.block_count": LAYERS,
        f"{kind}.context_length": CONTEXT,
        f"{kind}.embedding_length": WIDTH,
        f"{kind}.feed_forward_length": INNER,
        f"{kind}.attention.head_count": HEADS,
        f"{kind}.attention.head_count_kv": KV,
        f"{kind}.attention.layer_norm_rms_epsilon": float(config.rms_norm_eps),
        f"{kind}.attention.key_length": int(getattr(config, "head_dim", None) or WIDTH // HEADS),
        f"{kind}.attention.sliding_window": 8,
        "tokenizer.ggml.model": "none",
        "tokenizer.ggml.tokens": list(vocabulary().names),
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.add_bos_token": True,
    }
    path.write_bytes(gguf_bytes({**keys, **extra}, tensors))
    return path


def _reordered(values: np.ndarray, heads: int) -> np.ndarray:
    """llama.cpp's order within each head: row i of the first half, then row i of the second half."""
    out, size = np.empty_like(values), len(values) // heads
    for head in range(heads):
        for i in range(size // 2):
            out[head * size + 2 * i] = values[head * size + i]
            out[head * size + 2 * i + 1] = values[head * size + size // 2 + i]
    return out


def _gguf_name(name: str, kind: str) -> str:
    for ours, theirs in {
        "model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output", "model.layers": "blk",
        "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
        "input_layernorm": "attn_norm", "pre_feedforward_layernorm": "ffn_norm",
        "post_feedforward_layernorm": "post_ffw_norm", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
        "post_attention_layernorm": "post_attention_norm" if kind == "gemma3" else "ffn_norm",
    }.items():  # fmt: skip
        name = name.replace(ours, theirs)
    return name
