"""spaCy's and Model2Vec's folders: several words share one row, found without either package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from armillary.errors import UnreadableError, UsageError
from armillary.formats import open_table
from armillary.formats.spacy import string_hashes
from armillary.table import Kind, Table

ROWS = (np.arange(12, dtype=np.float32) / 7).reshape(4, 3)


def values(table: Table) -> np.ndarray:
    return table.rows(range(len(table)))


# spaCy
def murmur(data: bytes) -> int:
    """MurmurHash64A with seed 1, number by number."""
    mask, factor = (1 << 64) - 1, 0xC6A4A7935BD1E995
    value = 1 ^ (len(data) * factor & mask)
    for at in range(0, len(data) & ~7, 8):
        part = int.from_bytes(data[at : at + 8], "little") * factor & mask
        value = (value ^ ((part ^ (part >> 47)) * factor)) * factor & mask
    if len(data) & 7:
        value = (value ^ int.from_bytes(data[len(data) & ~7 :], "little")) * factor & mask
    value = (value ^ (value >> 47)) * factor & mask
    return value ^ (value >> 47)


def test_the_hash_is_spacys() -> None:
    # spaCy's documentation prints these two: https://spacy.io/usage/spacy-101#vocab
    assert string_hashes([b"coffee", b"I"]).tolist() == [3197928453018144401, 4690420944186131903]
    words = [b"", b"a", b"12345678", "çà et là".encode(), b"x" * 23, bytes(range(256)), b"b"]
    assert string_hashes(words).tolist() == [murmur(word) for word in words]


def packed(pairs: list[tuple[str, int]], count: int | None = None) -> bytes:
    """A msgpack map from hashes to rows."""
    data = b"\xdf" + (len(pairs) if count is None else count).to_bytes(4, "big")
    for word, row in pairs:
        small = bytes([row]) if row < 0x80 else b"\xcd" + row.to_bytes(2, "big")
        data += b"\xcf" + murmur(word.encode()).to_bytes(8, "big") + small
    return data


def pipeline(folder: Path, pairs: list[tuple[str, int]]) -> Path:
    vocab = folder / "vocab"
    vocab.mkdir(parents=True)
    (folder / "meta.json").write_text("{}")
    with (vocab / "vectors").open("wb") as file:
        np.save(file, ROWS)
    (vocab / "strings.json").write_text(json.dumps(["tea", "Coffee", "other", "coffee", "<unused1>"]))
    (vocab / "key2row").write_bytes(packed(pairs))
    return folder


PAIRS = [("coffee", 0), ("tea", 1), ("Coffee", 0), ("<unused1>", 3), ("far", 300)]


def test_the_first_word_of_a_row_names_it(tmp_path: Path) -> None:
    table = open_table(pipeline(tmp_path, PAIRS))
    np.testing.assert_array_equal(values(table), ROWS)
    assert list(table.vocabulary.raw) == [b"coffee", b"tea", b"", b"<unused1>"]
    assert list(table.vocabulary.kinds) == [Kind.NORMAL, Kind.NORMAL, Kind.NO_TOKEN, Kind.UNUSED]
    report = table.load_report
    assert (report.format, report.tensor, report.tokens, report.holes) == ("spaCy vectors", "vectors", 3, 1)
    assert report.notes == ("1 more words share a row with another",)
    assert list(open_table(tmp_path / "vocab").vocabulary.raw) == list(table.vocabulary.raw)
    with pytest.raises(UsageError, match="found none named x"):
        open_table(tmp_path, tensor="x")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("key2row", packed(PAIRS)[:-1], "expected 5 pairs in the map of hashes to rows, found 4.5"),
        ("key2row", packed(PAIRS, 6), "expected 6 pairs in the map of hashes to rows, found 5.0"),
        (
            "key2row",
            packed([])[:-1] + b"\1\xc0\1",
            "expected an unsigned integer at byte 5 of the map, found code 0xc0",
        ),
        ("key2row", b"", "expected a msgpack map of hashes to rows, found first byte none"),
        ("strings.json", b'["a", 1]', "expected spaCy's list of strings in .*: it is no list of strings"),
        ("vectors", b"", "expected word vectors in the spaCy pipeline .*, found none"),
    ],
)
def test_broken_pipelines_are_one_line(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (pipeline(tmp_path, PAIRS) / "vocab" / name).write_bytes(content)
    with pytest.raises(UnreadableError, match=message):
        open_table(tmp_path)


def test_a_pipeline_without_vectors_says_so(tmp_path: Path) -> None:
    with (pipeline(tmp_path, []) / "vocab" / "vectors").open("wb") as file:
        np.save(file, np.zeros((0, 0), np.float32))
    with pytest.raises(UnreadableError, match=r"expected word vectors in the spaCy pipeline .*, found none"):
        open_table(tmp_path)


# Model2Vec
MAPPING = np.array([2, 0, 2, 3, 1, 0])
WEIGHTS = np.array([1, 0.5, 2, 0, -1, 3], np.float32)


def model2vec(folder: Path, **tensors: np.ndarray) -> Path:
    save_file({"embeddings": ROWS, **tensors}, str(folder / "model.safetensors"))
    (folder / "config.json").write_text('{"model_type": "model2vec", "hidden_dim": 3}')
    return folder


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint16])
def test_tokens_share_rows_by_mapping_and_weight(tmp_path: Path, kind: Any) -> None:
    table = open_table(model2vec(tmp_path, mapping=MAPPING.astype(kind), weights=WEIGHTS))
    np.testing.assert_array_equal(values(table), [ROWS[m] * w for m, w in zip(MAPPING, WEIGHTS, strict=True)])
    np.testing.assert_array_equal(table.vectors.block(2, 5), values(table)[2:5])
    assert table.load_report.rows == len(table.vocabulary) == 6
    assert table.load_report.notes[-1].startswith("tokens share the 4 rows of embeddings, each times a weight")
    np.testing.assert_array_equal(values(open_table(tmp_path, tensor="embeddings")), ROWS)


def test_mapping_or_weights_alone(tmp_path: Path) -> None:
    np.testing.assert_array_equal(values(open_table(model2vec(tmp_path, mapping=MAPPING))), ROWS[MAPPING])
    weights = WEIGHTS[:4].astype(np.float64)
    np.testing.assert_array_equal(values(open_table(model2vec(tmp_path, weights=weights))), ROWS * WEIGHTS[:4, None])


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"mapping": np.array([0, 4])}, "token 1 of .* points at row 4 of 4"),
        ({"mapping": np.array([-1, 3])}, "token 0 of .* points at row -1 of 4"),
        ({"mapping": MAPPING, "weights": WEIGHTS[:5]}, "expected 6 weights in .*, one a token, found 5"),
        ({"weights": WEIGHTS}, "expected 4 weights in .*, one a token, found 6"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, tensors: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(UnreadableError, match=message):
        open_table(model2vec(tmp_path, **tensors))
