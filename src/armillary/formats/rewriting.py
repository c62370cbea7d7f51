"""A Hugging Face folder written anew with other rows in its tables: every other number is copied byte for byte.

The tables are the input table, the output table where it is stored too, and biases of one number a token. Config and
tokenizer files follow. Nothing of the old folder is changed; the new one appears whole or not at all.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np

from armillary.errors import UsageError, WorkError
from armillary.formats.checkpoint import Checkpoint, from_index, single_file
from armillary.formats.choice import choose_table
from armillary.formats.config import read_config
from armillary.formats.layouts import OUTPUT_BIASES
from armillary.formats.numbers import BITS, MappedRows, decoder, map_rows
from armillary.formats.rewriting_tokens import add_tokens
from armillary.formats.safetensors_header import Entry, read_header
from armillary.shapes import Float32
from armillary.storage import atomic_folder

_SINGLE, _INDEX = "model.safetensors", "model.safetensors.index.json"
_WEIGHTS = (".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".onnx", ".gguf", ".h5", ".msgpack", ".npz")
_CHUNK = 1 << 24
_ENCODED = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}

_NewRows: TypeAlias = Mapping[int, np.ndarray]  # id -> float32 (d)


@dataclass(frozen=True)
class StoredTable:
    """A tensor with one row, or one number, a token: `role` is input, output or bias; a bias has rows of width 1."""

    role: str
    entry: Entry
    path: Path
    rows: MappedRows


@dataclass(frozen=True)
class Written:
    """What was written: `files` that differ from the old folder's, and what a reader must know."""

    folder: Path
    files: tuple[str, ...]
    notes: tuple[str, ...] = field(default=())


def stored_tables(folder: Path) -> list[StoredTable]:
    """The tensors of a folder that have a row a token; UsageError for a folder that cannot be written anew."""
    checkpoint = _checkpoint(folder)
    choice = choose_table(checkpoint.entries, str(folder), None, "input", read_config(folder).vocabulary_size)
    found = {"input": choice.input or choice.table, "output": choice.output}
    tables = [_stored(role, checkpoint, t.name) for role, t in found.items() if t is not None]
    V = tables[0].entry.shape[0]
    tables += [_stored("bias", checkpoint, e.name) for e in checkpoint.entries if e.shape == (V,) and _is_bias(e.name)]
    return tables


def _is_bias(name: str) -> bool:
    return any(name == known or name.endswith("." + known) for known in OUTPUT_BIASES)


def _checkpoint(folder: Path) -> Checkpoint:
    if (folder / _SINGLE).is_file():
        return single_file(folder / _SINGLE, str(folder / _SINGLE))
    if (folder / _INDEX).is_file():
        checkpoint = from_index(folder / _INDEX, [p.name for p in folder.iterdir()])
        if not checkpoint.broken:
            return checkpoint
        raise next(iter(checkpoint.broken.values()))
    raise UsageError(
        f"expected a folder with {_SINGLE} to write the whole model anew, found none in {folder}",
        "name an output that ends in .safetensors: the table alone",
    )


def _stored(role: str, checkpoint: Checkpoint, name: str) -> StoredTable:
    path, entry = checkpoint.tensors[name]
    decode = decoder(entry.stored)
    if decode is None or entry.stored not in (*_ENCODED, "BF16"):
        raise UsageError(
            f"expected {name} in F32, F16, BF16 or F64 to write it anew, found {entry.stored}",
            "name an output that ends in .safetensors: the table alone, in float32",
        )
    V, width = entry.shape if len(entry.shape) == 2 else (entry.shape[0], 1)
    raw = map_rows(str(path), entry.begin, V, width * BITS[entry.stored] // 8)
    return StoredTable(role, entry, path, MappedRows(raw, width, decode, entry.stored))


def write_model(
    folder: Path,
    target: Path,
    new: Mapping[str, _NewRows],
    rows: int,
    added: Mapping[int, bytes],
    *,
    record: tuple[str, Callable[[Sequence[str]], str]] | None = None,
) -> Written:
    """Write `folder` anew as `target` with new rows by tensor and id, `rows` rows in each, and tokens by id.

    `record`: name and text of one more file, the text from the names of the files that differ. UsageError where something is at `target`; WorkError if the disk fails or what is read back differs.
    """
    checkpoint = _checkpoint(folder)
    with atomic_folder(target) as temporary:
        left_out = _copied(folder, temporary, checkpoint)
        for name in sorted({path.name for path, _ in checkpoint.tensors.values()}):
            _write_tensors(folder / name, temporary / name, new, rows)
        changed = _config_written(temporary, rows)
        changed += _index_written(temporary)
        tokens, notes = add_tokens(temporary, added)
        _read_back(temporary, new, rows)
        weights = {path.name for name, (path, _) in checkpoint.tensors.items() if name in new}
        files = tuple(sorted({*weights, *changed, *tokens}))
        if record:
            (temporary / record[0]).write_text(record[1](files), "utf-8")
    notes = [*notes, *([f"not copied, since they hold the old table: {', '.join(left_out)}"] if left_out else [])]
    return Written(target, files, tuple(notes))


def _copied(folder: Path, target: Path, checkpoint: Checkpoint) -> list[str]:
    """Copy every file but weights; names of weights that are not written anew."""
    weights = {path.name for path, _ in checkpoint.tensors.values()}
    left_out: list[str] = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_dir() or str(name) in weights:
            continue
        if name.parts[0].startswith(".") or (len(name.parts) == 1 and path.suffix in _WEIGHTS):
            left_out.append(str(name))
            continue
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target / name)
    return [name for name in left_out if not name.startswith(".")]


