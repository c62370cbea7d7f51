"""The cache of named tables: one folder an entry, with a record of what it was made from and what is in it.

A folder appears whole or not at all. Opening trusts names and sizes; fetching again checks the hashes.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from armillary.catalog.entry import Entry
from armillary.catalog.members import file_digest
from armillary.errors import WorkError
from armillary.storage import cache_directory

ROOM = "tables"  # the folder of the cache that this room owns
_RECORD = ".armillary.json"


def folder_of(entry: Entry) -> Path:
    """Where an entry lives in the cache, whether or not it is there."""
    return cache_directory(ROOM) / entry.name


def is_present(entry: Entry, check_hashes: bool = False) -> bool:
    """Whether an entry is in the cache, made from the pinned bytes, every file with the size (or hash) it had."""
    folder = folder_of(entry)
    try:
        record = json.loads((folder / _RECORD).read_text("utf-8"))
        if record["pins"] != entry.pins or not (folder / entry.file).exists():
            return False
        for name, facts in record["files"].items():
            path = folder / name
            if path.stat().st_size != facts["bytes"] or (check_hashes and file_digest(path) != facts["sha256"]):
                return False
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return True


@contextmanager
def new_folder(entry: Entry) -> Iterator[Path]:
    """A private folder that becomes the entry's, with its record, when the block ends well."""
    target = folder_of(entry)
    temporary = Path(tempfile.mkdtemp(prefix=f".{entry.name}.", suffix=".part", dir=target.parent))
    try:
        yield temporary
        _write_record(entry, temporary)
        temporary.chmod(0o755)
        _take_place(temporary, target)
    except OSError as error:
        raise WorkError(f"writing {target} failed: {error.strerror or error}", "is the disk full?") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _write_record(entry: Entry, folder: Path) -> None:
    files = {
        path.relative_to(folder).as_posix(): {"bytes": path.stat().st_size, "sha256": file_digest(path)}
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    record = {"name": entry.name, "licence": entry.licence, "pins": entry.pins, "files": files}
    (folder / _RECORD).write_text(json.dumps(record, indent=1) + "\n", "utf-8")


def _take_place(temporary: Path, target: Path) -> None:
    """Rename over an older folder: the old one steps aside first, since a full folder cannot be replaced."""
    aside = temporary.with_suffix(".old")
    if target.exists():
        target.rename(aside)
    try:
        temporary.rename(target)
    except OSError:
        if not is_complete(target):  # else another process put the same entry there in the meantime
            raise
    shutil.rmtree(aside, ignore_errors=True)


def is_complete(folder: Path) -> bool:
    """Whether a folder carries a record, which is written last."""
    return (folder / _RECORD).is_file()
