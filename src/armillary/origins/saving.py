"""Where a table made here is written: checked before the work is done rather than after."""

from __future__ import annotations

from pathlib import Path

from armillary.formats import write_safetensors
from armillary.formats.sidecar import sidecar_to_write
from armillary.storage import output_path
from armillary.table import Table


def save(table: Table, path: Path) -> list[Path]:
    """Write the rows to `path`, and the tokens beside them where rows have names; the files written."""
    check_target(path)
    return list(write_safetensors(table, path))


def check_target(path: Path) -> None:
    """UsageError unless the name ends in `.safetensors`, its folder exists, and no other table's tokens lie there."""
    output_path(path, (".safetensors",), "a file name that ends in .safetensors")
    sidecar_to_write(path, None)
