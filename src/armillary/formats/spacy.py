"""Word vectors of a spaCy pipeline, without spaCy: its folder, or the folder `vocab` in it.

`vectors` is an npy array, `strings.json` a list of strings, `key2row` a msgpack map from 64-bit hashes of strings to
rows. Several words may point at one row where a table was pruned; the first key of a row is the word it was made for.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from armillary.errors import UnreadableError, UsageError
from armillary.formats import npy
from armillary.formats.npy_header import parse_header
from armillary.formats.source import Format, Request, Source, read_source
from armillary.formats.tokens import TokenList, fit_to_rows
from armillary.formats.vocabularies import vocabulary_facts
from armillary.shapes import UInt64
from armillary.table import Kind, Table, Vocabulary, unused_or_normal

_FILES = ("vectors", "key2row", "strings.json")
_FIRST_CODE = 0xCC  # msgpack: a byte below 0x80 is itself; codes 0xCC … 0xCF lead integers of 1, 2, 4, 8 bytes
_SIZES = [1] * 0x80 + [0] * (_FIRST_CODE - 0x80) + [2, 3, 5, 9] + [0] * (0xFF - 0xCF)
_MIX = np.uint64(0xC6A4A7935BD1E995)


def _vocab(source: Source) -> Path | None:
    """The folder that holds the three files: the source itself, or `vocab` in it."""
    if not source.is_folder:
        return None
    if set(_FILES) <= set(source.entries):
        return source.path
    inner = source.path / "vocab"
    return inner if "meta.json" in source.entries and all((inner / name).is_file() for name in _FILES) else None


def _recognises(source: Source) -> bool:
    return _vocab(source) is not None


def _open(source: Source, request: Request) -> Table:
    folder = _vocab(source)
    assert folder is not None
    if request.tensor not in (None, "vectors"):
        raise UsageError(
            f"expected a tensor vectors in {source.name}, found none named {request.tensor}", "fetch the pipeline again"
        )
    array = read_source(folder / "vectors", f"{source.name}/vectors")
    if not array.size or (npy.FORMAT.recognises(array) and parse_header(array.head, array.name).bytes == 0):
        raise UnreadableError(
            f"expected word vectors in the spaCy pipeline {source.name}, found none", "one of size md or lg has them"
        )
    table = npy.FORMAT.open(array, replace(request, tensor=None))
    vocabulary, shared = _vocabulary(folder, len(table))
    report = replace(
        table.load_report,
        format="spaCy vectors",
        files_read=_FILES,
        tensor="vectors",
        tied_because="a file of word vectors holds one table",
        notes=(*table.load_report.notes, *([f"{shared:,} more words share a row with another"] if shared else [])),
        **vocabulary_facts(vocabulary),
    )
    provenance = replace(table.provenance, source=source.name, tensor="vectors")
    return replace(table, vocabulary=vocabulary, load_report=report, provenance=provenance)


def _vocabulary(folder: Path, rows: int) -> tuple[Vocabulary, int]:
    """The words of the rows, and how many more words point at a row that has one."""
    keys, targets = key_rows((folder / "key2row").read_bytes())
    words = words_of_rows(_strings(folder / "strings.json"), keys, targets, rows)
    names = [word or "" for word in words]
    kinds = [Kind.NO_TOKEN if word is None else unused_or_normal(word) for word in words]
    raw = [name.encode("utf-8", "surrogatepass") for name in names]
    tokens = TokenList(raw, names, np.array(kinds, np.uint8))
    return fit_to_rows(tokens, rows), len(targets) - len(np.unique(targets))


def _strings(path: Path) -> list[str]:
    try:
        found = json.loads(path.read_bytes())
        if not isinstance(found, list) or not set(map(type, found)) <= {str}:
            raise ValueError("it is no list of strings")
    except (ValueError, RecursionError) as error:
        raise UnreadableError(
            f"expected spaCy's list of strings in {path}, found other data: {str(error)[:80]}",
            "fetch the pipeline again",
        ) from error
    return found


def words_of_rows(
    strings: Sequence[str], keys: UInt64[np.ndarray, "n"], targets: UInt64[np.ndarray, "n"], rows: int
) -> list[str | None]:
    """The word of each row, the first that points at it; None where no string of the list has the hash."""
    inside = targets < rows
    first = np.unique(targets[inside], return_index=True)[1]
    row_of = dict(zip(keys[inside][first].tolist(), targets[inside][first].tolist(), strict=True))
    hashes = string_hashes([string.encode("utf-8", "surrogatepass") for string in strings])
    words: list[str | None] = [None] * rows
    for i in np.flatnonzero(np.isin(hashes, keys[inside][first])).tolist():
        words[row_of[int(hashes[i])]] = strings[i]
    return words


def string_hashes(strings: Sequence[bytes]) -> UInt64[np.ndarray, "n"]:
    """MurmurHash64A with seed 1 (Appleby, 2008) of each string: spaCy's hash of its UTF-8 bytes."""
    hashes = np.empty(len(strings), np.uint64)
    lengths = np.fromiter(map(len, strings), np.int64, len(strings))
    for length in np.unique(lengths).tolist():  # strings of one length are hashed side by side
        ids = np.flatnonzero(lengths == length)
        data = np.frombuffer(b"".join(strings[i] for i in ids.tolist()), np.uint8).reshape(len(ids), length)
        hashes[ids] = _hashes(data)
    return hashes


