"""The catalog as a table to read: every name with its size, licence, and whether it is here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from armillary.answer import Listing, size
from armillary.catalog.entry import DebianPackage, Entry


@dataclass(frozen=True, repr=False)
class CatalogListing(Listing):
    """Entries in the order of the catalog; `present` says which can be opened now."""

    widest: ClassVar[int] = 88

    entries: tuple[Entry, ...]
    present: tuple[bool, ...]

    @property
    def notes(self) -> Sequence[str]:
        cautions = [f"⚠ {entry.name}: {entry.caution}." for entry in self.entries if entry.caution]
        apt = ", ".join(e.name for e in self.entries if any(isinstance(s, DebianPackage) for s in e.sources))
        return (*cautions, f"{apt} come by apt-get from Debian packages, all others by pip.")

    def columns(self) -> Mapping[str, Sequence[Any]]:
        return {
            "name": [entry.name for entry in self.entries],
            "download": [size(entry.download) for entry in self.entries],
            "here": ["yes" if here else "" for here in self.present],
            "licence": [entry.licence + (" ⚠" if entry.caution else "") for entry in self.entries],
            "what": [entry.about for entry in self.entries],
        }

    def to_dict(self) -> dict[str, Any]:
        return {"entries": [_plain(entry, here) for entry, here in zip(self.entries, self.present, strict=True)]}


def _plain(entry: Entry, here: bool) -> dict[str, Any]:
    return {
        "name": entry.name,
        "about": entry.about,
        "kind": "table" if entry.is_table else "data set",
        "packages": [source.package for source in entry.sources],
        "bytes": entry.download,
        "present": here,
        "licence": entry.licence,
        "caution": entry.caution,
    }
