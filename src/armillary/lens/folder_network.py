"""A Hugging Face folder as a transformers model: safetensors only, float32, and never a way to the network."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from armillary.errors import UnreadableError
from armillary.lens.backend import quiet, torch, transformers

# model types that read a whole text at once and have no next token
ENCODERS: frozenset[str] = frozenset(
    {
        "albert", "bert", "camembert", "deberta", "deberta-v2", "distilbert", "electra", "ernie", "modernbert", "mpnet",
        "nomic_bert", "roberta", "xlm-roberta",
    }
)  # fmt: skip
_SPARE = re.compile(r"pooler|position_ids")  # parts of an encoder that its states do not need


def network_of_folder(folder: Path) -> tuple[Any, bool]:
    """(model in float32, whether it is an encoder) of a folder with `config.json` and safetensors.

    UnreadableError for a folder without them, for an architecture that transformers does not know, and for a
    checkpoint that lacks weights (they would be random).
    """
    if not (folder / "config.json").is_file():
        raise UnreadableError(
            f"expected a model that can run in {folder}, found no config.json",
            "name the folder of a whole model, or a GGUF file; a table alone cannot run",
        )
    library = transformers()
    try:
        with quiet():
            config = library.AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
            if getattr(config, "is_encoder_decoder", False):
                raise UnreadableError(f"expected a decoder or an encoder in {folder}, found both ({config.model_type})")
            encoder = config.model_type in ENCODERS
            kind = library.AutoModel if encoder else library.AutoModelForCausalLM
            network, info = kind.from_pretrained(
                folder,
                config=config,
                dtype=torch().float32,
                local_files_only=True,
                use_safetensors=True,
                trust_remote_code=False,
                output_loading_info=True,
            )
    except (ValueError, KeyError, OSError, RuntimeError, ImportError) as error:
        raise UnreadableError(
            f"expected a model that transformers can run in {folder}, found: {' '.join(str(error).split())[:160]}",
            "a folder needs config.json and safetensors of a known architecture",
        ) from error
    missing = sorted(name for name in info["missing_keys"] if not (encoder and _SPARE.search(name)))
    if missing:
        raise UnreadableError(
            f"expected all weights of the model in {folder}, found {len(missing):,} missing, such as {missing[0]}"
        )
    return network.eval(), encoder
