"""Tables of answers to files: Parquet or CSV by the ending, whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from armillary import storage
from armillary.storage import atomic_path, output_path
from armillary.table import Table

if TYPE_CHECKING:
    import pyarrow

    from armillary.study.study import Study

ENDINGS = (".parquet", ".csv")


def checked_path(path: str | Path) -> Path:
    """`path` if a table can be written there; UsageError before any work is done if not."""
    return output_path(path, ENDINGS, "a file that ends in .parquet or .csv")


def check_spared(target: Path | None, study: Study, *others: Path | None) -> None:
    """UsageError if writing `target` would replace a file that the study, or one of `others`, was read from."""
    storage.check_spared(target, (*files_read(study.table, study.path), *others))


def files_read(table: Table, path: Path | None) -> list[Path]:
    """The files that a table opened at `path` was read from."""
    if path is None:
        return []
    folder = path if path.is_dir() else path.parent
    return [folder / name for name in table.load_report.files_read]


def formula_note(table: pyarrow.Table, target: Path) -> str:
    """A warning where a CSV holds texts that a spreadsheet would run as formulas; they are written as they are."""
    if target.suffix.lower() != ".csv" or "text" not in table.column_names:
        return ""
    found = sum(text.startswith(("=", "+", "-", "@", "\t", "\r")) for text in table["text"].to_pylist())
    return (
        f"{found:,} texts begin as a formula does (=, +, -, @): a spreadsheet must import them as text" if found else ""
    )


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