def _hashes(data: np.ndarray) -> UInt64[np.ndarray, "n"]:
    n, length = data.shape
    whole = length & ~7
    padded = np.zeros((n, whole + 8), np.uint8)
    padded[:, :length] = data
    parts = padded.view("<u8").astype(np.uint64)
    with np.errstate(over="ignore"):
        value = np.full(n, np.uint64(1) ^ np.uint64(length) * _MIX)
        for i in range(whole // 8):
            part = parts[:, i] * _MIX
            value = (value ^ ((part ^ (part >> np.uint64(47))) * _MIX)) * _MIX
        if whole < length:
            value = (value ^ parts[:, -1]) * _MIX
        value = (value ^ (value >> np.uint64(47))) * _MIX
    return value ^ (value >> np.uint64(47))


def key_rows(data: bytes) -> tuple[UInt64[np.ndarray, "n"], UInt64[np.ndarray, "n"]]:
    """Hashes and rows of a msgpack map of unsigned integers, in order. UnreadableError for anything else."""
    width = {0xDE: 2, 0xDF: 4}.get(data[0] if data else 0, 0)
    if not width and not (data and data[0] & 0xF0 == 0x80):  # a map of at most fifteen pairs has its count in the code
        raise UnreadableError(
            f"expected a msgpack map of hashes to rows, found first byte {data[:1].hex() or 'none'}",
            "fetch the pipeline again",
        )
    count = int.from_bytes(data[1 : 1 + width], "big") if width else data[0] & 0x0F
    starts = _starts(data, 1 + width)
    if len(starts) != 2 * count:
        raise UnreadableError(
            f"expected {count:,} pairs in the map of hashes to rows, found {len(starts) / 2:,.1f}", "fetch it again"
        )
    numbers = _values(np.frombuffer(data, np.uint8), np.array(starts, np.int64))
    return numbers[::2], numbers[1::2]


def _starts(data: bytes, at: int) -> list[int]:
    """Where each unsigned integer of a msgpack stream begins."""
    starts: list[int] = []
    add, sizes, end = starts.append, _SIZES, len(data)
    while at < end:
        add(at)
        size = sizes[data[at]]
        if not size:
            raise UnreadableError(
                f"expected an unsigned integer at byte {at:,} of the map, found code {data[at]:#04x}",
                "fetch the pipeline again",
            )
        at += size
    return starts if at == len(data) else starts[:-1]


def _values(data: np.ndarray, starts: np.ndarray) -> UInt64[np.ndarray, "n"]:
    codes = data[starts]
    values = codes.astype(np.uint64)
    for size in (1, 2, 4, 8):
        chosen = np.flatnonzero(codes == _FIRST_CODE + size.bit_length() - 1)
        parts = data[starts[chosen, None] + np.arange(1, size + 1)].astype(np.uint64)
        values[chosen] = (parts << (8 * np.arange(size - 1, -1, -1)).astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    return values


FORMAT = Format("spaCy vectors", _recognises, _open)
