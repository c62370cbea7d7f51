"""What `convert` writes opens here and in the readers that others use, with the same numbers and tokens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from armillary.errors import UsageError
from armillary.formats import convert, open_table, write_safetensors
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


# any token: pieces that text formats trip over, joined
PIECES = [b"a", b"7", b"1.5", b"-", b"nan", b"e5", b" ", b"\t", b"\n", b"\r", b"\0", b"\xff", b"\xc2", b"\xc2\xa0", b"\xe2\x80\xa8",
          b"<s>", b"\xe7\x8c\xab", b"\xef\xbb\xbf", b"\x85", b"\xc2\x85", b"'", b'"', b",", b"#", b":", b"4 3"]  # fmt: skip
TOKENS = st.lists(
    st.lists(st.sampled_from(PIECES), max_size=4).map(b"".join) | st.binary(max_size=6), min_size=1, max_size=5
)


def written(table: Table, path: Path) -> bool:
    """Whether the table could be written; a refusal names the token and leaves nothing behind."""
    before = set(path.parent.iterdir())
    try:
        convert(table, path)
    except UsageError as error:
        assert error.message.startswith("token ") and path.suffix in (".vec", ".bin")
        assert set(path.parent.iterdir()) == before
        return False
    return True


@pytest.mark.long
@settings(max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(words=TOKENS)
def test_any_tokens_come_back_everywhere_or_are_refused(
    tmp_path_factory: pytest.TempPathFactory, words: list[bytes]
) -> None:
    from gensim.models import KeyedVectors
    from safetensors.numpy import load_file

    folder = tmp_path_factory.mktemp("out")
    rows = np.linspace(-1, 1, 3 * len(words), dtype=np.float32).reshape(-1, 3)
    table = Table.from_array(rows, words)
    for ending in (".safetensors", ".npy", ".parquet", ".vec", ".bin"):
        path = folder / f"out{ending}"
        if not written(table, path):
            continue
        again = open_table(path)
        np.testing.assert_array_equal(again.rows(range(len(words))), rows)
        assert list(again.vocabulary.raw) == words
        match ending:
            case ".safetensors":
                np.testing.assert_array_equal(load_file(str(path))["embedding.weight"], rows)
                assert pq.read_table(folder / "out.tokens.parquet")["bytes"].to_pylist() == words
            case ".npy":
                np.testing.assert_array_equal(np.load(path, allow_pickle=False), rows)
            case ".parquet":
                columns = pq.read_table(path).to_pydict()
                np.testing.assert_array_equal(np.array(columns["vector"], np.float32), rows)
                assert columns["bytes"] == words
            case _:
                read = KeyedVectors.load_word2vec_format(str(path), binary=ending == ".bin")
                np.testing.assert_array_equal(read.vectors, rows)
                assert [word.encode() for word in read.index_to_key] == words


# tables of one stem share a sidecar: tokens of another table are never replaced
MINE, OTHER = Table.from_array(ROWS, WORDS), Table.from_array(ROWS, HOSTILE)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("ending", [".safetensors", ".npy"])
def test_tables_of_one_stem_share_their_tokens_or_are_refused(tmp_path: Path, ending: str) -> None:
    first = tmp_path / ("rows.npy" if ending == ".safetensors" else "rows.safetensors")
    convert(MINE, first)
    sidecar = (tmp_path / "rows.tokens.parquet").stat()
    assert convert(open_table(first), tmp_path / f"rows{ending}")[1] == tmp_path / "rows.tokens.parquet"
    assert (tmp_path / "rows.tokens.parquet").stat() == sidecar  # it says the same, and is kept
    before = contents(tmp_path)
    for path in (first, tmp_path / f"rows{ending}"):
        with pytest.raises(
            UsageError, match=r"expected no other tokens in .*rows\.tokens\.parquet, found the tokens of rows"
        ):
            convert(OTHER, path)
    assert contents(tmp_path) == before


def test_a_table_written_again_has_its_tokens_replaced(tmp_path: Path) -> None:
    convert(OTHER, tmp_path / "rows.npy")
    (tmp_path / "rows.html").write_text("a report of it")
    convert(MINE, tmp_path / "rows.npy")
    assert list(open_table(tmp_path / "rows.npy").vocabulary.raw) == WORDS


@pytest.mark.parametrize("name", ["rows.tokens.parquet", "rows.npy.tokens.parquet"])
def test_tokens_that_lie_alone_are_not_replaced(tmp_path: Path, name: str) -> None:
    """They may be what `--tokens` reads, or lie where they would be found before those that are written."""
    convert(OTHER, tmp_path / "other.npy")
    (tmp_path / "other.tokens.parquet").rename(tmp_path / name)
    before = contents(tmp_path)
    with pytest.raises(UsageError, match="found the tokens of another table"):
        convert(MINE, tmp_path / "rows.npy")
    assert contents(tmp_path) == before
    convert(OTHER, tmp_path / "rows.npy")
    assert set(contents(tmp_path)) == {*before, "rows.npy"}
    assert list(open_table(tmp_path / "rows.npy").vocabulary.raw) == HOSTILE


def test_tokens_that_lie_there_do_not_name_rows_without_any(tmp_path: Path) -> None:
    convert(MINE, tmp_path / "rows.npy")
    before = contents(tmp_path)
    with pytest.raises(UsageError, match=r"would name the rows of rows\.npy, and they have no tokens"):
        write_safetensors(ROWS, tmp_path / "rows.npy")
    assert contents(tmp_path) == before


def test_a_table_is_not_named_as_a_sidecar(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"found rows\.tokens\.parquet, a name for tokens"):
        convert(MINE, tmp_path / "rows.tokens.parquet")
    assert contents(tmp_path) == {}
