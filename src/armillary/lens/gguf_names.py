"""GGUF's names of a decoder's tensors and keys, and what transformers calls them; as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

_LLAMA = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_HEAD_NORMS = {"attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm"}
_GEMMA3 = {
    **_LLAMA,
    **_HEAD_NORMS,
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}


class Architecture(NamedTuple):
    """How one architecture of GGUF becomes a transformers model.

    `permuted`: whether llama.cpp reordered the rows of q and k for its rotary embedding; `shift`: what is stored in
    addition to each norm's weight; `biased`: whether q, k and v have biases.
    """

    config: str
    model: str
    names: Mapping[str, str]
    permuted: bool = False
    shift: float = 0.0
    biased: bool = False


ARCHITECTURES: dict[str, Architecture] = {
    "llama": Architecture("LlamaConfig", "LlamaForCausalLM", _LLAMA, permuted=True),
    "qwen2": Architecture("Qwen2Config", "Qwen2ForCausalLM", _LLAMA, biased=True),
    "qwen3": Architecture("Qwen3Config", "Qwen3ForCausalLM", {**_LLAMA, **_HEAD_NORMS}),
    "gemma3": Architecture("Gemma3TextConfig", "Gemma3ForCausalLM", _GEMMA3, shift=1.0),
}
_OUTSIDE = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
FREQUENCY_FACTORS = "rope_freqs.weight"  # what each rotary frequency is divided by (Llama 3.1)


def parameter_name(tensor: str, names: Mapping[str, str]) -> str | None:
    """The transformers name of a tensor; None for one that has none."""
    if tensor in _OUTSIDE:
        return _OUTSIDE[tensor]
    parts = tensor.split(".")
    if len(parts) != 4 or parts[0] != "blk" or parts[2] not in names:
        return None
    return f"model.layers.{parts[1]}.{names[parts[2]]}.{parts[3]}"


def config_fields(keys: Mapping[str, Any], architecture: str, rows: int, tied: bool) -> dict[str, Any]:
    """The fields of the transformers config that the keys of a file give; KeyError names a key that is missing."""

    def key(name: str) -> Any:
        return keys[f"{architecture}.{name}"]

    def maybe(name: str, default: Any) -> Any:
        return keys.get(f"{architecture}.{name}", default)

    width, heads = int(key("embedding_length")), int(key("attention.head_count"))
    head = int(maybe("attention.key_length", width // heads))
    fields: dict[str, Any] = {
        "vocab_size": rows,
        "hidden_size": width,
        "num_hidden_layers": int(key("block_count")),
        "intermediate_size": int(key("feed_forward_length")),
        "num_attention_heads": heads,
        "num_key_value_heads": int(maybe("attention.head_count_kv", heads)),
        "head_dim": head,
        "rms_norm_eps": float(key("attention.layer_norm_rms_epsilon")),
        "max_position_embeddings": int(key("context_length")),
        "tie_word_embeddings": tied,
        "bos_token_id": keys.get("tokenizer.ggml.bos_token_id"),
        "eos_token_id": keys.get("tokenizer.ggml.eos_token_id"),
    }
    rope = _rope(maybe("rope.freq_base", None), maybe("rope.scaling.type", "none"), maybe("rope.scaling.factor", 1.0))
    if architecture == "gemma3":
        rope = {"full_attention": {"rope_theta": 1_000_000.0, **rope}, "sliding_attention": _rope(10_000.0)}
        fields |= {"query_pre_attn_scalar": head, "sliding_window": int(key("attention.sliding_window"))}
    elif "rope_theta" not in rope:
        rope["rope_theta"] = 10_000.0
    return {**fields, "rope_parameters": rope}


def _rope(base: float | None, kind: str = "none", factor: float = 1.0) -> dict[str, Any]:
    found: dict[str, Any] = {"rope_type": "default"} if base is None else {"rope_type": "default", "rope_theta": base}
    return {**found, "rope_type": "linear", "factor": float(factor)} if kind == "linear" else found
