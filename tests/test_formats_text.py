"""Word vectors as text and in word2vec's binary form: items 1 to 5 of the formats' list, byte by byte."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from armillary.errors import UnreadableError, UsageError
from armillary.formats import open_table
from armillary.table import Table


def text(folder: Path, content: bytes) -> Table:
    (folder / "vectors").write_bytes(content)
    return open_table(folder / "vectors")


def values(table: Table) -> list[list[float]]:
    return table.rows(range(len(table))).tolist()


WORDS = [
    b". . .",
    b"a\xc2\xa0b",  # a no-break space is no separator
    b"x\xc2\x85y",  # nor does U+0085 end a line
    b"\xe2\x80\xa8",  # nor U+2028
    b"",
    b" ",
    b"New York",
    b"tab\there",
    b"trailing ",
    b"\r\x0b\x0c",
    b"caf\xc3",  # cut UTF-8
    b"<b>&amp;",
    b"1",
    b"-0.5",
    b"Boeing 747",
]


# 1. d numbers from the right, the rest is the word
def test_words_survive_to_the_byte(tmp_path: Path) -> None:
    lines = [word + b" %d.5 -2e-1" % i for i, word in enumerate(WORDS)]
    table = text(tmp_path, b"\n".join([b"plain 0.25 1.5", *lines, b"plain 0.25 1.5"]))
    assert list(table.vocabulary.raw) == [b"plain", *WORDS, b"plain"]
    assert values(table)[1:-1] == [[i + 0.5, float(np.float32(-0.2))] for i in range(len(WORDS))]
    assert table.find("New York") == [7]
    assert (table.load_report.format, table.load_report.stored) == ("GloVe text", "text")


def test_a_control_character_in_a_word_does_not_make_a_text_binary(tmp_path: Path) -> None:
    table = text(tmp_path, b"1 3\n\x01 -1.0 0.0 1.0\n")  # twelve bytes of text after the space: three float32 as well
    assert list(table.vocabulary.raw) == [b"\x01"]
    np.testing.assert_array_equal(table.rows([0]), [[-1, 0, 1]])


def test_separators_are_space_and_tab_and_one_may_trail(tmp_path: Path) -> None:
    table = text(tmp_path, b"a 1 2 \nb\t3\t4\nc 5  6\n d 7 8\t\n")
    assert list(table.vocabulary.raw) == [b"a", b"b", b"c", b" d"]
    assert values(table) == [[1, 2], [3, 4], [5, 6], [7, 8]]


def test_carriage_returns_before_newlines_are_dropped_and_said(tmp_path: Path) -> None:
    table = text(tmp_path, b"a 1.5 2\r\nb 3 4\r\n")
    assert values(table) == [[1.5, 2], [3, 4]]
    assert table.load_report.notes == ("lines end with a carriage return, which was dropped",)


@pytest.mark.parametrize(
    "number", ["0.1", "-0", "+1.5", ".5", "1.", "1e-46", "1e39", "nan", "-inf", "16777217", "1E+2"]
)
def test_numbers_are_rounded_to_the_nearest_float32(tmp_path: Path, number: str) -> None:
    for content in (f"a {number}\nb 1\n", f" a b {number} \n c 1\n"):  # the quick way and the exact one
        with np.errstate(over="ignore"):
            expected = np.float32(number)
        found = text(tmp_path, content.encode()).row(0)[0]
        assert found.tobytes() == expected.tobytes() or (np.isnan(found) and np.isnan(expected))


def test_long_files_are_read_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from armillary.formats import text as module

    monkeypatch.setattr(module, "_BLOCK", 64)
    rows = np.random.default_rng(0).standard_normal((200, 5)).astype(np.float32)
    words = [f"word {i}x" if i % 3 else f"w{i}" for i in range(200)]
    lines = [w + " " + " ".join(map(str, r.tolist())) for w, r in zip(words, rows, strict=True)]
    table = text(tmp_path, "\n".join(lines).encode())
    assert list(table.vocabulary.names) == words
    np.testing.assert_array_equal(table.rows(range(200)), rows)


# 2. header or not
@pytest.mark.parametrize(
    ("content", "rows", "width", "form", "says"),
    [
        (b"2 3\na 1 2 3\nb 4 5 6\n", 2, 3, "word2vec text", ""),
        (b"a 1 2 3\nb 4 5 6\n", 2, 3, "GloVe text", ""),
        (b"5 3\na 1 2 3\nb 4 5 6\n", 2, 3, "word2vec text", "says 5 rows of 3 numbers, and the file holds 2 of 3"),
        (b"2 9\na 1 2 3\nb 4 5 6\n", 2, 3, "word2vec text", "says 2 rows of 9 numbers, and the file holds 2 of 3"),
        (b"2 2\na 1 2 3\nb 4 5 6\n", 2, 3, "word2vec text", "says 2 rows of 2 numbers, and the file holds 2 of 3"),
        (b"2 1\n3 5\n4 6\n", 2, 1, "word2vec text", ""),  # both readings fit: the counts decide
        (b"7 1\n3 5\n4 6\n", 3, 1, "GloVe text", ""),
        (b"7 1\n", 1, 1, "GloVe text", ""),
        (b"0 3\n", 0, 3, "word2vec text", ""),
        (b"1 2\nBoeing 747 .5 .25\n", 1, 2, "word2vec text", ""),
        (b"king .5 .25 .1", 1, 3, "GloVe text", ""),
    ],
)
def test_header_or_not(tmp_path: Path, content: bytes, rows: int, width: int, form: str, says: str) -> None:
    table = text(tmp_path, content)
    report = table.load_report
    assert (table.shape, report.rows, report.width, report.format) == ((rows, width), rows, width, form)
    assert [says in c for c in report.contradictions] == ([True] if says else [])


# 3. binary
def binary(words: list[bytes], rows: np.ndarray, newline: bytes, declared: int | None = None) -> bytes:
    head = b"%d %d\n" % (len(words) if declared is None else declared, rows.shape[1])
    return head + b"".join(w + b" " + r.astype("<f4").tobytes() + newline for w, r in zip(words, rows, strict=True))


ROWS = np.random.default_rng(1).standard_normal((4, 3)).astype(np.float32)


@pytest.mark.parametrize("newline", [b"\n", b""])
def test_binary_with_and_without_newlines(tmp_path: Path, newline: bytes) -> None:
    words = [b"king", b"", b"caf\xc3", b"\xe6\x9d\xb1"]
    table = text(tmp_path, binary(words, ROWS, newline))
    assert list(table.vocabulary.raw) == words
    np.testing.assert_array_equal(table.rows(range(4)), ROWS)
    np.testing.assert_array_equal(table.vectors.block(1, 3), ROWS[1:3])
    assert table.load_report.format == "word2vec binary"
    assert table.token(2).text == "caf\\xC3"


@pytest.mark.parametrize("newline", [b"\n", b""])
@pytest.mark.parametrize("at", [0, 1, 3])
def test_a_space_inside_a_binary_word_is_never_read_as_garbage(tmp_path: Path, newline: bytes, at: int) -> None:
    words = [b"king", b"queen", b"man", b"woman"]
    words[at] = b"New York"
    row = at + 1 if newline and at else at + 2  # where it shows: the newline that is not there, or the word after
    with pytest.raises(
        UnreadableError, match=rf"do not add up: row {row} of 4, byte \d+.*\n.*a word holds a space"
    ) as error:
        text(tmp_path, binary(words, ROWS, newline))
    assert error.value.exit_code == 2


def test_binary_cut_or_miscounted(tmp_path: Path) -> None:
    whole = binary([b"a", b"b", b"c", b"d"], ROWS, b"\n")
    with pytest.raises(
        UnreadableError, match="row 4 of 4, byte 49 after the word b'c': expected a vector of 12 bytes, found 9"
    ):
        text(tmp_path, whole[:-4])
    table = text(tmp_path, binary([b"a", b"b", b"c", b"d"], ROWS, b"\n", declared=9))
    assert table.load_report.contradictions == ("the header says 9 rows, and the file holds 4",)
    with pytest.raises(UnreadableError, match=r"claims 9,999 rows of 999,999 numbers, and has \d+ bytes"):
        text(tmp_path, b"9999 999999\nking \x00\x01\x02\x03")


# 4. what is named
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a 1 2 3\nb 1 2\n", "line 2 of .*expected a word and 3 numbers, found 2 in 'b 1 2'"),
        (b"a 1 2 3\nb 1 2 3 4\nc 1 2 3\n", "line 2 of .*expected a word and 3 numbers, found 4 in"),
        (b"a .1 .2\nb .1 .2 .3\nc .1 .2\n", "line 2 of .*expected a word and 2 numbers, found 3"),
        (b"a 1 2 3\nb 5\nc 1 2 3\n", "line 2 of .*found 1 in 'b 5'"),
        (b"2 3\na 1 2 3\nb 5\n", "line 3 of .*found 1 in 'b 5'"),
        (b"a 1 2\nb 1 x\n", "line 2 of .*found 0 in 'b 1 x'"),
        (b"a 1 2\n\nb 1 2\n", "line 2 of .*found an empty line"),
        (b"a 1 2\n<<<<<<< HEAD\nb 1 2\n", "line 2 of .*found a conflict marker"),
        (b"a 1 2\n=======\nb 1 2\n", "found a conflict marker"),
        (b"a 1:0.5 7:2\nb 2:1\n", "line 1 of .*found index:value pairs"),
        (b"a 1_0\nb 1\n", "line 1 of .*found 0 in"),
        (b"PK\x05\x06" + bytes(18), "found a zip archive without a table"),
        (b"<!DOCTYPE html>\n<html lang=en> 1", "found an HTML page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n", "found a Git LFS pointer"),
        (b"\x80\x04\x95\x0a\0\0\0", "found a Python pickle"),
        (b"\xff\xfea\0 \x001\0\n\0", "found UTF-16 text"),
        (b"", "found an empty file"),
        (b"\n\n\n", "expected"),
        (
            b"\0\1\2\3",
            "found 4 bytes that begin .*; tried spaCy vectors, Hugging Face folder, safetensors, .*GGUF, npy, npz",
        ),
    ],
)
def test_faults_are_named_with_their_line(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(UnreadableError, match=message):
        text(tmp_path, content)
    assert [p.name for p in tmp_path.iterdir()] == ["vectors"]


def test_more_rows_than_bytes_are_never_allocated(tmp_path: Path) -> None:
    wide = b"a" + b" 1" * 5000
    with pytest.raises(UnreadableError, match=r"line 3 of .*expected a word and 5,000 numbers, found an empty line"):
        text(tmp_path, wide + b"\n" + wide + b"\n" * 100_000 + wide)


# 5. duplicates, byte-order mark
def test_duplicates_keep_every_row_and_the_mark_is_dropped(tmp_path: Path) -> None:
    table = text(tmp_path, b"\xef\xbb\xbfking 1 2\nking 3 4\nqueen 5 6\nking 7 8\n\n")
    assert table.find("king") == [0, 1, 3]
    assert values(table)[3] == [7, 8]
    assert table.load_report.duplicate_names == 2
    assert table.load_report.notes == (
        "a byte-order mark at the start was dropped",
        "1 empty lines at the end were dropped",
    )


def test_word_vectors_have_no_tensors(tmp_path: Path) -> None:
    (tmp_path / "v").write_bytes(b"a 1 2\n")
    with pytest.raises(UsageError, match="one table without a name, and no tensor x"):
        open_table(tmp_path / "v", tensor="x")


def test_a_real_binary_of_gensim() -> None:
    folder = pytest.importorskip("gensim").__path__[0]
    from gensim.models import KeyedVectors

    path = Path(folder) / "test/test_data/euclidean_vectors.bin"
    theirs = KeyedVectors.load_word2vec_format(str(path), binary=True)
    table = open_table(path)
    assert table.shape == (2747, 10)
    assert list(table.vocabulary.names) == theirs.index_to_key
    np.testing.assert_array_equal(table.rows(range(2747)), theirs.vectors)
    report = table.load_report
    assert (report.format, report.tokens, report.padded_rows, report.contradictions) == ("word2vec binary", 2747, 0, ())
