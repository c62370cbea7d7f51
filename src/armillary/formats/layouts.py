"""Known layouts as data: how models name their tables, how they scale a looked-up row, who has an output table.

GGUF and safetensors read the same lists. A name is matched from its end, so that every prefix (`model.`,
`model.language_model.`, `bert.` …) is covered; the prefixes listed are those of a language model's own table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Literal

PREFIXES = (
    "",
    "model.",
    "transformer.",
    "model.language_model.",
    "language_model.model.",
    "language_model.",
    "model.text_model.",
    "text_model.",
    "model.decoder.",
    "model.model.",
    "base_model.model.model.",
    "decoder.",
    "encoder.",
    "bert.",
    "roberta.",
    "distilbert.",
    "electra.",
    "albert.",
    "deberta.",
    "mpnet.",
    "gpt_neox.",
    "backbone.",
    "model.backbone.",
    "0.auto_model.",
    "auto_model.",
    "model.0.auto_model.",
    "_orig_mod.",
)

INPUT_NAMES = (
    "embed_tokens.weight",
    "wte.weight",
    "token_embd.weight",
    "embeddings.word_embeddings.weight",
    "word_embeddings.weight",
    "tok_embeddings.weight",
    "embed_in.weight",
    "shared.weight",
    "embedding.word_embeddings.weight",
    "word_embedding.weight",
    "embeddings.token_embedding.weight",
    "token_embedding.weight",
    "token_embeddings.weight",
    "embeddings.weight",
    "embedding.weight",
    "embed.weight",
    "tok_embedding.weight",
    "emb.word",
    "dec_emb",
    "E",
    "embeddings",
    "embedding",
    "vectors",
)

OUTPUT_NAMES = (
    "lm_head.weight",
    "output.weight",
    "embed_out.weight",
    "cls.predictions.decoder.weight",
    "lm_head.decoder.weight",
    "output_layer.weight",
    "head.weight",
    "fc_out.weight",
    "fc_w",
    "syn1neg",
)

# biases of one number a token, added to the scores that the output table gives
OUTPUT_BIASES = (
    "lm_head.bias",
    "output.bias",
    "embed_out.bias",
    "cls.predictions.bias",
    "cls.predictions.decoder.bias",
    "lm_head.decoder.bias",
    "vocab_projector.bias",
    "output_layer.bias",
    "fc_b",
)

# tables that are not of tokens, though their names say "embed"
_NOT_TOKENS = re.compile(
    r"position|wpe\b|pos_emb|token_type|segment|patch|vision|visual|image|audio|relative|rotary|rope|time|per_layer"
    r"|norm|\bbias\b|language_embed|lora_",
)

Match = Literal["known", "known-elsewhere", "hint", "none", "other"]


def match_name(name: str, names: tuple[str, ...] = INPUT_NAMES) -> tuple[Match, int]:
    """How well a tensor's name says that it is the table, and the order of the name in its list.

    `known`: a known name under a known prefix; `known-elsewhere`: under another prefix; `hint`: it says "embed";
    `other`: it names something else (positions, patches); `none`: it says nothing.
    """
    for order, known in enumerate(names):
        if name == known or name.endswith("." + known):
            prefix = name.removesuffix(known)
            if prefix in PREFIXES:
                return "known", order
            if not _NOT_TOKENS.search(name):
                return "known-elsewhere", order
    if _NOT_TOKENS.search(name):
        return "other", 0
    return ("hint", 0) if re.search(r"emb(ed|d|\b)|wte|vectors|lookup", name) else ("none", 0)


# √d, or the configuration key that holds the factor. Names are `model_type` of a config and architectures of GGUF.
_ROOT_OF_WIDTH = re.compile(r"(embedding_|diffusion_|embedding-|recurrent_|recurrent|vault|t5)?gemma", re.IGNORECASE)
_ROOT_OF_WIDTH_NAMES = frozenset({"ctrl"})
_ROOT_IF_CONFIGURED = "scale_embedding"  # BART and its family: √d where this key is true
_FACTOR_KEYS = ("embedding_multiplier", "scale_emb", "embedding_multiplier_scale", "embedding_scale")


def embedding_scale(architecture: str, width: int, settings: Mapping[str, Any] | None = None) -> float:
    """The factor that a model multiplies a row by on look-up: √d for Gemma, a configured one, else 1.

    `settings` are the keys of config.json, or those of GGUF without their architecture's prefix.
    """
    settings = settings or {}
    if _ROOT_OF_WIDTH.match(architecture) or architecture in _ROOT_OF_WIDTH_NAMES:
        return math.sqrt(width)
    if settings.get(_ROOT_IF_CONFIGURED) is True:
        return math.sqrt(width)
    for key in _FACTOR_KEYS:
        value = settings.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value > 0:
            return float(value)
    return 1.0


_OUTPUT_CLASSES = re.compile(r"ForCausalLM|LMHead|ForMaskedLM|ForPreTraining|ForConditionalGeneration")


def has_output_table(architectures: list[str]) -> bool:
    """Whether classes of this name read a distribution over tokens off an output table."""
    return any(_OUTPUT_CLASSES.search(name) for name in architectures)
