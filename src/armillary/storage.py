"""Where files are put: whole or not at all, and the user's cache.

Every file that Armillary writes is first written beside its place under a temporary name, flushed to the disk, and
then renamed, so that a half-written output never replaces a good one.
"""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from armillary.errors import UsageError, WorkError

_TAG = "CACHEDIR.TAG"  # the convention by which backups know a cache; here also: what `clear_cache` may delete
_TAG_TEXT = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by armillary; `armillary cache --clear` empties it.\n"

_TEMPORARY = ".armillary-"  # not the target's own name, which may already be as long as a name can be


replaced: list[Path] = []  # files of the user's that something was written over, in order; the command line tells them


def cache_root() -> Path:
    """The user's cache folder, or `$ARMILLARY_CACHE`; it may not exist yet."""
    root = os.environ.get("ARMILLARY_CACHE")
    if root is None:
        from platformdirs import user_cache_dir

        root = user_cache_dir("armillary", appauthor=False)
    return Path(root)


def cache_directory(room: str, *parts: str) -> Path:
    """The cache folder of a room, with `parts` below it; made if missing."""
    base = cache_root() / room
    folder = base.joinpath(*parts)
    try:
        if not base.is_dir():
            base.mkdir(parents=True, exist_ok=True)
            (base / _TAG).write_text(_TAG_TEXT, "utf-8")
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkError(
            f"the cache folder {folder} cannot be made: {error.strerror}",
            "set ARMILLARY_CACHE to a folder of yours, or use --no-cache",
        ) from error
    return folder


@dataclass(frozen=True)
class Cached:
    """One thing in the cache: `name` is `room/thing`, `size` its bytes with everything below it."""

    name: str
    path: Path
    size: int


def cache_contents() -> list[Cached]:
    """What is in the cache, by name; only folders that Armillary made are looked at."""
    root = cache_root()
    things = sorted(thing for tag in root.glob(f"*/{_TAG}") for thing in tag.parent.iterdir() if thing.name != _TAG)
    return [Cached(thing.relative_to(root).as_posix(), thing, _size(thing)) for thing in things]


def clear_cache(name: str = "") -> list[Cached]:
    """Delete what is in the cache: all of it, one room, or one `room/thing`; returns what is gone.

    UsageError when nothing has that name.
    """
    contents = cache_contents()
    chosen = [c for c in contents if not name or c.name == name or c.name.startswith(f"{name}/")]
    if name and not chosen:
        raise UsageError(
            f"expected a name from the cache, found {name!r}",
            f"there are {', '.join(c.name for c in contents) or 'none: it is empty'}",
        )
    for cached in chosen:
        if cached.path.is_dir() and not cached.path.is_symlink():
            shutil.rmtree(cached.path, ignore_errors=True)
        else:
            cached.path.unlink(missing_ok=True)
    return chosen


def _size(path: Path) -> int:
    files = (Path(place) / name for place, _, names in os.walk(path) for name in names) if path.is_dir() else [path]
    total = 0
    for file in files:
        with suppress(OSError):  # a fetch or a scan that runs beside makes and removes files while they are counted
            total += file.stat().st_size if file.is_file() else 0
    return total


def output_path(path: str | Path, endings: Collection[str], expected: str) -> Path:
    """`path` if a file can be written there; UsageError before any work is done if not. `expected` names the endings."""
    target = Path(path)
    if target.suffix.lower() not in endings:
        raise UsageError(f"expected {expected}, found {target.name}", f"end its name in {next(iter(endings))}")
    _place(target)
    return target


def check_folder(target: Path) -> None:
    """UsageError unless there is a folder to write `target` into."""
    if not target.parent.is_dir():
        message = f"expected a folder {target.parent} to write {target.name} into, found none"
        raise UsageError(message, f"make it first: mkdir -p {shlex.quote(str(target.parent))}")


def check_places(*targets: Path) -> None:
    """UsageError, before any work is done, unless each of these can be a file, as `atomic_path` takes it."""
    for target in targets:
        _place(target)


def _place(target: Path) -> Path:
    """Where `target` leads if it is a link, else itself; UsageError unless that is a file, or nothing yet, in a folder."""
    _check_length(target)
    target = target.resolve() if target.is_symlink() else target
    if target.is_dir():
        raise UsageError(f"expected a file to write, found a folder {target}", "name a file in it")
    if target.exists() and not target.is_file():
        raise UsageError(f"expected a file to write, found a device or pipe {target}", "name another file")
    check_folder(target)
    return target


def _check_length(target: Path) -> None:
    """UsageError for a name, or a whole path, that the file system has no room for."""
    try:
        target.lstat()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            found = f"{len(os.fsencode(target.name)):,} bytes in a path of {len(os.fsencode(target)):,}: {target}"
            raise UsageError(
                f"expected a name that a file can have, found {found}", "give it a shorter name"
            ) from error


def is_file(path: Path) -> bool:
    """Whether there is such a file; none has a name that is too long."""
    try:
        return path.is_file()
    except OSError:
        return False


def check_spared(target: Path | None, read: Iterable[Path | None]) -> None:
    """UsageError if writing `target` would replace one of the files that are `read`."""
    if target is None or not target.exists():
        return
    if any(path is not None and path.exists() and target.samefile(path) for path in read):
        raise UsageError(f"expected a file of its own to write, found {target}, which is read", "name another file")


@contextmanager
def atomic_path(target: Path) -> Iterator[Path]:
    """A temporary path beside `target` that takes its place when the block ends well, and vanishes when it does not.

    A symbolic link stays one: what it leads to is replaced. A file that was there is named in `replaced`. UsageError if `target` can be no file, its folder does not
    exist or cannot be written; WorkError if the disk fails.
    """
    target = _place(Path(target))
    try:
        handle, name = tempfile.mkstemp(prefix=_TEMPORARY, suffix=".part", dir=target.parent)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}", "name another file with -o") from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        _flush(temporary)
        temporary.chmod(0o666 & ~_umask())
        there = target.exists()
        temporary.replace(target)
        if there and not target.is_relative_to(cache_root().resolve()):
            replaced.append(target)
    except OSError as error:
        raise WorkError(f"writing {target} failed: {error.strerror or error}", "the old file is untouched") from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def atomic_folder(target: Path) -> Iterator[Path]:
    """A temporary folder beside `target` that becomes it when the block ends well, and vanishes when it does not.

    UsageError where something is there already, or the folder above is missing; WorkError if the disk fails.
    """
    target = Path(target)
    _check_length(target)
    if target.exists():
        raise UsageError(f"expected nothing at {target} yet, found something", "name a folder that is not there")
    check_folder(target)
    try:
        temporary = Path(tempfile.mkdtemp(prefix=_TEMPORARY, suffix=".part", dir=target.parent))
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}", "name another folder with -o") from error
    try:
        yield temporary
        for path in temporary.rglob("*"):
            if path.is_file():
                _flush(path)
        temporary.chmod(0o777 & ~_umask())
        temporary.rename(target)
    except OSError as error:
        raise WorkError(f"writing {target} failed: {error.strerror or error}", "nothing was written") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _flush(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
