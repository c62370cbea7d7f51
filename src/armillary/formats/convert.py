"""A table written in another format, with its vocabulary: what the ending of the file says.

Text formats carry words, so a token that they cannot carry (a newline, a space in word2vec's binary form, two that look
the same to the reader) is refused with its id rather than changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import numpy as np

from armillary.errors import UsageError
from armillary.formats.sidecar import check_table_name
from armillary.formats.write import write_safetensors, write_with_tokens
from armillary.storage import atomic_path
from armillary.table import Table

Writer = Callable[[Table, Path], tuple[Path, ...]]


def convert(table: Table, path: str | Path) -> tuple[Path, ...]:
    """Write a table to `path` in the format of its ending, and give back the paths written.

    float32 rows in order. UsageError for another ending, a token that the format cannot carry, or tokens of another
    table where these would go; WorkError if the disk fails. A file that was there before is untouched then.
    """
    target = Path(path)
    write = _WRITERS.get(target.suffix.lower())
    if write is None:
        *others, last = _WRITERS
        endings = f"{', '.join(others)} or {last}"
        raise UsageError(f"expected a file that ends in {endings}, found {target.name}", f"end its name in {endings}")
    check_table_name(target)
    return write(table, target)


def _write_npy(table: Table, path: Path) -> tuple[Path, ...]:
    """The rows as npy, the tokens in the file beside it that is found again."""

    def write(temporary: Path) -> None:
        with temporary.open("wb") as file:
            header = {"descr": "<f4", "fortran_order": False, "shape": table.shape}
            np.lib.format.write_array_header_1_0(file, header)
            for block in _blocks(table):
                file.write(block.data)

    return write_with_tokens(path, table.vocabulary, write)


def _write_parquet(table: Table, path: Path) -> tuple[Path, ...]:
    """One row a token: id, bytes, text, vector (a list of float32)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    d = table.shape[1]
    vector = pa.list_(pa.float32(), d)
    schema = pa.schema([("id", pa.int64()), ("bytes", pa.binary()), ("text", pa.string()), ("vector", vector)])
    with atomic_path(path) as temporary, pq.ParquetWriter(temporary, schema) as writer:
        start = 0
        for block in _blocks(table):
            ids = range(start, start + len(block))
            lists = pa.FixedSizeListArray.from_arrays(pa.array(block.ravel()), d)
            columns = [pa.array(ids, pa.int64()), pa.array([table.vocabulary.raw[i] for i in ids], pa.binary())]
            text = pa.array([table.token(i).text for i in ids], pa.string())
            writer.write_batch(pa.record_batch([*columns, text, lists], schema=schema))
            start += len(block)
    return (path,)


def _write_text(table: Table, path: Path) -> tuple[Path, ...]:
    """word2vec's text form: a header, then a word and its numbers a line, each the shortest that reads back the same."""
    words = _checked(table, b"\n\0", "word2vec text")
    V, d = table.shape
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        file.write(b"%d %d\n" % (V, d))
        at = 0
        for block in _blocks(table):
            for row in block:
                file.write(words[at] + b" " + " ".join(map(str, row)).encode() + b"\n")
                at += 1
    return (path,)


def _write_binary(table: Table, path: Path) -> tuple[Path, ...]:
    """word2vec's binary form, with a newline after each vector as the original program writes it."""
    words = _checked(table, b" \n\0", "word2vec binary")
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        file.write(b"%d %d\n" % table.shape)
        at = 0
        for block in _blocks(table):
            at = _write_records(file, words, block, at)
    return (path,)


def _write_records(file: IO[bytes], words: list[bytes], block: np.ndarray, at: int) -> int:
    for row in block:
        file.write(words[at] + b" " + row.tobytes() + b"\n")
        at += 1
    return at


def _blocks(table: Table) -> Iterator[np.ndarray]:
    for _, block in table.blocks():
        yield np.ascontiguousarray(block, "<f4")


def _checked(table: Table, forbidden: bytes, format: str) -> list[bytes]:
    """The words of a text format. UsageError names the first token that a reader would not give back."""
    seen: dict[bytes, int] = {}
    for id, word in enumerate(table.vocabulary.raw):
        problem = _problem(word, forbidden)
        if not problem and seen.setdefault(word, id) != id:
            problem = f"the same bytes as token {seen[word]:,}, which readers keep once"
        if problem:
            raise UsageError(
                f"token {id:,} ({table.token(id).text[:40]}) cannot be carried by {format}: it holds {problem}",
                "convert to .safetensors, .npy or .parquet",
            )
    return list(table.vocabulary.raw)


def _problem(word: bytes, forbidden: bytes) -> str:
    if not word:
        return "nothing"
    byte = next((b for b in word if b in forbidden), None)
    if byte is not None:
        return f"the byte {byte:#04x}"
    if word != word.strip() or any(b in b" \t\r\x0b\x0c" for b in word):
        return "white space, at which other readers split"
    try:
        word.decode()
    except UnicodeDecodeError:
        return "bytes that are no UTF-8, which other readers change"
    return "white space of Unicode, at which other readers split" if len(word.decode().split()) != 1 else ""


_WRITERS: dict[str, Writer] = {
    ".safetensors": lambda table, path: write_safetensors(table, path),
    ".npy": _write_npy,
    ".parquet": _write_parquet,
    ".vec": _write_text,
    ".bin": _write_binary,
}
