"""`hf:owner/name[/file][@revision]`: the table of a model on the hub, without the model.

Config, tokenizer and index are downloaded; of the weights the head of the one file and the bytes of the one table.
They are laid into a folder of the cache as the hub has it, the weights as a file with holes, and that is opened like
any other. What is there already is not asked for again, and opens with the network off; so does what the hub's own
cache holds whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from armillary.errors import UsageError, WorkError
from armillary.formats.hub_cache import cached_model
from armillary.formats.hub_ranges import explained
from armillary.formats.hub_remote import Progress, Remote, endpoint
from armillary.formats.hub_table import bring_table, choose_weights
from armillary.formats.source import Role
from armillary.storage import atomic_path, cache_directory

_NAME = re.compile(r"hf:([A-Za-z0-9][\w.-]*/[\w.-]+)((?:/[\w.-]+)*)(?:@([\w./-]+))?")
_SMALL = ("config.json", "tokenizer.json", "vocab.txt", "vocab.json", "merges.txt", "tokenizer.model",
          "sentencepiece.bpe.model", "spiece.model", "tokenizer_config.json")  # fmt: skip
_TIMEOUT = 20  # seconds


def is_hub_name(model: str) -> bool:
    """Whether a MODEL argument names a model on the hub."""
    return model.startswith("hf:")


@dataclass(frozen=True)
class HubName:
    """A name taken apart. `file` is empty where the model is to be looked through."""

    repository: str
    file: str
    revision: str

    def mark(self, tensor: str | None, role: Role) -> str:
        """The name of the file that says that a table is whole."""
        return f".complete-{self.file}-{tensor or role}".replace("/", "--")[:200]


def hub_name(model: str) -> HubName:
    """The parts of a name. UsageError for a name of another form."""
    match = _NAME.fullmatch(model)
    if not match or {".", ".."} & set(model[3:].split("/")):
        raise UsageError(f"expected hf:owner/name[@revision], found {model}", "hf:HuggingFaceTB/SmolLM2-135M")
    return HubName(match[1], match[2].strip("/"), match[3] or "main")


def bring(model: str, *, tensor: str | None = None, role: Role = "input", progress: Progress | None = None) -> Path:
    """What to open for a model on the hub: a folder in the cache or a file in it; what is missing of it is brought.

    UsageError for a name of another form, or a choice of files; UnreadableError for a model, revision or table that
    is not there, or a gated model; WorkError when the network fails, and what was brought so far is kept.
    """
    name = hub_name(model)
    root = cache_directory("hub", name.repository.replace("/", "--"))
    done = _finished(root, name, tensor, role)
    if done is not None and (_offline() or done.parent.name == name.revision or done.name == name.revision):
        return done
    if _offline():  # asked before the hub's library is loaded, which takes half a second
        if kept := cached_model(name.repository, name.revision, name.file):
            return kept
        raise WorkError(f"{model} is not in the cache, and HF_HUB_OFFLINE is set", "unset it once")
    try:
        with explained(model):
            return _brought(name, root, tensor, role, progress)
    except WorkError:
        if done is not None:  # the network is gone, the table is not
            return done
        if kept := cached_model(name.repository, name.revision, name.file):
            return kept
        raise


def _brought(name: HubName, root: Path, tensor: str | None, role: Role, progress: Progress | None) -> Path:
    from huggingface_hub import HfApi

    info = HfApi(endpoint=endpoint()).model_info(name.repository, revision=name.revision, timeout=_TIMEOUT)
    commit = info.sha or name.revision
    if kept := cached_model(name.repository, commit, name.file):
        return kept
    folder = root / commit
    folder.mkdir(exist_ok=True)
    mark = folder / name.mark(tensor, role)
    if not mark.is_file():
        names = (sibling.rfilename for sibling in info.siblings or ())
        remote = Remote(name.repository, commit, folder, frozenset(filter(_stays_inside, names)))
        weights = choose_weights(remote, name.file)
        for file in (*_SMALL, *([weights.index] if weights.index else [])):
            if file in remote.files:
                remote.whole(file)
        bring_table(remote, weights, tensor, role, progress)
        mark.write_text(weights.opens)
    with atomic_path(root / f"ref-{name.revision.replace('/', '--')}") as temporary:
        temporary.write_text(commit)
    return folder / mark.read_text()


def _stays_inside(file: str) -> bool:
    """Whether a name that the hub gives is one below the folder it is laid into."""
    return not {"", ".", ".."} & set(file.split("/")) and "\\" not in file and "\0" not in file


def _finished(root: Path, name: HubName, tensor: str | None, role: Role) -> Path | None:
    ref = root / f"ref-{name.revision.replace('/', '--')}"
    folder = root / (ref.read_text().strip() if ref.is_file() else name.revision)
    mark = folder / name.mark(tensor, role)
    return folder / mark.read_text() if mark.is_file() else None


def _offline() -> bool:
    from huggingface_hub import constants

    return constants.is_offline_mode()
