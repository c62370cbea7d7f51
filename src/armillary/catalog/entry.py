"""What the catalog knows about one named table or data set. Data only: nothing here opens or brings a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Progress = Callable[[int, int], None]
"""progress(bytes done, bytes in all)"""


@dataclass(frozen=True)
class Member:
    """A file inside a package, or a folder of files when `path` ends with a slash.

    `sha256` pins it: of the bytes of a file; of the lines `sha256␣␣relative path` of a folder, sorted by path. Empty where
    the package may be updated under the same name and its archive is signed (Debian). `to`: where it goes in the
    cache folder; members that go to the same file are joined in order; empty puts a folder's files at the top.
    """

    path: str
    sha256: str
    to: str = ""


@dataclass(frozen=True)
class Wheel:
    """A Python wheel that pip downloads: package, version, bytes and sha256 of the archive, the members used."""

    package: str
    version: str
    size: int
    sha256: str
    members: tuple[Member, ...]


@dataclass(frozen=True)
class DebianPackage:
    """A Debian package that apt-get downloads and whose archive it checks; `size` is about what the archive weighs."""

    package: str
    size: int
    members: tuple[Member, ...]


@dataclass(frozen=True)
class SourceArchive:
    """A source archive (.tar.gz) of a package without wheels; its members are read and its build script never run."""

    package: str
    version: str
    size: int
    sha256: str
    members: tuple[Member, ...]


Source = Wheel | SourceArchive | DebianPackage


@dataclass(frozen=True)
class Entry:
    """A named table (`is_table`) or data set.

    `licence` is the package's own word, `caution` says where the owner of the data differs. `file`: what is opened,
    relative to the entry's cache folder; empty for the folder itself. `unpack` turns an odd packing into a plain
    one, inside a folder that holds nothing but the members. `borrows`: files of another entry that belong beside
    it, as (name of the entry, file); that entry is fetched first.
    """

    name: str
    about: str
    licence: str
    sources: tuple[Source, ...]
    file: str = ""
    caution: str = ""
    is_table: bool = True
    unpack: Callable[[Path], None] | None = None
    borrows: tuple[tuple[str, str], ...] = ()

    @property
    def download(self) -> int:
        """Bytes that fetching brings."""
        return sum(source.size for source in self.sources)

    @property
    def pins(self) -> list[str]:
        """Every pinned hash, in order: what is in the cache is current when it was made from the same."""
        archives = [source.sha256 for source in self.sources if not isinstance(source, DebianPackage)]
        members = [member.sha256 for source in self.sources for member in source.members]
        return archives + members + ["/".join(borrowed) for borrowed in self.borrows]
