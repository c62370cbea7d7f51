"""NumPy's npy: one array, mapped. Never unpickled; Fortran order is honoured; the size must be the one declared."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from armillary.errors import UnreadableError, UsageError
from armillary.formats.npy_header import MAGIC, ArrayHeader, check_table, parse_header
from armillary.formats.numbers import PRECISE
from armillary.formats.source import Format, Request, Source
from armillary.table import ArrayRows, LoadReport, Provenance, Table, Vocabulary


def _recognises(source: Source) -> bool:
    return source.head.startswith(MAGIC)


def _open(source: Source, request: Request) -> Table:
    if request.tensor is not None:
        raise UsageError(f"{source.name} holds one array without a name, and no tensor {request.tensor}")
    header = parse_header(source.head, source.name)
    check_table(header, source.name)
    _check_size(header, source.size, source.name)
    report = array_report(header, "npy", (source.path.name,), "")
    provenance = Provenance(source.name, stored=header.stored)
    rows = ArrayRows(map_array(source.path, header, header.begin))
    return Table(rows, Vocabulary.of_ids(header.shape[0]), provenance, report)


def _check_size(header: ArrayHeader, size: int, name: str) -> None:
    need = header.begin + header.bytes
    if size < need:
        raise UnreadableError(
            f"the npy file {name} is cut: shape {header.shape} needs {need:,} bytes, and {size:,} are there",
            "copy it again",
        )
    if size > need:
        raise UnreadableError(
            f"the npy file {name} has trailing bytes: shape {header.shape} needs {need:,} bytes, {size:,} are there",
            "save it again",
        )


def map_array(path: Path, header: ArrayHeader, offset: int) -> np.ndarray:
    """The array mapped read-only, in the order it is stored in."""
    if header.shape[0] == 0:
        return np.zeros(header.shape, header.dtype)
    return np.memmap(path, header.dtype, "r", offset, header.shape, "F" if header.fortran else "C")


def array_report(header: ArrayHeader, format: str, files: tuple[str, ...], tensor: str) -> LoadReport:
    """The load report of an array that names nothing."""
    return LoadReport(
        format=format,
        files_read=files,
        tensor=tensor,
        stored=header.stored,
        rows=header.shape[0],
        width=header.shape[1],
        tied_because="an array says nothing about a model",
        notes=(PRECISE,) if header.stored == "F64" else (),
    )


FORMAT = Format("npy", _recognises, _open)
