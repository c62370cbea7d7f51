"""`hf:owner/name[@revision]`: the table of a model on the hub, without the model.

Config, tokenizer and index are downloaded; of the weights the header of the one shard and the bytes of the one table.
They are laid into a folder of the cache as the hub has it, the shard as a file with holes, and that folder is opened like
any other. What is there already is not asked for again, and opens with the network off.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armillary.errors import UnreadableError, UsageError, WorkError
from armillary.formats.choice import choose_table
from armillary.formats.config import read_config
from armillary.formats.hub_ranges import explained, fetch_range
from armillary.formats.layouts import INPUT_NAMES, OUTPUT_NAMES, match_name
from armillary.formats.safetensors_header import LARGEST_HEADER, Entry, parse_header
from armillary.formats.source import Role
from armillary.storage import atomic_path, cache_directory

Progress = Callable[[int, int], None]
_NAME = re.compile(r"hf:([A-Za-z0-9][\w.-]*/[\w.-]+)(?:@([\w./-]+))?")
_SMALL = ("config.json", "tokenizer.json", "vocab.txt", "vocab.json", "merges.txt", "tokenizer.model",
          "sentencepiece.bpe.model", "spiece.model", "tokenizer_config.json")  # fmt: skip
_WEIGHTS, _INDEX = "model.safetensors", "model.safetensors.index.json"
_FIRST = 256 << 10  # bytes of a shard asked for first: most headers are shorter
_SAMPLE = 64 << 10  # bytes by which two stored tables are told apart


def is_hub_name(model: str) -> bool:
    """Whether a MODEL argument names a model on the hub."""
    return model.startswith("hf:")


def bring(model: str, *, tensor: str | None = None, role: Role = "input", progress: Progress | None = None) -> Path:
    """The folder in the cache that holds the table of a model on the hub; what is missing of it is brought.

    UsageError for a name of another form; UnreadableError for a model, revision or table that is not there, or a
    gated model; WorkError when the network fails, and what was brought so far is kept.
    """
    match = _NAME.fullmatch(model)
    if not match:
        raise UsageError(f"expected hf:owner/name[@revision], found {model}", "hf:HuggingFaceTB/SmolLM2-135M")
    repository, revision = match[1], match[2] or "main"
    root = cache_directory("hub", repository.replace("/", "--"))
    done = _finished(root, revision, tensor, role)
    if done is not None and (_offline() or done.name == revision):
        return done
    try:
        with explained(model):
            return _brought(repository, revision, root, tensor, role, progress)
    except WorkError:
        if done is not None:  # the network is gone, the table is not
            return done
        raise


def _brought(
    repository: str, revision: str, root: Path, tensor: str | None, role: Role, progress: Progress | None
) -> Path:
    from huggingface_hub import HfApi, hf_hub_download

    info = HfApi(endpoint=_endpoint()).model_info(repository, revision=revision, timeout=20)
    commit = info.sha or revision
    files = {sibling.rfilename for sibling in info.siblings or ()}
    folder = root / commit
    folder.mkdir(exist_ok=True)
    if not (folder / _mark(tensor, role)).is_file():
        for name in (*_SMALL, *([] if _WEIGHTS in files else [_INDEX])):
            if name in files and not (folder / name).is_file():
                hf_hub_download(repository, name, revision=commit, local_dir=folder, endpoint=_endpoint())
        _bring_table(_Model(repository, commit, folder, files), tensor, role, progress)
        (folder / _mark(tensor, role)).touch()
    with atomic_path(root / f"ref-{revision.replace('/', '--')}") as temporary:
        temporary.write_text(commit)
    return folder


def _mark(tensor: str | None, role: Role) -> str:
    return f".complete-{(tensor or role).replace('/', '--')[:100]}"


def _finished(root: Path, revision: str, tensor: str | None, role: Role) -> Path | None:
    ref = root / f"ref-{revision.replace('/', '--')}"
    folder = root / (ref.read_text().strip() if ref.is_file() else revision)
    return folder if (folder / _mark(tensor, role)).is_file() else None


def _offline() -> bool:
    from huggingface_hub import constants

    return constants.is_offline_mode()


def _endpoint() -> str | None:
    return os.environ.get("HF_ENDPOINT") or None


@dataclass(frozen=True)
class _Model:
    repository: str
    commit: str
    folder: Path
    files: set[str]

    def url(self, file: str) -> str:
        from huggingface_hub import hf_hub_url

        return hf_hub_url(self.repository, file, revision=self.commit, endpoint=_endpoint())


def _bring_table(model: _Model, tensor: str | None, role: Role, progress: Progress | None) -> None:
    promised = _promised(model)
    names = INPUT_NAMES if role == "input" else OUTPUT_NAMES
    wanted = tensor or _best(promised, names) or _best(promised, OUTPUT_NAMES if role == "input" else INPUT_NAMES)
    shards = {promised[wanted]} if wanted in promised else set(promised.values()) if promised else {_WEIGHTS}
    other = _best(promised, OUTPUT_NAMES)
    headers = {shard: _header(model, shard) for shard in sorted(shards | ({promised[other]} if other else set()))}
    entries = {name: (shard, e) for shard, found in headers.items() for name, e in found.items()}
    config = read_config(model.folder)
    choice = choose_table(
        [e for _, e in entries.values()], f"hf:{model.repository}", tensor, role, config.vocabulary_size, _INDEX
    )
    _fill(model, *entries[choice.table.name], progress)
    if choice.input and choice.output and choice.input.shape == choice.output.shape and tensor is None:
        _tell_apart(model, entries[choice.input.name], entries[choice.output.name], progress)


def _promised(model: _Model) -> Mapping[str, str]:
    """Which shard holds which tensor; empty for a model in one file."""
    if _WEIGHTS in model.files:
        return {}
    if _INDEX not in model.files:
        found = ", ".join(sorted(f for f in model.files if f.endswith((".bin", ".gguf", ".pt", ".onnx")))[:4])
        raise UnreadableError(
            f"expected safetensors in hf:{model.repository}, found {found or 'no weights'}",
            "download the file and give its path",
        )
    try:
        weights = json.loads((model.folder / _INDEX).read_bytes())["weight_map"]
        if not all(isinstance(v, str) and Path(v).name == v and v in model.files for v in weights.values()):
            raise ValueError
        return weights
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableError(f"the index of hf:{model.repository} names files that are not there") from error


def _best(promised: Mapping[str, str], names: tuple[str, ...]) -> str:
    ranked = sorted((match_name(name, names), name) for name in promised if match_name(name, names)[0] == "known")
    return ranked[0][1] if ranked else ""


def _header(model: _Model, shard: str) -> dict[str, Entry]:
    """The header of a shard, written into a file of the shard's size that holds nothing else yet."""
    path = model.folder / shard
    head = bytearray()
    size = fetch_range(model.url(shard), 0, _FIRST, head.extend)
    length = int.from_bytes(head[:8], "little")
    if length > min(LARGEST_HEADER, size - 8):
        raise UnreadableError(f"the header of {shard} claims {length:,} bytes of {size:,}")
    if 8 + length > len(head):
        fetch_range(model.url(shard), len(head), 8 + length, head.extend)
    tensors = parse_header(bytes(head[8 : 8 + length]), size, shard).tensors
    if not path.is_file() or path.stat().st_size != size:
        with atomic_path(path) as temporary, temporary.open("r+b") as file:
            file.write(head[: 8 + length])
            file.truncate(size)
    return tensors


