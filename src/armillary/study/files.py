"""Tables of answers to files: Parquet or CSV by the ending, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from armillary.errors import UsageError
from armillary.storage import atomic_path

if TYPE_CHECKING:
    import pyarrow

ENDINGS = (".parquet", ".csv")


def checked_path(path: str | Path) -> Path:
    """`path` if a table can be written there; UsageError before any work is done if not."""
    target = Path(path)
    if target.suffix.lower() not in ENDINGS:
        raise UsageError(f"expected a file that ends in .parquet or .csv, found {target.name}", "name it so")
    if not target.parent.is_dir():
        raise UsageError(f"expected a folder {target.parent} to write {target.name} into, found none", "make it first")
    return target


def save_arrow(table: pyarrow.Table, path: str | Path) -> Path:
    """Write an Arrow table; the path."""
    target = checked_path(path)
    with atomic_path(target) as temporary:
        if target.suffix.lower() == ".parquet":
            import pyarrow.parquet as parquet

            parquet.write_table(table, temporary)
        else:
            from pyarrow import csv

            csv.write_csv(table, temporary)
    return target
