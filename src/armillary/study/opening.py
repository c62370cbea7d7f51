"""From what a person types to a study: a path, `demo`, `demo:NAME`, or `hf:owner/name`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from numpy.typing import ArrayLike

from armillary.errors import UsageError
from armillary.table import Kind, Table

if TYPE_CHECKING:
    from armillary.study.study import Study

Role = Literal["input", "output"]


def open_study(
    model: str | Path | Table | ArrayLike,
    *,
    tensor: str | None = None,
    tokens: str | Path | None = None,
    without: Collection[str | Kind] = (),
    role: Role = "input",
    cache: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Study:
    """The study of a model's embedding table.

    `model`: a file or folder, `demo` or `demo:NAME`, `hf:owner/name[@revision]`, a Table, or an array of
    vectors, which is read and never changed. `tensor` chooses among
    the tables of a file, `role` the input or the output table. `tokens` names the rows of a bare array. `without`
    leaves kinds of row out of everything measured. `cache=False` keeps nothing on disk. `progress(done, total)` is
    told the bytes that come from the hub. A path that is missing is an UnreadableError with near misses, never a
    download.
    """
    from armillary.study.study import Study

    kinds = tuple(_kind(name) for name in without)
    if not isinstance(model, str | Path | Table):
        model = Table.from_array(model)
    if isinstance(model, Table):
        return Study(model, without=kinds, cache=cache)
    from armillary.formats import open_table

    path, licence = _located(str(model), tensor, role, progress)
    table = open_table(path, tensor=tensor, tokens=tokens, role=role, name=str(model), cache=cache)
    if licence:
        table = replace(table, provenance=replace(table.provenance, licence=licence))
    return Study(table, path=path, without=kinds, cache=cache)


def _located(
    model: str, tensor: str | None, role: Role, progress: Callable[[int, int], None] | None
) -> tuple[Path, str]:
    """(path, licence) of what a person typed; a named table knows its licence."""
    from armillary.catalog import entry, is_named, resolve
    from armillary.formats import bring, is_hub_name

    if not model.strip():
        raise UsageError("expected a model, found an empty name", "name a file or folder, demo, or hf:owner/name")
    if is_named(model):
        return resolve(model), entry(model).licence
    if is_hub_name(model):
        return bring(model, tensor=tensor, role=role, progress=progress), ""
    return Path(model).expanduser(), ""


def _kind(name: str | Kind) -> Kind:
    if isinstance(name, Kind):
        return name
    try:
        return Kind.from_label(name)
    except ValueError as error:
        raise UsageError(str(error)) from error
