"""safetensors and PyTorch checkpoints: one file, or an index with its shards. Only headers are read; rows stay mapped."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

import numpy as np

from armillary.errors import UnreadableError
from armillary.formats.checkpoint import Checkpoint, from_index, single_file
from armillary.formats.choice import Choice, choose_table
from armillary.formats.config import Config, read_config
from armillary.formats.layouts import INPUT_NAMES, OUTPUT_NAMES
from armillary.formats.model2vec import MAPPING, ROWS, WEIGHTS, shared_rows
from armillary.formats.numbers import (
    BITS,
    PRECISE,
    MappedRows,
    ScaledRows,
    decoder,
    map_rows,
    map_strided,
    plain_numbers,
)
from armillary.formats.pytorch import is_checkpoint
from armillary.formats.safetensors_header import Entry, recognises_head
from armillary.formats.source import Format, Request, Source
from armillary.formats.ties import Tie, decide_tie, repeated_output
from armillary.formats.vocabularies import files_beside, folder_vocabulary, vocabulary_facts
from armillary.table import LoadReport, Provenance, RowDecoder, Table, Vocabulary


def _recognises(source: Source) -> bool:
    return recognises_head(source.head, source.size)


def _recognises_pytorch(source: Source) -> bool:
    return is_checkpoint(source.head)


def _recognises_index(source: Source) -> bool:
    return source.head.lstrip()[:1] == b"{" and b'"weight_map"' in source.head


def _open(source: Source, request: Request) -> Table:
    return open_checkpoint(single_file(source.path, source.name), source, request, "safetensors")


def _open_pytorch(source: Source, request: Request) -> Table:
    return open_checkpoint(single_file(source.path, source.name), source, request, "PyTorch checkpoint")


def _open_index(source: Source, request: Request) -> Table:
    siblings = [p.name for p in source.folder.iterdir()]
    checkpoint = from_index(source.path, siblings)
    kind = "safetensors" if all(".safetensors" in name for name in checkpoint.promised.values()) else "PyTorch"
    return open_checkpoint(checkpoint, source, request, f"{kind} shards")


_WHOLE = frozenset({"I64", "I32", "U32", "I16", "U16", "U8", "I8"})
_PLAIN = frozenset({"F64", "F32", "F16"})

FORMAT = Format("safetensors", _recognises, _open)
PYTORCH = Format("PyTorch checkpoint", _recognises_pytorch, _open_pytorch)
INDEX = Format("index of shards", _recognises_index, _open_index)


def open_checkpoint(checkpoint: Checkpoint, source: Source, request: Request, format: str) -> Table:
    """The table of a checkpoint, with the config and the tokenizer that lie beside it."""
    config = read_config(checkpoint.folder)
    checkpoint.require(INPUT_NAMES if request.role == "input" else OUTPUT_NAMES, request.tensor)
    choice = choose_table(
        checkpoint.entries, source.name, request.tensor, request.role, config.vocabulary_size, checkpoint.index
    )
    rows = _rows(checkpoint, choice.table.name)
    shared = _shared(checkpoint) if choice.table.name == ROWS and request.tensor is None else {}
    if shared:
        rows = shared_rows(rows, shared.get(MAPPING), shared.get(WEIGHTS), source.name)
    tie = _tie(checkpoint, choice, config)
    vocabulary = folder_vocabulary(checkpoint.folder, rows.shape[0])
    report = _report(checkpoint, choice, tie, config, vocabulary, format, rows.shape)
    if shared:
        report = replace(report, notes=(*report.notes, _shared_note(choice, shared)))
    provenance = Provenance(
        source=source.name,
        tensor=choice.table.name,
        stored=choice.table.stored,
        tied=tie.tied,
        scale=config.scale(rows.shape[1]),
        parameters=checkpoint.parameters(repeated_output(choice, tie))[0],
        architecture=config.architecture,
    )
    return Table(rows, vocabulary, provenance, report, MappingProxyType(dict(config.settings)))


def _rows(checkpoint: Checkpoint, name: str) -> RowDecoder:
    rows = _stored_rows(*checkpoint.tensors[name])
    if name not in checkpoint.factors:
        return rows
    path, factor = checkpoint.factors[name]
    return ScaledRows(rows, _stored_rows(path, factor).block(0, factor.shape[0])[:, 0])


def _stored_rows(path: Path, entry: Entry) -> MappedRows:
    decode = decoder(entry.stored)
    if decode is None:
        raise UnreadableError(
            f"expected numbers that are read in {entry.name}, found type {entry.stored[:20]}",
            "convert it to F16 or BF16",
        )
    V, d = entry.shape
    if entry.strides:
        strides = (entry.strides[0], entry.strides[1])
        raw = map_strided(os.fspath(path), entry.begin, entry.end, (V, d), strides, BITS[entry.stored] // 8)
        return MappedRows(raw, d, decode, entry.stored)
    row_bytes = (entry.end - entry.begin) // V if V else 0
    return MappedRows(map_rows(os.fspath(path), entry.begin, V, row_bytes), d, decode, entry.stored)


def _shared(checkpoint: Checkpoint) -> dict[str, np.ndarray]:
    """Model2Vec's mapping and weights, as far as the file has them."""
    found = {name: checkpoint.tensors[name] for name in (MAPPING, WEIGHTS) if name in checkpoint.tensors}
    return {
        name: plain_numbers(os.fspath(path), entry.begin, entry.shape[0], entry.stored)
        for name, (path, entry) in found.items()
        if len(entry.shape) == 1 and not entry.strides and entry.stored in (_WHOLE if name == MAPPING else _PLAIN)
    }


