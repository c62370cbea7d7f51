"""From what a person types to a study: a path, `demo`, `demo:NAME`, or `hf:owner/name`."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from armillary.errors import UsageError
from armillary.table import Kind, Table

if TYPE_CHECKING:
    from armillary.study.study import Study

Role = Literal["input", "output"]


def open_study(
    model: str | Path | Table,
    *,
    tensor: str | None = None,
    tokens: str | Path | None = None,
    without: Collection[str | Kind] = (),
    role: Role = "input",
    cache: bool = True,
) -> Study:
    """The study of a model's embedding table.

    `model`: a file or folder, `demo` or `demo:NAME`, `hf:owner/name[@revision]`, or a Table. `tensor` chooses among
    the tables of a file, `role` the input or the output table. `tokens` names the rows of a bare array. `without`
    leaves kinds of row out of everything measured. `cache=False` keeps nothing on disk. A path that is missing is
    an UnreadableError with near misses, never a download.
    """
    from armillary.study.study import Study

    table = model if isinstance(model, Table) else _open_table(str(model), tensor, tokens, role)
    return Study(table, without=tuple(_kind(name) for name in without), cache=cache)


def _open_table(model: str, tensor: str | None, tokens: str | Path | None, role: Role) -> Table:
    from armillary.catalog import is_named, resolve
    from armillary.formats import open_table

    place = resolve(model) if is_named(model) else model
    return open_table(place, tensor=tensor, tokens=tokens, role=role, name=model)


def _kind(name: str | Kind) -> Kind:
    if isinstance(name, Kind):
        return name
    try:
        return Kind.from_label(name)
    except ValueError as error:
        raise UsageError(str(error)) from error
