"""What `convert` writes opens here and in the readers that others use, with the same numbers and tokens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from armillary.errors import UsageError
from armillary.formats import convert, open_table
from armillary.table import Table

ROWS = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32) * np.float32(1e-5)
WORDS = [b"a", "猫".encode(), b"<b>&amp;", b"1.5x"]
HOSTILE = [b"New York", b"\n\0", b"caf\xc3", b""]


@pytest.mark.parametrize("ending", [".safetensors", ".npy", ".parquet", ".vec", ".bin"])
def test_what_is_written_opens_here_again(tmp_path: Path, ending: str) -> None:
    words = HOSTILE if ending in (".safetensors", ".npy", ".parquet") else WORDS
    paths = convert(Table.from_array(ROWS, words), tmp_path / f"out{ending}")
    table = open_table(paths[0])
    np.testing.assert_array_equal(table.rows(range(4)), ROWS)
    assert list(table.vocabulary.raw) == words


def test_others_read_the_same(tmp_path: Path) -> None:
    from gensim.models import KeyedVectors
    from safetensors.numpy import load_file

    table = Table.from_array(ROWS, WORDS)
    for ending in (".safetensors", ".npy", ".parquet", ".vec", ".bin"):
        convert(table, tmp_path / f"out{ending}")
    np.testing.assert_array_equal(load_file(str(tmp_path / "out.safetensors"))["embedding.weight"], ROWS)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy", allow_pickle=False), ROWS)
    columns = pq.read_table(tmp_path / "out.parquet").to_pydict()
    np.testing.assert_array_equal(np.array(columns["vector"], np.float32), ROWS)
    assert columns["bytes"] == WORDS
    for name, binary in (("out.vec", False), ("out.bin", True)):
        read = KeyedVectors.load_word2vec_format(str(tmp_path / name), binary=binary)
        np.testing.assert_array_equal(read.vectors, ROWS)
        assert [w.encode() for w in read.index_to_key] == WORDS


@pytest.mark.parametrize("ending", [".vec", ".bin"])
@pytest.mark.parametrize("word", [*HOSTILE, b"a b", b"a"])
def test_tokens_that_text_cannot_carry_are_refused_by_id(tmp_path: Path, ending: str, word: bytes) -> None:
    with pytest.raises(UsageError, match=r"token 3 \(.*\) cannot be carried by word2vec .*: it holds"):
        convert(Table.from_array(ROWS, [b"a", b"b", b"c", word]), tmp_path / f"out{ending}")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"expected a file that ends in .*, found out\.pt"):
        convert(Table.from_array(ROWS), tmp_path / "out.pt")
