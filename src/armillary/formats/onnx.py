"""ONNX models: the initializers of the graph, mapped where they lie. No package is needed to read them.

An int8 table that the graph multiplies by one scale a row (Cast, then Mul) is offered under the name of the product,
which is what the model looks rows up in.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from math import prod
from pathlib import Path

from armillary.errors import UnreadableError
from armillary.formats.checkpoint import Checkpoint
from armillary.formats.numbers import BITS
from armillary.formats.protobuf import LENGTH, VARINT, Field, Malformed, fields, numbers, text
from armillary.formats.safetensors import open_checkpoint
from armillary.formats.safetensors_header import Entry
from armillary.formats.source import Format, Request, Source
from armillary.table import Table

_GRAPH, _NODE, _INITIALIZER = 7, 1, 5
_MODEL_WIRES = {1: 0, 2: 2, 3: 2, 4: 2, 5: 0, 6: 2, 7: 2, 8: 2, 14: 2, 20: 2, 25: 2, 26: 2}
_TYPES = {1: "F32", 2: "U8", 3: "I8", 4: "U16", 5: "I16", 6: "I32", 7: "I64", 9: "BOOL", 10: "F16", 11: "F64",
          12: "U32", 13: "U64", 16: "BF16", 17: "F8_E4M3", 19: "F8_E5M2"}  # fmt: skip
_TYPED = {4: "F32", 10: "F64"}  # fields of plain numbers besides raw_data


def _recognises(source: Source) -> bool:
    """A message whose fields are those of a model, as far as its graph."""
    if source.head[:1] != b"\x08" or source.size < 8:
        return False
    try:
        for field in fields(source.head, 0, source.size):
            if _MODEL_WIRES.get(field.number) != field.wire:
                return False
            if field.number == _GRAPH:
                return True
    except (Malformed, IndexError):
        return False
    return False


def _open(source: Source, request: Request) -> Table:
    with source.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            graphs = [f for f in fields(data, 0, len(data)) if f.number == _GRAPH and f.wire == LENGTH]
            tensors = {e.name: (path, e) for graph in graphs for path, e in _initializers(data, graph, source)}
            scales = {name: pair for graph in graphs for name, pair in _scaled(data, graph, tensors)}
        except Malformed as error:
            raise UnreadableError(f"the ONNX file {source.name} is cut or corrupt: {error}", "copy it again") from error
    for name, (whole, _) in scales.items():
        path, entry = tensors.pop(whole)
        tensors[name] = path, Entry(name, entry.shape, entry.stored, entry.begin, entry.end)
    files = (source.path.name, *sorted({p.name for p, _ in tensors.values()} - {source.path.name}))
    factors = {name: factor for name, (_, factor) in scales.items()}
    return open_checkpoint(Checkpoint(source.folder, tensors, files, factors=factors), source, request, "ONNX")


def _initializers(data: mmap.mmap, graph: Field, source: Source) -> Iterator[tuple[Path, Entry]]:
    for field in fields(data, graph.begin, graph.end):
        if field.number == _INITIALIZER and field.wire == LENGTH:
            found = _tensor(data, field, source)
            if found is not None:
                yield found


def _tensor(data: mmap.mmap, message: Field, source: Source) -> tuple[Path, Entry] | None:
    """Where an initializer's numbers lie; None for one that stores them as text or as packed integers."""
    dims: list[int] = []
    kind, name, place, typed = 0, "", (0, 0), ""
    outside: dict[str, str] = {}
    for field in fields(data, message.begin, message.end):
        if field.number == 1:
            dims += numbers(data, field)
        elif field.number == 2 and field.wire == VARINT:
            kind = field.value
        elif field.number == 8 and field.wire == LENGTH:
            name = text(data, field)
        elif field.number == 9 or (field.number in _TYPED and field.wire == LENGTH):
            place, typed = (field.begin, field.end), _TYPED.get(field.number, "")
        elif field.number == 13 and field.wire == LENGTH:
            pair = [text(data, f) for f in fields(data, field.begin, field.end) if f.wire == LENGTH]
            outside |= dict([pair]) if len(pair) == 2 else {}
    stored = _TYPES.get(kind, "")
    if not stored or (typed and typed != stored):
        return None
    size = prod(dims) * BITS[stored] // 8
    if outside:
        return _outside(name, tuple(dims), stored, outside, size, source)
    if place == (0, 0):
        return None
    if place[1] - place[0] != size:
        raise Malformed(f"{name[:80]!r} of shape {tuple(dims)} needs {size:,} bytes and has {place[1] - place[0]:,}")
    return source.path, Entry(name, tuple(dims), stored, *place)


def _outside(
    name: str, shape: tuple[int, ...], stored: str, where: dict[str, str], size: int, source: Source
) -> tuple[Path, Entry]:
    """A tensor in a file beside the model; its name must be a plain one."""
    file = where.get("location", "")
    if Path(file).name != file or "\\" in file or "\0" in file or not file:
        raise Malformed(f"{name[:80]!r} is said to lie in {file[:80]!r}, outside the folder")
    begin = where.get("offset", "0")
    if not begin.isascii() or not begin.isdigit() or len(begin) > 18:
        raise Malformed(f"the offset of {name[:80]!r} is no number")
    path = source.folder / file
    there = path.stat().st_size if path.is_file() else 0
    if int(begin) + size > there:
        raise Malformed(f"{name[:80]!r} needs {int(begin) + size:,} bytes of {file[:80]}, and {there:,} are there")
    return path, Entry(name, shape, stored, int(begin), int(begin) + size)


def _scaled(
    data: mmap.mmap, graph: Field, tensors: dict[str, tuple[Path, Entry]]
) -> Iterator[tuple[str, tuple[str, tuple[Path, Entry]]]]:
    """(product, (int8 table, its scales)) for each Mul of a cast int8 table by one float32 a row."""
    cast: dict[str, str] = {}
    for field in fields(data, graph.begin, graph.end):
        if field.number != _NODE or field.wire != LENGTH:
            continue
        parts = [
            (f.number, text(data, f)) for f in fields(data, field.begin, field.end) if f.wire == LENGTH and f.number < 5
        ]
        inputs, outputs = [t for n, t in parts if n == 1], [t for n, t in parts if n == 2]
        kind = next((t for n, t in parts if n == 4), "")
        if kind == "Cast" and len(inputs) == len(outputs) == 1 and inputs[0] in tensors:
            cast[outputs[0]] = inputs[0]
        if kind != "Mul" or len(inputs) != 2 or len(outputs) != 1:
            continue
        whole, factor = cast.get(inputs[0], ""), inputs[1]
        if whole in tensors and factor in tensors and _one_a_row(tensors[whole][1], tensors[factor][1]):
            yield outputs[0], (whole, tensors[factor])


def _one_a_row(whole: Entry, factor: Entry) -> bool:
    return (
        len(whole.shape) == 2
        and whole.stored in ("I8", "U8")
        and factor.stored == "F32"
        and factor.shape == (whole.shape[0], 1)
    )


FORMAT = Format("ONNX", _recognises, _open)
