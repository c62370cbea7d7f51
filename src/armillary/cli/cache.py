"""`armillary cache`: what Armillary keeps on disk, and the way to be rid of it."""

from __future__ import annotations

from typing import Annotated

import typer

from armillary.cli.options import AsJson


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name from the list, or a room; all without it.")] = "",
    clear: Annotated[bool, typer.Option("--clear", help="Delete what is listed.")] = False,
    as_json: AsJson = False,
) -> None:
    """List what is in the user's cache with its sizes, or clear it."""
    from armillary.answer import size
    from armillary.cli.output import show, table
    from armillary.storage import cache_contents, cache_root, clear_cache

    listed = clear_cache(name) if clear else [c for c in cache_contents() if c.name == name or c.name.startswith(name)]
    total = sum(cached.size for cached in listed)
    rows = [(cached.name, size(cached.size)) for cached in listed]
    verb = "cleared" if clear else "in"
    summary = f"{size(total)} {verb} {cache_root()}"
    result = {
        "folder": str(cache_root()),
        "cleared": clear,
        "bytes": total,
        "contents": [{"name": cached.name, "bytes": cached.size} for cached in listed],
    }
    text = f"{table(rows, ['left', 'right'])}\n{summary}" if rows else summary
    show("cache", None, result, text, as_json)