def _write_tensors(source: Path, target: Path, new: Mapping[str, _NewRows], rows: int) -> None:
    header = read_header(source, str(source))
    entries = sorted(header.tensors.values(), key=lambda e: (e.begin, e.end))
    fields: dict[str, Any] = {"__metadata__": header.metadata} if header.metadata else {}
    at = 0
    for entry in entries:
        shape = (rows, *entry.shape[1:]) if entry.name in new else entry.shape
        size = (
            (entry.end - entry.begin) // max(entry.shape[0], 1) * rows if entry.name in new else entry.end - entry.begin
        )
        fields[entry.name] = {"dtype": entry.stored, "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(fields, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with source.open("rb") as old, target.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for entry in entries:
            if entry.name in new:
                _write_table(old, file, entry, new[entry.name], rows)
            else:
                _copy(old, file, entry.begin, entry.end)


def _copy(old: IO[bytes], file: IO[bytes], begin: int, end: int) -> None:
    old.seek(begin)
    while begin < end:
        chunk = old.read(min(_CHUNK, end - begin))
        if not chunk:
            raise WorkError("expected the old weights to stay as they are while they are read, found them cut")
        file.write(chunk)
        begin += len(chunk)


def _write_table(old: IO[bytes], file: IO[bytes], entry: Entry, new: _NewRows, rows: int) -> None:
    """The old bytes of the rows that stay, the new rows in the stored type."""
    begin, size = file.tell(), (entry.end - entry.begin) // entry.shape[0]
    kept = min(rows, entry.shape[0])
    _copy(old, file, entry.begin, entry.begin + kept * size)
    file.write(bytes(max(0, rows - kept) * size))
    for id, row in new.items():
        file.seek(begin + id * size)
        file.write(encoded(row, entry.stored))
    file.seek(begin + rows * size)


def encoded(row: Float32[np.ndarray, "d"], stored: str) -> bytes:
    """A row in a stored type, each number rounded to the nearest; UsageError for one too large for the type."""
    if stored == "BF16":
        bits = np.ascontiguousarray(row, "<f4").view("<u4").astype(np.uint64)
        nearest = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16  # halves to the even neighbour
        return nearest.astype("<u2").tobytes()
    with np.errstate(over="ignore", invalid="ignore"):
        values = row.astype(_ENCODED[stored])
    if not np.isfinite(values).all():
        raise UsageError(f"expected a row whose numbers {stored} can hold, found {float(np.abs(row).max()):.3g}")
    return values.tobytes()


def _config_written(folder: Path, rows: int) -> list[str]:
    path = folder / "config.json"
    if not path.is_file():
        return []
    fields = json.loads(path.read_bytes())
    holders = [h for h in (fields, fields.get("text_config")) if isinstance(h, dict) and "vocab_size" in h]
    if all(holder["vocab_size"] == rows for holder in holders):
        return []
    for holder in holders:
        holder["vocab_size"] = rows
    path.write_text(json.dumps(fields, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return [path.name]


def _index_written(folder: Path) -> list[str]:
    path = folder / _INDEX
    if not path.is_file() or (folder / _SINGLE).is_file():
        return []
    index = json.loads(path.read_bytes())
    sizes = [e.end - e.begin for n in set(index["weight_map"].values()) for e in _entries(folder / n)]
    counts = [e.count for n in set(index["weight_map"].values()) for e in _entries(folder / n)]
    claims = index.get("metadata") or {}
    fresh = {"total_size": sum(sizes), "total_parameters": sum(counts)}
    index["metadata"] = claims | {name: value for name, value in fresh.items() if name in claims}
    path.write_text(json.dumps(index, indent=2) + "\n", "utf-8")
    return [path.name]


def _entries(path: Path) -> Sequence[Entry]:
    return list(read_header(path, str(path)).tensors.values())


def _read_back(folder: Path, new: Mapping[str, _NewRows], rows: int) -> None:
    for table in stored_tables(folder):
        ids = sorted(new.get(table.entry.name, {}))
        wanted = [encoded(new[table.entry.name][i], table.entry.stored) for i in ids]
        decode: Callable[..., Any] | None = decoder(table.entry.stored)
        assert decode is not None
        expected = [decode(np.frombuffer(raw, np.uint8)[None])[0] for raw in wanted]
        if table.entry.shape[0] != rows or not np.array_equal(
            table.rows.take(np.array(ids, np.int64)), np.reshape(expected, (len(ids), -1)) if ids else np.zeros((0, table.rows.shape[1]))
        ):  # fmt: skip
            raise WorkError(f"what was read back of {table.entry.name} differs from what was written", "check the disk")
