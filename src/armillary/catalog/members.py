"""Members copied out of an archive or an installed package, each checked against its pinned hash.

A member never chooses where it is written: files go to the names the catalog gives, files of a folder only to plain
relative names below it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from armillary.catalog.entry import Entry, Member, Wheel
from armillary.errors import WorkError

if TYPE_CHECKING:
    import tarfile

Files = Callable[[Member], Iterator[tuple[str, IO[bytes]]]]
"""(relative name, open file) of a member: one with an empty name for a file, any number for a folder"""

_CHUNK = 1 << 20


def in_wheel(archive: zipfile.ZipFile) -> Files:
    """Members of an open wheel; Python sources of a data folder are left out."""

    def files(member: Member) -> Iterator[tuple[str, IO[bytes]]]:
        for info in sorted(archive.infolist(), key=lambda i: i.filename):
            if not info.is_dir() and _belongs(member, info.filename):
                with archive.open(info) as file:
                    yield info.filename[len(member.path) :], file

    return files


def in_source(archive: tarfile.TarFile) -> Files:
    """Members of an open source archive, in the order they are packed in; only files."""

    def files(member: Member) -> Iterator[tuple[str, IO[bytes]]]:
        for info in archive:
            file = archive.extractfile(info) if info.isfile() and _belongs(member, info.name) else None
            if file:
                yield info.name[len(member.path) :], file

    return files


def in_site_packages(root: Path) -> Files:
    """Members of a package as installed below `root`."""

    def files(member: Member) -> Iterator[tuple[str, IO[bytes]]]:
        if (root / member.path).is_file():
            with (root / member.path).open("rb") as file:
                yield "", file

    return files


def copy_from_debian(archive: Path, members: tuple[Member, ...], folder: Path) -> None:
    """Copy members of a .deb in one pass of its data; WorkError when one is missing or dpkg-deb fails."""
    import tarfile

    missing = {member.path for member in members}
    command = ["dpkg-deb", "--fsys-tarfile", str(archive)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE) as process,  # noqa: S603
        tarfile.open(fileobj=process.stdout, mode="r|") as tar,
    ):
        for info in tar:
            name = info.name.removeprefix("./")
            member = next((m for m in members if info.isfile() and _belongs(m, name)), None)
            file = tar.extractfile(info) if member else None
            if member and file:
                missing.discard(member.path)
                _write(file, _place(folder, member, name[len(member.path) :]))
    if missing or process.returncode:
        raise WorkError(f"expected {', '.join(sorted(missing)) or 'a package'} in {archive.name}, found none")


def copy(files: Files, members: tuple[Member, ...], folder: Path) -> None:
    """Copy members into `folder`, joined where they share a name; WorkError when one is missing or not as pinned."""
    for member in members:
        written = {name: _write(file, _place(folder, member, name)) for name, file in files(member)}
        lines = [f"{written[name]}  {name}\n" for name in sorted(written)]
        is_folder = member.path.endswith("/")
        found = _digest("".join(lines).encode()) if is_folder else "".join(lines)[:64]
        if found != member.sha256:
            raise WorkError(
                f"expected {member.path} with sha256 {member.sha256[:12]}…, found {found[:12] + '…' if lines else 'none'}",
                "the package was changed; nothing of it was kept",
            )


def installed(entry: Entry) -> Path | None:
    """The folder an entry's one package is installed in, if all its members are there; nothing is imported."""
    (source,) = entry.sources if len(entry.sources) == 1 else (None,)
    if not isinstance(source, Wheel):
        return None
    spec = importlib.util.find_spec(source.members[0].path.partition("/")[0])
    roots = spec.submodule_search_locations if spec else None
    root = Path(next(iter(roots))).parent if roots else None
    return root if root and all((root / member.path).is_file() for member in source.members) else None


def file_digest(path: Path) -> str:
    """sha256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _belongs(member: Member, name: str) -> bool:
    if member.path.endswith("/"):
        return name.startswith(member.path) and not name.endswith(".py")
    return name == member.path


def _place(folder: Path, member: Member, name: str) -> Path:
    relative = PurePosixPath(name)
    if relative.is_absolute() or ".." in relative.parts:
        raise WorkError(f"expected plain file names in {member.path}, found {name!r}")
    if member.path.endswith("/"):
        return folder.joinpath(member.to, *relative.parts)
    return folder / (member.to or PurePosixPath(member.path).name)


def _write(file: IO[bytes], target: Path) -> str:
    """Append a file to `target`, and its sha256."""
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with target.open("ab") as out:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            out.write(chunk)
    return digest.hexdigest()
