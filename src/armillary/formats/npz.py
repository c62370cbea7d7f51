"""NumPy's npz: a zip of npy members. Stored members are mapped, deflated ones are unpacked into memory.

What a member declares about itself is held against the size the zip gives it, before anything is allocated.
"""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from armillary.errors import UnreadableError, UsageError
from armillary.formats.archive import DAMAGE, cannot_unpack, check_method, data_offset, first_member, is_mapped
from armillary.formats.choice import Choice, Tensor, choose_table
from armillary.formats.npy import array_report, map_array
from armillary.formats.npy_header import LARGEST_HEADER, MAGIC, ArrayHeader, check_table, parse_header
from armillary.formats.source import Format, Request, Source
from armillary.formats.ties import Tie, decide_tie
from armillary.formats.token_files import from_columns
from armillary.formats.vocabularies import vocabulary_facts
from armillary.table import ArrayRows, Provenance, Table, Vocabulary

_Members = dict[str, tuple[zipfile.ZipInfo, ArrayHeader]]


def _recognises(source: Source) -> bool:
    """A zip whose first member is called *.npy, or holds an npy file."""
    return first_member(source.head).endswith(b".npy")


def _open(source: Source, request: Request) -> Table:
    try:
        with zipfile.ZipFile(source.path) as archive:
            return _from_archive(archive, source, request)
    except DAMAGE as error:
        raise UnreadableError(f"the npz file {source.name} is corrupt: {str(error)[:100]}", "save it again") from error


def _from_archive(archive: zipfile.ZipFile, source: Source, request: Request) -> Table:
    members = _read_headers(archive, source.name)
    if request.tensor in members:
        check_table(members[request.tensor][1], f"{request.tensor} of {source.name}")
    tables = [Tensor(key, header.shape, header.stored) for key, (_, header) in members.items() if header.is_table()]
    if request.tensor is None and len(members) == 1 and not tables:
        key, (_, header) = next(iter(members.items()))
        check_table(header, f"{key} of {source.name}")
    choice = choose_table(tables, source.name, request.tensor, request.role)
    info, header = members[choice.table.name]
    rows = _rows(archive, info, header, source.path)
    vocabulary, named_by = _vocabulary(archive, members, header.shape[0])
    report = array_report(header, "npz", (source.path.name,), choice.table.name)
    tie = _tie(archive, members, choice, source.path)
    report = replace(report, tied_because=tie.because) if tie else report
    notes = (*report.notes, *choice.notes, *([f"rows are named by the member {named_by}"] if named_by else []))
    report = replace(report, candidates=choice.candidates, notes=notes, **vocabulary_facts(vocabulary))
    provenance = Provenance(source.name, choice.table.name, header.stored, tied=tie and tie.tied)
    return Table(ArrayRows(rows), vocabulary, provenance, report)


def _read_headers(archive: zipfile.ZipFile, name: str) -> _Members:
    members: _Members = {}
    for info in archive.infolist():
        key = info.filename.removesuffix(".npy")
        if key in members:
            raise UnreadableError(f"the npz file {name} has two members {key[:80]!r}", "save it again")
        check_method(info)
        with archive.open(info) as file:
            head = file.read(LARGEST_HEADER + 12)
        if not head.startswith(MAGIC):
            continue
        try:
            header = parse_header(head, f"{key} of {name}")
        except UnreadableError:
            if len(archive.infolist()) == 1:
                raise
            continue  # a member of objects is no table; it is not opened
        _check_size(info, header, f"{key} of {name}")
        members[key] = info, header
    if not members:
        raise UsageError(f"expected arrays of numbers in {name}, found none")
    return members


def _check_size(info: zipfile.ZipInfo, header: ArrayHeader, name: str) -> None:
    need = header.begin + header.bytes
    if need != info.file_size:
        raise UnreadableError(
            f"the array {name} declares {need:,} bytes, and its member has {info.file_size:,}", "save it again"
        )
    if cannot_unpack(info):
        raise UnreadableError(f"the array {name} cannot unpack to {info.file_size:,} bytes: it is corrupt or hostile")


def _rows(archive: zipfile.ZipFile, info: zipfile.ZipInfo, header: ArrayHeader, path: Path) -> np.ndarray:
    if is_mapped(info):
        return map_array(path, header, data_offset(path, info) + header.begin)
    return _unpack(archive, info, header)


def _tie(archive: zipfile.ZipFile, members: _Members, choice: Choice, path: Path) -> Tie | None:
    """Tied or not where the file holds both an input and an output table by name; else an array says nothing."""
    if choice.input is None or choice.output is None:
        return None
    first, second = choice.input.name, choice.output.name

    def equal() -> bool:
        rows = [_rows(archive, *members[name], path) for name in (first, second)]
        return bool(np.array_equal(rows[0], rows[1], equal_nan=True))

    return decide_tie(choice, equal)


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, header: ArrayHeader) -> np.ndarray:
    with archive.open(info) as file:
        file.read(header.begin)
        content = file.read(header.bytes)
    array = np.frombuffer(content, header.dtype, int(np.prod(header.shape, dtype=np.int64)))
    return array.reshape(header.shape, order="F" if header.fortran else "C")


def _vocabulary(archive: zipfile.ZipFile, members: _Members, rows: int) -> tuple[Vocabulary, str]:
    """Tokens from the one member that is a list of that many strings, if there is one, with its name."""
    lists = [k for k, (_, h) in members.items() if h.dtype.kind in "US" and h.shape == (rows,) and h.dtype.itemsize]
    if len(lists) != 1:
        return Vocabulary.of_ids(rows), ""
    words = _unpack(archive, *members[lists[0]]).tolist()
    raw = [w if isinstance(w, bytes) else w.encode("utf-8", "surrogatepass") for w in words]
    return from_columns(range(rows), raw, rows), lists[0]


FORMAT = Format("npz", _recognises, _open)
