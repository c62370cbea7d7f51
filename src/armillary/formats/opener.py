"""Open a table: look at the content, ask each format, give the rows their tokens."""

from __future__ import annotations

import difflib
from pathlib import Path

from armillary.errors import UnreadableError
from armillary.formats.refusals import refuse_known
from armillary.formats.registry import FORMATS
from armillary.formats.source import Request, Role, Source, read_source
from armillary.table import Table


def open_table(
    source: str | Path,
    *,
    tensor: str | None = None,
    tokens: str | Path | None = None,
    role: Role = "input",
    name: str | None = None,
    cache: bool = True,
) -> Table:
    """Open the embedding table in a file or folder, decided by content.

    `tensor` names the table where there is a choice; `role` asks for the input table or the output table; `tokens`
    is a file that names the rows (txt, json, parquet, tokenizer.json); `name` is what provenance calls the source; without
    `cache` a table that is slow to decode is decoded anew on each pass instead of once into the user's cache.
    Headers only: rows stay where they are, except in text formats. UnreadableError if the path is missing, is of a
    kind that is not read, or contradicts itself; UsageError if `tensor` cannot be the table.
    """
    found = read_source(_existing(Path(source).expanduser()), name or str(source))
    table = open_source(found, Request(tensor, role, cache))
    if tokens is None and not table.vocabulary.named_by_id:
        return table
    from armillary.formats.token_files import with_tokens

    return with_tokens(table, found.path, _existing(Path(tokens).expanduser()) if tokens is not None else None)


def open_source(source: Source, request: Request) -> Table:
    """Open with the first format that recognises the content; refuse by name, or list what was tried."""
    for format in FORMATS:
        if format.recognises(source):
            return format.open(source, request)
    refuse_known(source)
    tried = ", ".join(format.name for format in FORMATS)
    what = "a folder without a table" if source.is_folder else f"{source.size:,} bytes that begin {source.head[:16]!r}"
    raise UnreadableError(f"expected an embedding table in {source.name}, found {what}; tried {tried}")


def _existing(path: Path) -> Path:
    """The path, or an error with near misses; never a download."""
    if path.exists():
        return path
    if path.is_symlink():
        raise UnreadableError(
            f"expected a file or folder, found a link to nothing at {path}", "link it to what is there"
        )
    parent = path.parent
    names = [p.name for p in parent.iterdir()] if parent.is_dir() else []
    near = difflib.get_close_matches(path.name, names, n=3, cutoff=0.5)
    if near:
        cure = "did you mean " + " or ".join(str(parent / n) for n in near)
    elif not parent.is_dir():
        cure = f"there is no folder {parent} either"
    else:
        cure = "a path is never downloaded; armillary fetch NAME brings the named tables"
    raise UnreadableError(f"expected a file or folder, found nothing at {path}", cure)
