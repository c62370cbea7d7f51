"""The cache of named tables: one folder an entry, with a record of what it was made from and what is in it.

A folder appears whole or not at all. Opening trusts names and sizes; fetching again checks the hashes.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from armillary.catalog.entry import Entry
from armillary.catalog.members import file_digest
from armillary.errors import WorkError
from armillary.storage import cache_directory

try:
    import fcntl
except ImportError:  # Windows: what a killed fetch left stays until the cache is cleared
    fcntl = None  # pyright: ignore[reportAssignmentType]

ROOM = "tables"  # the folder of the cache that this room owns
A_MOMENT = 60.0  # seconds: a folder that young may be one that its maker has not locked yet

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
    _remove_left_over(entry)
    temporary = Path(tempfile.mkdtemp(prefix=f".{entry.name}.", suffix=".part", dir=target.parent))
    try:
        with _held(temporary):
            yield temporary
            _write_record(entry, temporary)
            temporary.chmod(0o755)
            _take_place(entry, temporary, target)
    except OSError as error:
        raise WorkError(f"writing {target} failed: {error.strerror or error}", "is the disk full?") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def _held(folder: Path) -> Iterator[bool]:
    """Hold a folder's lock, which ends with the process however that ends; False where another holds it."""
    if fcntl is None:
        yield False
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(handle)


def _remove_left_over(entry: Entry) -> None:
    """Remove what a fetch that was killed left behind: nobody holds it, and it is not being made this minute."""
    for left in folder_of(entry).parent.glob(f".{entry.name}.*"):
        with suppress(OSError), _held(left) as free:
            if free and time.time() - left.stat().st_mtime > A_MOMENT:
                shutil.rmtree(left, ignore_errors=True)


def _write_record(entry: Entry, folder: Path) -> None:
    files = {
        path.relative_to(folder).as_posix(): {"bytes": path.stat().st_size, "sha256": file_digest(path)}
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    record = {"name": entry.name, "licence": entry.licence, "pins": entry.pins, "files": files}
    (folder / _RECORD).write_text(json.dumps(record, indent=1) + "\n", "utf-8")


def _take_place(entry: Entry, temporary: Path, target: Path) -> None:
    """Rename over an older folder: the old one steps aside first, since a full folder cannot be replaced.

    Another process may have put the same entry there in the meantime, or does so between the two steps: then it stays.
    """
    if is_present(entry, check_hashes=True):
        return
    aside = temporary.with_suffix(".old")
    with suppress(FileNotFoundError):
        target.rename(aside)
    try:
        temporary.rename(target)
    except OSError:
        if not is_present(entry):
            raise
    shutil.rmtree(aside, ignore_errors=True)