def _shared_note(choice: Choice, shared: dict[str, np.ndarray]) -> str:
    weighed = ", each times a weight of its own" if WEIGHTS in shared else ""
    return f"tokens share the {choice.table.shape[0]:,} rows of {ROWS}{weighed}; --tensor {ROWS} gives them as stored"


def _tie(checkpoint: Checkpoint, choice: Choice, config: Config) -> Tie:
    promised = [n for n in checkpoint.promised if n not in checkpoint.tensors and n.endswith(OUTPUT_NAMES)]
    if choice.output is None and promised:
        return Tie(None, f"the output table {promised[0]} is in a shard that is not here")
    equal = partial(_equal, checkpoint, choice)
    return decide_tie(choice, equal, claim=config.tied, has_output=config.has_output)


def _equal(checkpoint: Checkpoint, choice: Choice) -> bool:
    assert choice.input is not None and choice.output is not None
    return equal_rows(_rows(checkpoint, choice.input.name), _rows(checkpoint, choice.output.name))


def equal_rows(first: RowDecoder, second: RowDecoder, step: int = 4096) -> bool:
    """Whether two tables of one shape hold the same numbers; stops at the first block that differs."""
    for start in range(0, first.shape[0], step):
        stop = min(start + step, first.shape[0])
        if not np.array_equal(first.block(start, stop), second.block(start, stop), equal_nan=True):
            return False
    return True


def _report(
    checkpoint: Checkpoint,
    choice: Choice,
    tie: Tie,
    config: Config,
    vocabulary: Vocabulary,
    format: str,
    shape: tuple[int, int],
) -> LoadReport:
    V, d = shape
    facts = vocabulary_facts(vocabulary)
    return LoadReport(
        format=format,
        files_read=(*checkpoint.files, *files_beside(checkpoint.folder)),
        files_ignored=checkpoint.ignored,
        tensor=choice.table.name,
        stored=choice.table.stored,
        rows=V,
        width=d,
        tied_because=tie.because,
        contradictions=(*tie.contradictions, *_config_contradictions(config, choice.table.name, V)),
        notes=tuple(n for n in (*choice.notes, *_notes(checkpoint, choice, config)) if n),
        candidates=choice.candidates,
        **facts,
    )


def _config_contradictions(config: Config, name: str, rows: int) -> tuple[str, ...]:
    if config.vocabulary_size is None or config.vocabulary_size == rows:
        return ()
    return (f"the config says {config.vocabulary_size:,} tokens, and {name} has {rows:,} rows",)


def _notes(checkpoint: Checkpoint, choice: Choice, config: Config) -> tuple[str, ...]:
    absent = ", ".join(sorted(checkpoint.broken))
    entry: Entry = checkpoint.tensors[choice.table.name][1]
    return (
        config.note,
        checkpoint.parameters()[1],
        f"shards that the index names and that are absent or unreadable: {absent}" if absent else "",
        PRECISE if entry.stored == "F64" else "",
        "rows are stored as 8-bit integers, each times a factor of its own" if entry.name in checkpoint.factors else "",
    )
