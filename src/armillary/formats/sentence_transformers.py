"""Folders of the sentence-transformers library: `modules.json` names the folder whose module holds the table."""

from __future__ import annotations

import json
from pathlib import Path

from armillary.errors import UnreadableError
from armillary.formats.source import Source

_MODULES = "modules.json"
_LARGEST = 1_000_000  # bytes


def first_module(source: Source) -> Path | None:
    """The folder of the first module where it is not the folder itself; None where there is no such list.

    UnreadableError if the list names a folder outside this one, or one that is absent.
    """
    if _MODULES not in source.entries:
        return None
    path = source.path / _MODULES
    try:
        if path.stat().st_size > _LARGEST:
            raise ValueError("it is too large")
        modules = json.loads(path.read_bytes())
        inner = str(modules[0]["path"])
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise UnreadableError(f"expected a list of modules in {path}, found other JSON", "fetch it again") from error
    if not inner or inner == ".":
        return None
    if Path(inner).name != inner or inner == ".." or "\\" in inner or "\0" in inner:
        raise UnreadableError(f"{path} names a module outside its folder: {inner[:80]!r}")
    if not (source.path / inner).is_dir():
        raise UnreadableError(f"expected the folder {inner} in {source.name}, as {_MODULES} says; it is absent")
    return source.path / inner
