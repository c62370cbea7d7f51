"""npy and npz, token files, folders, and the opener itself (items 15 to 17 of the list, and what is not a table)."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armillary.catalog import resolve
from armillary.errors import UnreadableError, UsageError
from armillary.formats import open_table, write_safetensors
from armillary.table import Kind, Table

A = np.arange(6, dtype=np.float32).reshape(3, 2)


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def opened(folder: Path, content: bytes, **wanted: Any) -> Table:
    (folder / "x").write_bytes(content)
    return open_table(folder / "x", **wanted)


def values(table: Table) -> list[list[float]]:
    return table.rows(range(len(table))).tolist()


# 15. npy
@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f2", "<f8", ">f8", "i1", "<i8", "<u2"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_types_and_orders(tmp_path: Path, dtype: str, order: Any) -> None:
    table = opened(tmp_path, npy(np.array(A, dtype, order=order)))
    assert values(table) == A.tolist()
    assert table.vectors.block(1, 3).tolist() == A[1:].tolist()
    assert table.vectors.block(0, 3).flags.c_contiguous
    assert table.load_report.format == "npy"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (npy(np.array([["a", 1]], object)), r"expected numbers in .*, found Python objects \(dtype object\)"),
        (npy(np.zeros((2, 2), complex)), "expected plain numbers in .*, found dtype complex128"),
        (npy(np.zeros((2, 2), bool)), "found dtype bool"),
        (npy(np.zeros((2, 2), "V2")), "bfloat16 has no name in npy"),
        (npy(np.zeros((2, 2), [("a", "f4")])), "found dtype"),
        (npy(np.zeros(3)), r"two-dimensional array in .*, found shape \(3,\)"),
        (npy(np.zeros((1, 2, 3))), r"found shape \(1, 2, 3\)"),
        (npy(np.zeros((3, 0))), r"found shape \(3, 0\)"),
        (npy(A)[:-1], r"is cut: shape \(3, 2\) needs 152 bytes, and 151 are there"),
        (npy(A) + b"xy", r"has trailing bytes: shape \(3, 2\) needs 152 bytes, 154 are there"),
        (npy(A)[:20], "is cut: its header claims 118 bytes, 20 are there"),
        (b"\x93NUMPY\x02\x00" + struct.pack("<I", 1 << 31), "claims 2,147,483,648 bytes; 10,000 are allowed"),
        (b"\x93NUMPY\x09\x00\x00\x00\x00\x00", "expected an npy header of version 1 to 3"),
        (b"\x93NUMPY\x01\x00\x05\x00{(((\n", "is corrupt"),
        (npy(A).replace(b"<f4", b"<a4"), "expected plain numbers in .*, found dtype <a4"),
        (b"\x93NUMPY\x01\x00\x0f\x00__import__('x')", "is corrupt"),
    ],
)
def test_npy_that_is_no_table(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(UnreadableError, match=message):
        opened(tmp_path, content)


def test_an_npy_declaring_terabytes_is_cut_not_allocated(tmp_path: Path) -> None:
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 4), }\n"
    with pytest.raises(UnreadableError, match="needs 17,592,186,044,4"):
        opened(tmp_path, b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head)


# 15. npz
def npz(compress: bool = False, **arrays: np.ndarray) -> bytes:
    file = io.BytesIO()
    (np.savez_compressed if compress else np.savez)(file, **arrays)
    return file.getvalue()


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npz_members(tmp_path: Path, compress: bool, order: Any) -> None:
    words = np.array(["king", "queen", "東"])
    table = opened(tmp_path, npz(compress, other=np.ones((1, 9)), vectors=np.array(A, order=order), words=words))
    assert values(table) == A.tolist()
    assert table.provenance.tensor == "vectors"
    assert table.find("queen") == [1]
    assert isinstance(table.vectors._array, np.memmap) is not compress  # pyright: ignore
    assert values(opened(tmp_path, npz(a=A, b=2 * A), tensor="b")) == (2 * A).tolist()
    with pytest.raises(UnreadableError, match=r"2 tensors could be the table of .*: a 3×2, b 3×2"):
        opened(tmp_path, npz(a=A, b=A))
    with pytest.raises(UsageError, match="expected a tensor c"):
        opened(tmp_path, npz(a=A, b=A), tensor="c")


def zipped(name: str, content: bytes, method: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_npz_members_that_lie(tmp_path: Path, method: int) -> None:
    with pytest.raises(UnreadableError, match="declares 152 bytes, and its member has 140"):
        opened(tmp_path, zipped("a.npy", npy(A)[:-12], method))
    with pytest.raises(UnreadableError, match="declares 152 bytes, and its member has 155"):
        opened(tmp_path, zipped("a.npy", npy(A) + b"xyz", method))
    with pytest.raises(UnreadableError, match="found Python objects"):
        opened(tmp_path, zipped("a.npy", npy(np.array([[None]], object)), method))
    with pytest.raises(UnreadableError, match=r"the npz file .* is corrupt"):
        opened(tmp_path, zipped("a.npy", npy(A), method)[:-30])
    with pytest.raises(UnreadableError, match=r"the npz file .* is corrupt"):  # a name that is no UTF-8
        opened(tmp_path, zipped("\u00e9.npy", npy(A), method).replace("\u00e9".encode(), b"\xff\xff"))


def test_an_npz_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (200000000, 4), }\n"
    content = bytearray(zipped("a.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + bytes(64), 8))
    size = 10 + len(head) + 16 * 200000000
    central = content.index(b"PK\x01\x02")
    content[central + 24 : central + 28] = struct.pack("<I", size & 0xFFFFFFFF)
    with pytest.raises(UnreadableError, match="cannot unpack to 3,200,000,0"):
        opened(tmp_path, bytes(content))


# tokens of bare arrays
TOKENS = ["king", " queen", ""]


def token_file(folder: Path, kind: str) -> Path:
    path = folder / "tokens"
    if kind == "txt":
        path.write_bytes("\n".join(TOKENS).encode() + b"\n")
    elif kind == "list":
        path.write_text(json.dumps(TOKENS))
    elif kind == "object":
        path.write_text(json.dumps({word: id for id, word in enumerate(TOKENS)}))
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = {"word": TOKENS} if kind == "parquet" else {"id": [2, 0, 1], "token": ["", "king", " queen"]}
        pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize("kind", ["txt", "list", "object", "parquet", "parquet with ids"])
def test_token_files(tmp_path: Path, kind: str) -> None:
    table = opened(tmp_path, npy(A), tokens=token_file(tmp_path, kind))
    assert list(table.vocabulary.names) == TOKENS
    assert table.find("queen") == [1]
    assert (table.load_report.tokens, table.load_report.contradictions) == (3, ())
    assert table.load_report.files_read == ("x", "tokens")


def test_the_sidecar_is_found_and_kinds_survive(tmp_path: Path) -> None:
    write_safetensors(A, tmp_path / "x.safetensors", ["a", "<unused0>", "東"])
    (tmp_path / "x.safetensors").unlink()
    (tmp_path / "x.npy").write_bytes(npy(A))
    table = open_table(tmp_path / "x.npy")
    assert table.find("東") == [2]
    assert table.token(1).kind is Kind.UNUSED
    assert [table.token(i).text for i in range(3)] == ["a", "<unused0>", "東"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 0, "b": 0}', "expected every id once among the tokens"),
        (b'{"a": -1}', "expected ids from 0 up among the tokens, found -1"),
        (b'{"a": "b"}', "expected a list of tokens, an object from token to id, or a tokenizer.json"),
        (b"PAR1 and no more", "is no readable Parquet file"),
    ],
)
def test_token_files_that_are_none(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "tokens").write_bytes(content)
    with pytest.raises(UnreadableError, match=message):
        opened(tmp_path, npy(A), tokens=tmp_path / "tokens")


# the opener
def test_content_decides_and_not_the_name(tmp_path: Path) -> None:
    write_safetensors(A, tmp_path / "a.npy")
    (tmp_path / "b.safetensors").write_bytes(npy(A))
    (tmp_path / "c.gguf").write_bytes(b"w 1 2\n")
    formats = [open_table(tmp_path / name).load_report.format for name in ("a.npy", "b.safetensors", "c.gguf")]
    assert formats == ["safetensors", "npy", "GloVe text"]


def test_a_missing_path_has_near_misses_and_is_never_downloaded(tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_bytes(b"a 1\n")
    with pytest.raises(UnreadableError, match="expected a file or folder, found nothing at") as error:
        open_table(tmp_path / "vector.txt")
    assert error.value.cure == f"did you mean {tmp_path / 'vectors.txt'}"
    with pytest.raises(UnreadableError, match="found nothing at") as error:
        open_table(tmp_path / "none" / "vector.txt")
    assert error.value.cure == f"there is no folder {tmp_path / 'none'} either"


def test_folders(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=r"expected a model in the folder .*, found nothing"):
        open_table(tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(b"PK\x03\x04")
    with pytest.raises(UnreadableError, match=r"found a zip archive without a table: "):
        open_table(tmp_path)
    (tmp_path / "pytorch_model.bin").unlink()
    write_safetensors(A, tmp_path / "any.safetensors")
    assert values(open_table(tmp_path)) == A.tolist()
    (tmp_path / "a.npy").write_bytes(npy(A))
    with pytest.raises(UnreadableError, match=r"holds 2 files that could be the table: a\.npy, any\.safetensors"):
        open_table(tmp_path)


def test_a_folder_with_a_word_piece_vocabulary(tmp_path: Path) -> None:
    write_safetensors(A, tmp_path / "model.safetensors")
    (tmp_path / "vocab.txt").write_text("[UNK]\nking\n##s\nfar\n")
    (tmp_path / "config.json").write_text('{"model_type": "bert", "vocab_size": 3, "architectures": ["BertModel"]}')
    table = open_table(tmp_path)
    assert table.load_report.files_read == ("model.safetensors", "config.json", "vocab.txt")
    assert table.load_report.tokens_without_row == 1
    assert (table.token(2).text, table.provenance.architecture) == ("##s", "bert")


# 16, 17. maps are never written, blocks decide nothing
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 9])
def test_blocks_of_every_size_give_the_same_rows(tmp_path: Path, rows: int) -> None:
    array = np.random.default_rng(rows).standard_normal((rows, 1)).astype(np.float32)
    for content in (npy(array), npz(vectors=array)):
        table = opened(tmp_path, content)
        for step in (1, 2, 4, 8, 100):
            np.testing.assert_array_equal(np.concatenate([b for _, b in table.blocks(step)]), array)
            assert [start for start, _ in table.blocks(step)] == list(range(0, rows, step))


def test_no_row(tmp_path: Path) -> None:
    empty = np.zeros((0, 4), np.float32)
    write_safetensors(empty, tmp_path / "e.safetensors")
    for table in (open_table(tmp_path / "e.safetensors"), opened(tmp_path, npy(empty)), opened(tmp_path, npz(e=empty))):
        assert table.shape == (0, 4)
        assert table.row_facts.sha256 == hashlib.sha256(b"").hexdigest()


def test_files_are_never_changed(tmp_path: Path) -> None:
    write_safetensors(A, tmp_path / "a.safetensors")
    for path, content in ((tmp_path / "a.safetensors", None), (tmp_path / "b.npy", npy(A))):
        if content is not None:
            path.write_bytes(content)
        before = path.read_bytes()
        table = open_table(path)
        table.rows([0, 1])[:] = 7
        block = table.vectors.block(0, 3)
        if block.flags.writeable:
            block[:] = 7
        else:
            with pytest.raises(ValueError, match="read-only"):
                block[:] = 7
        assert path.read_bytes() == before
        assert values(table) == A.tolist()


# real tables
@pytest.mark.real
def test_the_demo_and_minilm() -> None:
    demo = open_table(resolve("demo"))
    assert (demo.shape, demo.provenance.stored, demo.provenance.tensor) == ((32000, 256), "F16", "embedding.weight")
    assert demo.load_report.tokens == 32000
    minilm = open_table(resolve("demo:minilm"))
    report = minilm.load_report
    assert (minilm.shape, report.tensor) == ((30522, 384), "embeddings.word_embeddings.weight")
    assert (report.tokens, report.padded_rows, report.contradictions) == (30522, 0, ())
    assert minilm.provenance.tied is None
    assert minilm.provenance.parameters == 22_713_216
    assert minilm.token(minilm.find("king")[0]).name == "king"
