"""What every format is handed (a source and a request) and what it hands back (itself as a `Format`).

A format is one file: a function that recognises it by content, an opener, and a line in `registry.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from armillary.errors import UnreadableError
from armillary.table import Table

Role = Literal["input", "output"]
HEAD_BYTES = 64 << 10  # what a format may look at to recognise itself


@dataclass(frozen=True)
class Source:
    """A file or a folder as found on disk, not yet interpreted.

    `name`: as the user gave it. `head`: the first 64 KiB of a file, empty for a folder. `entries`: names of the
    files in a folder, sorted.
    """

    path: Path
    name: str
    head: bytes = b""
    size: int = 0
    entries: tuple[str, ...] = ()
    is_folder: bool = False

    @property
    def folder(self) -> Path:
        """The folder itself, or the one that holds the file."""
        return self.path if self.is_folder else self.path.parent


@dataclass(frozen=True)
class Request:
    """What is wanted of a source: a tensor by name, or the table of a role; `cache` allows decoding into the cache."""

    tensor: str | None = None
    role: Role = "input"
    cache: bool = True


@dataclass(frozen=True)
class Format:
    """A format: its name, how it is recognised (from head, size and entries alone), how it is opened."""

    name: str
    recognises: Callable[[Source], bool]
    open: Callable[[Source, Request], Table]


def read_source(path: Path, name: str | None = None) -> Source:
    """Look at a path that exists. UnreadableError if it cannot be read or is neither file nor folder."""
    name = name or str(path)
    try:
        if path.is_dir():
            entries = tuple(sorted(p.name for p in path.iterdir() if p.is_file()))
            return Source(path, name, entries=entries, is_folder=True)
        if not path.is_file():
            raise UnreadableError(
                f"expected a file or a folder, found a device or pipe {name}", "write it to a file first"
            )
        with path.open("rb") as file:
            return Source(path, name, file.read(HEAD_BYTES), path.stat().st_size)
    except OSError as error:
        raise UnreadableError(f"{name} cannot be read: {error.strerror}", "check its permissions") from error
