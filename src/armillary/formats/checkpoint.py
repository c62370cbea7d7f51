"""A checkpoint (safetensors or PyTorch), in one file or in shards: which tensor lies where, and which file is not there.

Headers only. A shard that is absent or broken matters only if the table lies in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from armillary.errors import UnreadableError
from armillary.formats import pytorch
from armillary.formats.layouts import match_name
from armillary.formats.numbers import FLOATS
from armillary.formats.refusals import named_refusal
from armillary.formats.safetensors_header import Entry, read_header
from armillary.storage import is_file

_LARGEST_INDEX = 200_000_000  # bytes


@dataclass(frozen=True)
class Checkpoint:
    """Tensors by name with the file of each.

    `promised`: tensors that the index places in a shard, by name. `broken`: shards named by the index that are
    absent or unreadable, with the error. `claims`: the index's own metadata. `factors`: for tensors whose rows are
    stored as integers, where the one factor of each row lies.
    """

    folder: Path
    tensors: Mapping[str, tuple[Path, Entry]]
    files: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    promised: Mapping[str, str] = field(default_factory=dict)
    broken: Mapping[str, UnreadableError] = field(default_factory=dict)
    claims: Mapping[str, Any] = field(default_factory=dict)
    index: str = ""
    factors: Mapping[str, tuple[Path, Entry]] = field(default_factory=dict)

    @property
    def entries(self) -> list[Entry]:
        """All tensors whose header was read."""
        return [entry for _, entry in self.tensors.values()]

    def _apart(self, repeated: str) -> list[Entry]:
        """One tensor for each place: PyTorch names tied weights twice and stores them once."""
        kept = [place for name, place in self.tensors.items() if name != repeated]
        return list({(path, e.begin, e.end): e for path, e in kept}.values())

    def parameters(self, repeated: str = "") -> tuple[int | None, str]:
        """How many parameters the model has, and a note; None where not all of it is here or can be counted.

        `repeated` names a tensor that holds another's numbers once more: it is not counted.
        """
        if self.broken:
            claim = self.claims.get("total_parameters")
            if type(claim) is int and claim > 0:
                return claim, "the count of parameters is the index's claim: not all shards are here"
            return None, "the parameters cannot be counted: not all shards are here"
        apart = self._apart(repeated)
        floats = [e for e in apart if e.stored in FLOATS]
        packed = sum(e.end - e.begin for e in apart if e.stored not in FLOATS)
        if packed > 0.01 * sum(e.end - e.begin for e in apart):
            return None, f"the parameters cannot be counted: {packed:,} bytes of the model are packed integers"
        return sum(e.count for e in floats), ""

    def require(self, names: tuple[str, ...], wanted: str | None) -> None:
        """UnreadableError where the table is promised by the index and not there: absent shard, or one that lacks it."""
        missing = [name for name in self.promised if name not in self.tensors]
        if wanted is not None:
            if wanted in missing:
                self._refuse(wanted)
            return
        best = min((_rank(name, names) for name in self.tensors), default=(9, 0))
        lost = min(((_rank(name, names), name) for name in missing), default=None)
        if lost is not None and lost[0][0] <= 1 and lost[0] < best:
            self._refuse(lost[1])

    def _refuse(self, name: str) -> None:
        shard = self.promised[name]
        if shard in self.broken:
            raise self.broken[shard]
        raise UnreadableError(
            f"expected {name} in {shard}, as {self.index} says; the shard lacks it", "download both files again"
        )


def _rank(name: str, names: tuple[str, ...]) -> tuple[int, int]:
    match, order = match_name(name, names)
    return {"known": 0, "known-elsewhere": 1}.get(match, 9), order


def single_file(path: Path, name: str) -> Checkpoint:
    """A checkpoint of one file."""
    return Checkpoint(path.parent, {key: (path, e) for key, e in read_tensors(path, name).items()}, (path.name,))


def read_tensors(path: Path, name: str) -> dict[str, Entry]:
    """Every tensor of a file and where it lies; what the file begins with says which of the two kinds it is."""
    with path.open("rb") as file:
        head = file.read(4096)
    if pytorch.is_checkpoint(head):
        return pytorch.read_tensors(path, name)
    if refused := named_refusal(head):
        raise UnreadableError(f"expected safetensors or a PyTorch checkpoint, found {refused[0]}: {name}", refused[1])
    return read_header(path, name).tensors


def from_index(path: Path, entries: Iterable[str]) -> Checkpoint:
    """A checkpoint of shards, by its index. `entries` are the files beside it: strays are listed, not merged."""
    promised, claims = _read_index(path)
    tensors: dict[str, tuple[Path, Entry]] = {}
    broken: dict[str, UnreadableError] = {}
    shards = sorted(set(promised.values()))
    for shard in shards:
        file = path.parent / shard
        try:
            found = read_tensors(file, str(file)) if is_file(file) else _absent(shard, path)
        except UnreadableError as error:
            broken[shard] = error
            continue
        tensors |= {key: (file, e) for key, e in found.items() if promised.get(key) == shard}
    strays = tuple(sorted(n for n in entries if n.endswith((".safetensors", ".bin")) and n not in shards))
    files = (path.name, *(s for s in shards if s not in broken))
    return Checkpoint(path.parent, tensors, files, strays, promised, broken, claims, path.name)


def _absent(shard: str, index: Path) -> Any:
    raise UnreadableError(
        f"expected the shard {shard or repr(shard)} beside {index.name}, as the index says; it is absent",
        f"download {shard}" if shard else f"download {index.name} again",
    )


def _read_index(path: Path) -> tuple[dict[str, str], dict[str, Any]]:
    problem = "its index is no JSON"
    try:
        if path.stat().st_size > _LARGEST_INDEX:
            problem = "its index is too large to be one"
            raise ValueError
        fields = json.loads(path.read_bytes())
        problem = "its index has no weight_map from tensor names to file names"
        weights = fields["weight_map"]
        if not all(isinstance(k, str) and isinstance(v, str) for k, v in weights.items()):
            raise ValueError
        problem = "its index names a shard outside its folder"
        if any(Path(v).name != v or v in (".", "..") or "\\" in v or "\0" in v for v in weights.values()):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableError(f"{path} cannot be used: {problem}", "download it again") from error
    claims = fields.get("metadata")
    return weights, claims if isinstance(claims, dict) else {}
