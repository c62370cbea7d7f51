"""What a study keeps in the user's cache: the facts of a table's rows, and finished scans.

A table's hash costs a pass over its rows, so it is remembered by the path, size, time of change and inode of the
files it was read from. A scan is remembered by the hash of the rows and everything that could change its answer.
Caches are only ever a faster way to the same answer: one that cannot be read is computed again.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from armillary.errors import ArmillaryError
from armillary.scan.result import Histogram, Moments, Pair, Scan
from armillary.storage import atomic_path, cache_directory
from armillary.study.files import files_read
from armillary.table import RowFacts, Table

FORMAT = 1  # of both caches; raised when what is stored changes

_log = logging.getLogger(__name__)


def facts_of(table: Table, path: Path | None, progress: Callable[[int, int], None] | None = None) -> RowFacts:
    """The row facts of a table that was opened at `path`, from the cache or by one pass; the table remembers them."""
    held = table.__dict__.get("row_facts")
    if held is not None:
        return held
    place = _facts_place(table, path) if path else None
    facts = _read(place, _load_facts) if place else None
    if facts is None or len(facts.norms) != len(table):
        facts = table.measure_rows(progress)
        if place:
            _write(place, _store_facts(facts))
    table.__dict__["row_facts"] = facts  # where the cached property would put it
    return facts


def scan_place(key: Mapping[str, Any]) -> Path:
    """Where the scan of these parameters is kept."""
    return cache_directory("scans") / f"{_digest(key)}.npz"


def read_scan(place: Path) -> Scan | None:
    """The scan kept there; None if there is none, or none that can be read."""
    return _read(place, _load_scan)


def write_scan(place: Path, scan: Scan) -> None:
    """Keep a finished scan, whole or not at all."""
    _write(place, _store_scan(scan))


@dataclass(frozen=True)
class StateFile:
    """What an unfinished scan has done, in the user's cache: what `armillary.scan` calls a keeper."""

    path: Path
    every: float = 15.0

    def read(self) -> Mapping[str, np.ndarray] | None:
        """The arrays kept last; None if there are none, or none that can be read."""
        return _read(self.path, lambda stored: {name: stored[name] for name in stored.files})

    def write(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep these arrays, whole or not at all."""
        _write(self.path, arrays)

    def clear(self) -> None:
        """Forget them: the scan is finished. What a killed process left half-written beside them goes too."""
        for left in (self.path, *self.path.parent.glob(f".{self.path.name}.*.part")):
            left.unlink(missing_ok=True)


def _facts_place(table: Table, path: Path) -> Path | None:
    """Where the facts of a table are kept; None where the files it was read from cannot be told."""
    paths = files_read(table, path)
    if not paths or not all(path.is_file() for path in paths):
        return None
    states = [(str(path.resolve()), (s := path.stat()).st_size, s.st_mtime_ns, s.st_ino) for path in paths]
    report = table.load_report
    key = {"files": states, "tensor": report.tensor, "stored": report.stored, "shape": table.shape, "format": FORMAT}
    return cache_directory("facts") / f"{_digest(key)}.npz"


def _digest(key: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:32]


def _read(place: Path, load: Callable[[Any], Any]) -> Any:
    try:
        with place.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return load(stored)
    except Exception:  # whatever a damaged archive makes the readers of zip, npy and JSON raise
        return None


def _write(place: Path, arrays: Mapping[str, Any]) -> None:
    try:
        with atomic_path(place) as temporary, temporary.open("wb") as file:
            np.savez(file, **arrays)
    except ArmillaryError as error:  # the answer is there; only the next one will take as long
        _log.warning("This answer is not kept in the cache: %s", error.message)


def _store_facts(facts: RowFacts) -> dict[str, Any]:
    groups = facts.equal_groups
    return {
        "zero": facts.zero,
        "non_finite": facts.non_finite,
        "members": np.array([i for group in groups for i in group], np.int64),
        "lengths": np.array([len(group) for group in groups], np.int64),
        "sha256": np.array(facts.sha256),
        "norms": facts.norms,
        "relative_loss": np.array(facts.relative_loss),
        "outside": facts.outside,
    }


def _load_facts(stored: Any) -> RowFacts:
    ends = np.cumsum(stored["lengths"])[:-1]
    groups = np.split(stored["members"], ends) if len(stored["lengths"]) else []
    return RowFacts(
        stored["zero"],
        stored["non_finite"],
        tuple(tuple(int(i) for i in group) for group in groups),
        str(stored["sha256"]),
        stored["norms"],
        float(stored["relative_loss"]),
        stored["outside"],
    )


_PARTS = {"closest": Pair, "farthest": Pair, "closest_distinct": Pair, "moments": Moments}


def _store_scan(scan: Scan) -> dict[str, Any]:
    arrays: dict[str, Any] = {}
    plain: dict[str, Any] = {}
    for field in fields(scan):
        value = getattr(scan, field.name)
        if isinstance(value, np.ndarray):
            arrays[field.name] = value
        elif field.name == "histogram":
            plain["histogram"] = value and {"pairs": value.pairs, "kind": value.kind}
            arrays["histogram_counts"] = value.counts if value else np.zeros(0, np.int64)
        else:
            plain[field.name] = asdict(value) if field.name in _PARTS and value else value
    return {**arrays, "plain": np.array(json.dumps(plain, default=lambda scalar: scalar.item()))}


def _load_scan(stored: Any) -> Scan:
    plain = json.loads(str(stored["plain"]))
    for name, kind in _PARTS.items():
        plain[name] = kind(**plain[name]) if plain[name] else None
    if plain["histogram"]:
        plain["histogram"] = Histogram(stored["histogram_counts"], **plain["histogram"])
    arrays = {name: stored[name] for name in stored.files if name not in ("plain", "histogram_counts")}
    return Scan(**arrays, **plain)


def facts_are_kept(table: Table, path: Path | None) -> bool:
    """Whether the row facts are in the cache, so that asking for them costs no pass over the rows."""
    place = _facts_place(table, path) if path is not None else None
    return place is not None and place.exists()
