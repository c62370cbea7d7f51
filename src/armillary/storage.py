"""Where files are put: whole or not at all, and the user's cache.

Every file that Armillary writes is first written beside its place under a temporary name, flushed to the disk, and
then renamed, so that a half-written output never replaces a good one.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from armillary.errors import UsageError, WorkError


def cache_directory(*parts: str) -> Path:
    """The user's cache folder (or `$ARMILLARY_CACHE`), with `parts` below it; made if missing."""
    root = os.environ.get("ARMILLARY_CACHE")
    if root is None:
        from platformdirs import user_cache_dir

        root = user_cache_dir("armillary", appauthor=False)
    folder = Path(root).joinpath(*parts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkError(
            f"the cache folder {folder} cannot be made: {error.strerror}", "set ARMILLARY_CACHE to a folder of yours"
        ) from error
    return folder


@contextmanager
def atomic_path(target: Path) -> Iterator[Path]:
    """A temporary path beside `target` that takes its place when the block ends well, and vanishes when it does not.

    UsageError if the folder does not exist or cannot be written; WorkError if the disk fails.
    """
    target = Path(target)
    if not target.parent.is_dir():
        raise UsageError(f"expected a folder {target.parent} to write {target.name} into, found none", "make it first")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise UsageError(f"{target.parent} cannot be written: {error.strerror}") from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        _flush(temporary)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    except OSError as error:
        raise WorkError(f"writing {target} failed: {error.strerror or error}", "the old file is untouched") from error
    finally:
        temporary.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
