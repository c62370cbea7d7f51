"""The embedding table of a GGUF file, with its tokens, provenance and load report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from armillary.formats.choice import Choice, Tensor, choose_table
from armillary.formats.gguf.cache import CachedRows
from armillary.formats.gguf.file import GGUFFile
from armillary.formats.layouts import embedding_scale
from armillary.formats.source import Format, Request, Role, Source
from armillary.formats.ties import Tie, decide_tie, repeated_output
from armillary.formats.tokens import fit_to_rows, tokens_of_gguf
from armillary.formats.vocabularies import vocabulary_facts
from armillary.table import LoadReport, Provenance, RowDecoder, Table, Vocabulary

# architectures of llama.cpp that read text in and hand vectors out: no output table belongs to them
_WITHOUT_OUTPUT = ("bert", "t5encoder", "clip", "gemma-embedding", "eurobert")
# types that are decoded on each pass: 0.3 s of CPU for 262,144 × 640 in Q8_0, several times a warm float32 map, yet not
# worth 671 MB of disk. Block types that the package decodes take three to eight times as long again: they are cached.
_DIRECT = frozenset({"F32", "F16", "BF16", "F64", "I8", "I16", "I32", "I64", "Q8_0"})


def open_gguf(
    path: Path, *, tensor: str | None = None, role: Role = "input", cache: bool = True, name: str | None = None
) -> Table:
    """The table of a role, or the tensor that is named, in a GGUF file (all parts of a split one).

    Reads headers only. A table of a type that is slow to decode (any quantisation but Q8_0) is decoded into the
    user's cache on the first pass over its rows, unless `cache` is false. UnreadableError for a file that is cut, damaged or hostile; UsageError for a tensor not there.
    """
    file = GGUFFile.open(path)
    source = name or str(path)
    tokens = tokens_of_gguf(file.keys)
    tensors = [Tensor(t.name, t.shape, t.stored) for t in file.tensors.values()]
    choice = choose_table(tensors, source, tensor, role, len(tokens.raw) if tokens else None)
    tie = _tie(file, choice)
    rows, width = choice.table.shape
    vocabulary = fit_to_rows(tokens, rows) if tokens else Vocabulary.of_ids(rows)
    vectors = _vectors(file, choice.table, cache)
    return Table(
        vectors,
        vocabulary,
        Provenance(
            source=source,
            tensor=choice.table.name,
            stored=choice.table.stored,
            tied=tie.tied,
            scale=embedding_scale(file.architecture, width, _settings(file)),
            parameters=file.parameters(repeated_output(choice, tie)),
            architecture=file.architecture,
            licence=str(file.keys.get("general.license", "")),
        ),
        _report(file, choice, tie, vocabulary, vectors),
        MappingProxyType(file.keys),
    )


def _recognises(source: Source) -> bool:
    return source.head[:4] == b"GGUF"


def _open(source: Source, request: Request) -> Table:
    return open_gguf(source.path, tensor=request.tensor, role=request.role, cache=request.cache, name=source.name)


FORMAT = Format("GGUF", _recognises, _open)


def _vectors(file: GGUFFile, table: Tensor, cache: bool) -> RowDecoder:
    rows = file.rows(table.name)
    if table.stored in _DIRECT or not cache:
        return rows
    return CachedRows(rows, file.stored_bytes(table.name), table.stored)


def _settings(file: GGUFFile) -> Mapping[str, Any]:
    """Keys of the architecture, without its name before them."""
    prefix = file.architecture + "."
    return {key.removeprefix(prefix): value for key, value in file.keys.items() if key.startswith(prefix)}


def _tie(file: GGUFFile, choice: Choice) -> Tie:
    """In GGUF a missing `output.weight` means that the input table is the output table, unless there is no output."""
    has_output = not any(name in file.architecture for name in _WITHOUT_OUTPUT)
    tie = decide_tie(choice, lambda: _same_bytes(file, choice), has_output=has_output)
    if tie.tied and choice.output is None:
        return replace(
            tie, because="there is no output.weight, which in GGUF means that the input table is the output table"
        )
    return tie


def _same_bytes(file: GGUFFile, choice: Choice) -> bool:
    """Whether input and output are stored alike and equal; two quantisations of one table count as two tables."""
    if choice.input is None or choice.output is None or choice.input.stored != choice.output.stored:
        return False
    first, second = file.stored_bytes(choice.input.name), file.stored_bytes(choice.output.name)
    step = 4096
    return all(np.array_equal(first[i : i + step], second[i : i + step]) for i in range(0, len(first), step))


def _report(file: GGUFFile, choice: Choice, tie: Tie, vocabulary: Vocabulary, vectors: RowDecoder) -> LoadReport:
    rows, width = choice.table.shape
    return LoadReport(
        format="GGUF" if len(file.paths) == 1 else f"GGUF in {len(file.paths)} parts",
        files_read=tuple(path.name for path in file.paths),
        tensor=choice.table.name,
        stored=choice.table.stored,
        rows=rows,
        width=width,
        tied_because=tie.because,
        contradictions=(*tie.contradictions, *_contradictions(file, rows, width, vocabulary)),
        notes=(*choice.notes, *_notes(vectors)),
        candidates=choice.candidates,
        **vocabulary_facts(vocabulary),
    )


def _contradictions(file: GGUFFile, rows: int, width: int, vocabulary: Vocabulary) -> tuple[str, ...]:
    settings = _settings(file)
    found = [f"{extra:,} bytes follow the last tensor of {name}" for name, extra in file.trailing]
    said = settings.get("vocab_size")
    if isinstance(said, int) and said != rows:
        found.append(f"the key {file.architecture}.vocab_size says {said:,} tokens, and the table has {rows:,} rows")
    said = settings.get("embedding_length")
    if isinstance(said, int) and said != width:
        found.append(f"the key {file.architecture}.embedding_length says {said:,}, and the rows are {width:,} wide")
    return tuple(found)


def _notes(vectors: RowDecoder) -> tuple[str, ...]:
    if not isinstance(vectors, CachedRows):
        return ()
    size = vectors.decoded_bytes / 1e6
    return (
        f"the first pass over the rows decodes them to {size:,.0f} MB of float32 in the cache (--no-cache: each pass anew)",
    )
