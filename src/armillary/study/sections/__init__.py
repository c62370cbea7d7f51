"""The sections of a report, one file each, in the order they are read.

A section's file has `NEEDS_SCAN` and `compose(study, scanned) -> Part | None`; `scanned` says whether
the scan may be used, None leaves the section out. Adding a section
is a file here and a line in `SECTIONS`.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

SECTIONS = (
    "load",
    "sphere",
    "crowd",
    "isotropy",
    "cone",
    "profile",
    "repairs",
    "repaired",
    "norms",
    "health",
    "pairs",
    "hubs",
    "neighbors",
    "words",
    "frequency",
    "categories",
)


def modules() -> list[ModuleType]:
    """The section modules, in order."""
    return [import_module(f"armillary.study.sections.{name}") for name in SECTIONS]
