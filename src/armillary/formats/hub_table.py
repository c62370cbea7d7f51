"""Which files of a model on the hub hold its table, and the bytes of that table brought into their place."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from armillary.errors import UnreadableError, UsageError
from armillary.formats.choice import choose_table
from armillary.formats.config import read_config
from armillary.formats.hub_remote import Progress, Remote
from armillary.formats.hub_weights import entries, settled
from armillary.formats.layouts import INPUT_NAMES, OUTPUT_NAMES, match_name
from armillary.formats.model2vec import MAPPING, ROWS, WEIGHTS
from armillary.formats.safetensors_header import Entry
from armillary.formats.source import Role

_KINDS = (("model.safetensors", "model.safetensors.index.json"), ("pytorch_model.bin", "pytorch_model.bin.index.json"))
_PART = re.compile(r"(.*)-\d{5}-of-(\d{5})\.gguf")
_SAMPLE = 64 << 10  # bytes by which two stored tables are told apart


@dataclass(frozen=True)
class Weights:
    """`files` of weights, or the `index` that names them; `opens` is what is opened of the folder, all of it if empty."""

    files: tuple[str, ...] = ()
    index: str = ""
    opens: str = ""


def choose_weights(remote: Remote, file: str) -> Weights:
    """The weights of a model: the file that is named, else safetensors, PyTorch's, or the one GGUF file there is.

    UsageError lists the files where there is a choice; UnreadableError where there are no weights.
    """
    if file:
        if file not in remote.files:
            raise UnreadableError(f"expected {file} in {remote}, found none", f"there are {_listed(remote.files)}")
        return Weights(_parts(remote, file), opens=file)
    for whole, index in _KINDS:
        if whole in remote.files:
            return Weights((whole,))
        if index in remote.files:
            return Weights(index=index)
    models = sorted(
        f for f in remote.files if f.endswith(".gguf") and not re.search(r"-0000[2-9]-of|-000[1-9]\d-of", f)
    )
    if len(models) == 1:
        return Weights(_parts(remote, models[0]), opens=models[0])
    if models:
        raise UsageError(
            f"{remote} holds {len(models)} GGUF files: {_listed(models)}", f"name one: {remote}/{models[0]}"
        )
    found = _listed(f for f in remote.files if f.endswith((".safetensors", ".bin", ".pt", ".onnx", ".h5", ".msgpack")))
    raise UnreadableError(
        f"expected model.safetensors, pytorch_model.bin or a GGUF file in {remote}, found {found or 'no weights'}",
        f"name a file: {remote}/FILE",
    )


def _listed(files: object) -> str:
    names = sorted(files)  # pyright: ignore[reportArgumentType]  # an iterable of names
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _parts(remote: Remote, file: str) -> tuple[str, ...]:
    """All parts of a split GGUF file."""
    match = _PART.fullmatch(file)
    if match is None:
        return (file,)
    return tuple(f"{match[1]}-{i:05}-of-{match[2]}.gguf" for i in range(1, int(match[2]) + 1))


def bring_table(remote: Remote, weights: Weights, tensor: str | None, role: Role, progress: Progress | None) -> None:
    """Bring the head of the files that matter and the bytes of the one table."""
    promised = _promised(remote, weights.index)
    files = _wanted(promised, tensor, role) or set(promised.values()) or set(weights.files)
    found = {name: (file, e) for file in sorted(files) for name, e in entries(remote, file).items()}
    config = read_config(remote.folder)
    choice = choose_table(
        [e for _, e in found.values()], str(remote), tensor, role, config.vocabulary_size, weights.index
    )
    _fill(remote, *found[choice.table.name], progress)
    if choice.table.name == ROWS:
        for name in {MAPPING, WEIGHTS} & set(found):
            _fill(remote, *found[name])
    if choice.input and choice.output and choice.input.shape == choice.output.shape and tensor is None:
        _tell_apart(remote, found[choice.input.name], found[choice.output.name])


def _promised(remote: Remote, index: str) -> Mapping[str, str]:
    """Which shard holds which tensor; empty for a model without an index."""
    if not index:
        return {}
    try:
        weights = json.loads((remote.folder / index).read_bytes())["weight_map"]
        if not all(isinstance(v, str) and Path(v).name == v and v in remote.files for v in weights.values()):
            raise ValueError
        return weights
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableError(
            f"the index of {remote} names files that are not there",
            "the model's page shows its files; name one as hf:owner/name/FILE",
        ) from error


def _wanted(promised: Mapping[str, str], tensor: str | None, role: Role) -> set[str]:
    """The shards of the table and of its counterpart, by the names in the index."""
    ends = [_best(promised, names) for names in (INPUT_NAMES, OUTPUT_NAMES)]
    table = tensor or ends[role == "output"] or ends[role == "input"]
    return {promised[name] for name in (table, ends[1]) if name in promised} if table in promised else set()


def _best(promised: Mapping[str, str], names: tuple[str, ...]) -> str:
    ranked = sorted((match_name(name, names), name) for name in promised if match_name(name, names)[0] == "known")
    return ranked[0][1] if ranked else ""


def _fill(remote: Remote, file: str, entry: Entry, progress: Progress | None = None) -> None:
    entry = settled(remote, file, entry)
    remote.lay(file, entry.begin, entry.end, progress)


def _tell_apart(remote: Remote, *tables: tuple[str, Entry]) -> None:
    """Bring as much of both tables as shows that they differ: a sample, or all where the sample is the same."""
    placed = [(file, settled(remote, file, entry)) for file, entry in tables]
    for file, entry in placed:
        remote.lay(file, entry.begin, min(entry.end, entry.begin + _SAMPLE))
    first, second = (remote.read(file, e.begin, min(e.end, e.begin + _SAMPLE)) for file, e in placed)
    if first == second:
        for file, entry in placed:
            remote.lay(file, entry.begin, entry.end)
