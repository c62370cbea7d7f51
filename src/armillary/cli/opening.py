"""A study of what a person names, with a bar while it is read or comes from the hub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from armillary.study import Study


def open(model: str | Path, **options: Any) -> Study:
    """`armillary.study.open`, which is seen to work where it takes more than a second."""
    from armillary.answer import one_line
    from armillary.cli.progress import progress
    from armillary.study import open as open_study

    with progress(f"opening {one_line(str(model))}", "bytes") as advance:
        return open_study(model, progress=advance, **options)
