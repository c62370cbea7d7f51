"""A GGUF file as a transformers model, its weights decoded by our own reader: seconds where the other way takes minutes.

llama.cpp reorders the rows of q and k for its rotary embedding (undone here), stores Gemma's norms with 1 added (taken
off), and keeps neither √d nor the rotary tables (made anew). The result is bit-equal to transformers' own loader,
which a slow test holds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from armillary.errors import MissingExtra, UnreadableError
from armillary.formats.gguf import GGUFFile
from armillary.lens.backend import quiet, torch, transformers
from armillary.lens.gguf_names import ARCHITECTURES, FREQUENCY_FACTORS, Architecture, config_fields, parameter_name
from armillary.shapes import Float32


def network_of_gguf(file: GGUFFile) -> Any:
    """The causal model of a file in float32; other architectures than ours go through transformers' own loader.

    UnreadableError for a file that holds no model, or one that neither can build.
    """
    if "token_embd.weight" not in file.tensors or not any(name.startswith("blk.") for name in file.tensors):
        raise UnreadableError(
            f"expected a model that can run in {file.paths[0].name}, found {len(file.tensors):,} tensors and no layers",
            "name a whole model; this file is a table or a vocabulary",
        )
    architecture = ARCHITECTURES.get(file.architecture)
    if architecture is None or not is_plain(file, architecture):
        return _by_transformers(file.paths[0])
    return _by_state(file, architecture)


def is_plain(file: GGUFFile, architecture: Architecture) -> bool:
    """Whether the file holds nothing that our mapping does not know: experts, odd rotary scalings, extra tensors."""
    keys, name = file.keys, file.architecture
    known = all(parameter_name(t, architecture.names) or t == FREQUENCY_FACTORS for t in file.tensors)
    single = all(
        isinstance(keys.get(f"{name}.attention.{k}", 1), int | np.integer) for k in ("head_count", "head_count_kv")
    )
    scaling = keys.get(f"{name}.rope.scaling.type", "none") in ("none", "linear")
    biases = architecture.biased or not any(tensor.endswith(".bias") for tensor in file.tensors)
    return known and single and scaling and biases and not keys.get(f"{name}.expert_count")


def _by_state(file: GGUFFile, architecture: Architecture) -> Any:
    library = transformers()
    tied = "output.weight" not in file.tensors
    try:
        fields = config_fields(file.keys, file.architecture, file.info("token_embd.weight").shape[0], tied)
        config = getattr(library, architecture.config)(**fields)
    except (KeyError, ValueError, TypeError) as error:
        raise UnreadableError(
            f"{file.paths[0].name}: expected the sizes of the model in its keys, found {error}"
        ) from error
    with torch().device("meta"), quiet():
        network = getattr(library, architecture.model)(config)
    state = {
        parameter_name(name, architecture.names): torch().from_numpy(_weight(file, name, architecture, config))
        for name in file.tensors
        if name != FREQUENCY_FACTORS
    }
    _load(network, state, file)
    network.tie_weights()
    _make_buffers(network, file)
    return network.eval()


def _weight(file: GGUFFile, name: str, architecture: Architecture, config: Any) -> Float32[np.ndarray, "..."]:
    values = file.tensor(name)
    if architecture.permuted and name.split(".")[-2] in ("attn_q", "attn_k"):
        heads = config.num_attention_heads if ".attn_q." in name else config.num_key_value_heads
        return unpermuted(values, heads)
    if architecture.shift and name.endswith("norm.weight"):
        values -= np.float32(architecture.shift)
    return values


def unpermuted(values: Float32[np.ndarray, "rows ..."], heads: int) -> Float32[np.ndarray, "rows ..."]:
    """Rows of q or k from llama.cpp's order (pairs side by side) to the model's (first halves, then second halves)."""
    pairs = values.reshape(heads, values.shape[0] // heads // 2, 2, *values.shape[1:])
    return np.ascontiguousarray(pairs.swapaxes(1, 2)).reshape(values.shape)


def _load(network: Any, state: dict[Any, Any], file: GGUFFile) -> None:
    """Give the network its weights without a copy; UnreadableError for what is missing or of another shape."""
    try:
        result = network.load_state_dict(state, strict=False, assign=True)
    except RuntimeError as error:  # shapes that contradict the keys
        raise UnreadableError(f"{file.paths[0].name}: {str(error).splitlines()[-1].strip()}") from error
    missing = [name for name in result.missing_keys if name != "lm_head.weight" or "output.weight" in file.tensors]
    if missing or result.unexpected_keys:
        odd = (missing or result.unexpected_keys)[0]
        raise UnreadableError(
            f"{file.paths[0].name}: expected all weights of the model, found {odd} missing or unknown"
        )


def _make_buffers(network: Any, file: GGUFFile) -> None:
    """The tables that no file holds: rotary frequencies (with the file's factors, if any) and Gemma's √d."""
    body = network.model
    body.rotary_emb = type(body.rotary_emb)(network.config)
    if FREQUENCY_FACTORS in file.tensors:
        body.rotary_emb.inv_freq /= torch().from_numpy(file.tensor(FREQUENCY_FACTORS))
    scale = getattr(body.embed_tokens, "scalar_embed_scale", None)
    if scale is not None:
        body.embed_tokens.embed_scale = torch().tensor(scale)


def _by_transformers(path: Path) -> Any:
    library = transformers()
    try:
        with quiet():
            return library.AutoModelForCausalLM.from_pretrained(
                path.parent, gguf_file=path.name, dtype=torch().float32, local_files_only=True
            ).eval()
    except (ValueError, KeyError, NotImplementedError, OSError, RuntimeError, ImportError) as error:
        if "pip install" in str(error):  # a package that only this loader needs
            raise MissingExtra(f"opening {path.name} through transformers", "lens") from error
        raise UnreadableError(
            f"expected a model that can run in {path.name}, found {' '.join(str(error).split())[:160]}",
            f"architectures read here: {', '.join(ARCHITECTURES)}; transformers reads a few more",
        ) from error
