"""Parquet, Arrow and Feather files: a column of lists of numbers is the table, a column of text or ids names the rows.

Lists must have one length and no nulls; the first row that differs is named. What the header claims is held against
the size of the file before anything is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from armillary.errors import UnreadableError
from armillary.formats.choice import Tensor, choose_table
from armillary.formats.parquet_file import check_claim, read_parquet, said
from armillary.formats.source import Format, Request, Source
from armillary.formats.token_files import ID_COLUMNS, TOKEN_COLUMNS, column, from_columns, is_string
from armillary.formats.vocabularies import vocabulary_facts
from armillary.shapes import Float32
from armillary.table import ArrayRows, LoadReport, Provenance, Table, Vocabulary


def _recognises_parquet(source: Source) -> bool:
    return source.head[:4] == b"PAR1"


def _recognises_arrow(source: Source) -> bool:
    return source.head[:6] == b"ARROW1"


def _open_parquet(source: Source, request: Request) -> Table:
    def read() -> Any:
        return read_parquet(source.path, source.name)

    return _from_table(_guarded(read, "Parquet", source), "Parquet", source, request)


def _open_arrow(source: Source, request: Request) -> Table:
    import pyarrow as pa

    def read() -> Any:
        with pa.memory_map(str(source.path)) as file:
            table = pa.ipc.open_file(file).read_all()
            check_claim(table.num_rows, source.size, source.name)
            table.validate(full=True)
            return table

    return _from_table(_guarded(read, "Arrow", source), "Arrow", source, request)


def _guarded(read: Callable[[], Any], kind: str, source: Source) -> Any:
    import pyarrow as pa

    try:
        return read()
    except (pa.ArrowException, OSError, MemoryError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise UnreadableError(
            f"the {kind} file {source.name} is cut or corrupt: {said(error)}", "save it again"
        ) from error


def _from_table(table: Any, format: str, source: Source, request: Request) -> Table:
    lists = {f.name: f.type for f in table.schema if _is_vectors(f.type)}
    if not lists:
        found = ", ".join(f"{f.name} ({f.type})" for f in table.schema)[:120]
        raise UnreadableError(
            f"expected a column of lists of numbers in {source.name}, found {found or 'no column'}",
            "give it as --tokens FILE if it names the rows",
        )
    if len(set(table.column_names)) != len(table.column_names):
        raise UnreadableError(
            f"expected columns of different names in {source.name}, found one twice",
            "give every column a name of its own",
        )
    tensors = [
        Tensor(name, (table.num_rows, _width(table[name])), str(kind.value_type)) for name, kind in lists.items()
    ]
    choice = choose_table(tensors, source.name, request.tensor, request.role)
    name = choice.table.name
    rows = _rows(table[name], choice.table.shape[1], name, source.name)
    vocabulary, named_by = _vocabulary(table, len(rows))
    report = LoadReport(
        format=format,
        files_read=(source.path.name,),
        tensor=name,
        stored=_stored(lists[name].value_type),
        rows=len(rows),
        width=rows.shape[1],
        tied_because="a column of vectors says nothing about a model",
        notes=(*choice.notes, *([f"rows are named by the column {named_by}"] if named_by else [])),
        candidates=choice.candidates,
        **vocabulary_facts(vocabulary),
    )
    return Table(ArrayRows(rows), vocabulary, Provenance(source.name, name, report.stored), report)


def _is_vectors(kind: Any) -> bool:
    import pyarrow as pa

    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    return is_list and (pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type))


def _stored(kind: Any) -> str:
    return {"float": "F32", "double": "F64", "halffloat": "F16"}.get(str(kind), str(kind))


def _width(values: Any) -> int:
    """The length of the first list that is there."""
    for chunk in values.chunks:
        lengths = chunk.value_lengths().drop_null()
        if len(lengths):
            return lengths[0].as_py()
    return 0


def _rows(values: Any, width: int, name: str, source: str) -> Float32[np.ndarray, "V d"]:
    """All lists as rows; UnreadableError names the first row that is null, holds one, or has another length."""
    parts: list[np.ndarray] = []
    at = 0
    for chunk in values.chunks:
        lengths = chunk.value_lengths().fill_null(-1).to_numpy(zero_copy_only=False)
        wrong = np.flatnonzero(lengths != width)
        if len(wrong):
            found = "null" if lengths[wrong[0]] < 0 else f"{lengths[wrong[0]]:,}"
            _refuse(at + int(wrong[0]), f"expected {width:,} numbers, found {found}", name, source)
        flat = chunk.flatten()
        if flat.null_count:
            null = int(np.flatnonzero(flat.is_null().to_numpy(zero_copy_only=False))[0])
            _refuse(at + null // width, "found a null among its numbers", name, source)
        with np.errstate(over="ignore", invalid="ignore"):
            numbers = flat.to_numpy(zero_copy_only=False).astype(np.float32, copy=False)
        parts.append(numbers.reshape(-1, width))
        at += len(chunk)
    return np.concatenate(parts) if parts else np.zeros((0, width), np.float32)


def _refuse(row: int, what: str, name: str, source: str) -> None:
    raise UnreadableError(f"row {row:,} of the column {name} in {source}: {what}", "every row needs the same length")


def _vocabulary(table: Any, rows: int) -> tuple[Vocabulary, str]:
    """Tokens from the first column of text (or bytes) with a known name, else the only one.

    A row is named by its place: an id beside it (a document's, a passage's) names a row only where there is no text.
    """
    import pyarrow as pa

    def fits(kind: Any) -> bool:
        return is_string(kind) or pa.types.is_binary(kind)

    known = [n for n in ("bytes", *TOKEN_COLUMNS) if n in table.column_names and fits(table.schema.field(n).type)]
    texts = [f.name for f in table.schema if fits(f.type)]
    name = known[0] if known else texts[0] if len(texts) == 1 else ""
    ids = column(table, ID_COLUMNS, pa.types.is_integer)
    if not name:
        if ids is None:
            return Vocabulary.of_ids(rows), ""
        return Vocabulary.of_words([str(i) for i in ids.to_pylist()]), "of ids"
    words: Sequence[bytes] = table[name].cast(pa.binary()).fill_null(b"").to_pylist()
    return from_columns(range(rows), words, rows), name


PARQUET = Format("Parquet", _recognises_parquet, _open_parquet)
ARROW = Format("Arrow", _recognises_arrow, _open_arrow)
