"""Reports to and from files. A half-written report never replaces a good one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from armillary.errors import UnreadableError
from armillary.report.model import SCHEMA_VERSION, Report
from armillary.storage import atomic_path, output_path


def to_json(report: Report) -> str:
    """The published JSON, indented by one; readable beside a diff."""
    return json.dumps(report.to_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def to_html(report: Report) -> str:
    """One self-contained page: no script, style, font or picture from elsewhere."""
    from armillary.report.html import render

    return render(report)


def to_markdown(report: Report) -> str:
    """The same in Markdown, tables as tables."""
    from armillary.report.markdown import render

    return render(report)


_WRITERS: dict[str, Callable[[Report], str]] = {
    ".html": to_html,
    ".htm": to_html,
    ".json": to_json,
    ".md": to_markdown,
    ".markdown": to_markdown,
}


def checked_path(path: str | Path) -> Path:
    """`path` if a report can be written there; UsageError before any work is done if its ending or folder is wrong."""
    return output_path(path, _WRITERS, "a report that ends in .html, .json or .md")


def save(report: Report, path: str | Path) -> Path:
    """Write a report by the ending of its name; the path. UsageError for another ending, WorkError if the disk fails."""
    target = checked_path(path)
    text = _WRITERS[target.suffix.lower()](report)
    with atomic_path(target) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace")  # names of files may be no UTF-8
    return target


def read(path: str | Path) -> Report:
    """A report from its JSON; UnreadableError if it is none, or of a version this program does not know."""
    from pydantic import ValidationError

    source = Path(path)
    try:
        content = json.loads(source.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableError(
            f"{source} is no report: {error}", "make one: armillary report MODEL -o report.json"
        ) from error
    version = content.get("schema_version") if isinstance(content, dict) else None
    if version != SCHEMA_VERSION:
        raise UnreadableError(f"{source}: expected a report of version {SCHEMA_VERSION}, found {version}")
    try:
        return Report.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UnreadableError(f"{source} is no whole report: {where}: {first['msg']}") from error


def schema() -> dict[str, Any]:
    """The JSON Schema of the published report."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Report.model_json_schema(mode="serialization")}