def _fill(model: _Model, shard: str, entry: Entry, progress: Progress | None, most: int | None = None) -> None:
    """Lay the bytes of a tensor (at most the first `most`) into their place; taken up where an earlier run stopped."""
    end = entry.end if most is None else min(entry.end, entry.begin + most)
    reached = model.folder / f".{shard}-{entry.begin}"
    at = min(end, max(entry.begin, int(reached.read_text() or 0))) if reached.is_file() else entry.begin
    with (model.folder / shard).open("r+b") as file:
        file.seek(at)

        def sink(chunk: bytes) -> None:
            file.write(chunk)
            if progress is not None:
                progress(file.tell() - entry.begin, entry.end - entry.begin)

        try:
            if at < end:
                fetch_range(model.url(shard), at, end, sink)
        finally:
            file.flush()
            reached.write_text(str(file.tell()))


def _tell_apart(model: _Model, first: tuple[str, Entry], second: tuple[str, Entry], progress: Progress | None) -> None:
    """Bring as much of both tables as shows that they differ: a sample, or all where the sample is the same."""
    for shard, entry in (first, second):
        _fill(model, shard, entry, progress, _SAMPLE)
    if _sample(model, *first) == _sample(model, *second):
        for shard, entry in (first, second):
            _fill(model, shard, entry, progress)


def _sample(model: _Model, shard: str, entry: Entry) -> Any:
    with (model.folder / shard).open("rb") as file:
        file.seek(entry.begin)
        return file.read(min(_SAMPLE, entry.end - entry.begin))
