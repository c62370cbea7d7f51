"""ONNX, fastText, Parquet, Arrow, archives, sentencepiece and sentence-transformers, against the packages that define them."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from armillary.errors import UnreadableError, UsageError
from armillary.formats import fasttext, open_table, write_safetensors
from armillary.formats.fasttext_ngrams import ngram_rows
from armillary.formats.tokens import read_vocabulary
from armillary.table import Kind, Table

ROWS = (np.arange(12, dtype=np.float32) / 7).reshape(4, 3)
WORDS = ["a", "New York", "猫", ""]
TEXT = "4 3\n" + "".join(f"{w} {' '.join(map(repr, r.tolist()))}\n" for w, r in zip(WORDS, ROWS, strict=True))


def values(table: Table) -> np.ndarray:
    return table.rows(range(len(table)))


# ONNX
def onnx_model(folder: Path, *tensors: Any, nodes: Any = ()) -> Path:
    import onnx

    graph = onnx.helper.make_graph(list(nodes), "g", [], [], list(tensors))
    path = folder / "model"
    path.write_bytes(onnx.helper.make_model(graph).SerializeToString())
    return path


def test_onnx_initializers_are_mapped(tmp_path: Path) -> None:
    from onnx import numpy_helper

    halves = numpy_helper.from_array(ROWS.astype(np.float16), "lm_head.weight")
    path = onnx_model(tmp_path, numpy_helper.from_array(ROWS, "bert.embeddings.word_embeddings.weight"), halves)
    table = open_table(path)
    np.testing.assert_array_equal(values(table), ROWS)
    assert (table.load_report.format, table.provenance.tied, table.provenance.parameters) == ("ONNX", False, 24)
    np.testing.assert_array_equal(values(open_table(path, role="output")), ROWS.astype(np.float16))
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(UnreadableError, match=r"the ONNX file .* is cut or corrupt|tried "):
        open_table(path)


def test_onnx_int8_rows_are_multiplied_by_their_scales(tmp_path: Path) -> None:
    from onnx import helper, numpy_helper

    whole, scale = np.array([[1, -2, 3], [127, 0, -128]], np.int8), np.array([[0.5], [0.25]], np.float32)
    nodes = [helper.make_node("Cast", ["q"], ["f"], to=1), helper.make_node("Mul", ["f", "s"], ["embed.weight"])]
    path = onnx_model(tmp_path, numpy_helper.from_array(whole, "q"), numpy_helper.from_array(scale, "s"), nodes=nodes)
    table = open_table(path)
    np.testing.assert_array_equal(values(table), whole * scale)
    assert table.provenance.tensor == "embed.weight"


def test_onnx_numbers_outside_the_folder_are_refused(tmp_path: Path) -> None:
    from onnx import TensorProto

    tensor = TensorProto(name="embed.weight", dims=[4, 3], data_type=1, data_location=1)
    tensor.external_data.add(key="location", value="weights.bin")
    (tmp_path / "weights.bin").write_bytes(ROWS.tobytes())
    np.testing.assert_array_equal(values(open_table(onnx_model(tmp_path, tensor))), ROWS)
    tensor.external_data[0].value = "../weights.bin"
    with pytest.raises(UnreadableError, match="outside the folder"):
        open_table(onnx_model(tmp_path, tensor))


# fastText
def test_fasttext_words_are_means_with_their_ngrams() -> None:
    from gensim.models.fasttext import load_facebook_model
    from gensim.test.utils import datapath

    path = datapath("crime-and-punishment.bin")
    model = load_facebook_model(path, encoding="utf-8")
    table = open_table(path)
    assert [w.decode() for w in table.vocabulary.raw] == model.wv.index_to_key
    written = open_table(datapath("crime-and-punishment.vec"))  # by fastText itself, to five digits
    np.testing.assert_allclose(
        table.rows([table.find(w.decode())[0] for w in written.vocabulary.raw]), values(written), rtol=1e-4, atol=1e-4
    )
    others = [i for i, w in enumerate(table.vocabulary.raw) if w != b"</s>"]  # to which gensim gives n-grams
    np.testing.assert_allclose(values(table)[others], model.wv.vectors[others], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(values(open_table(path, tensor="input")), model.wv.vectors_vocab)
    np.testing.assert_array_equal(values(open_table(path, role="output")), model.syn1neg)
    assert [c.tensor for c in table.load_report.candidates] == ["words", "input", "output"]


def test_fasttext_ngrams_hash_as_in_gensim() -> None:
    from gensim.models.fasttext import ft_ngram_hashes

    words = ["king", "день", "a", "", "東京", "naïve", "</s>", "x" * 40]
    for shortest, longest in ((3, 6), (1, 3), (2, 2), (5, 5)):
        rows, counts = ngram_rows([w.encode() for w in words], shortest, longest, 2000)
        expected = [[] if w == "</s>" else list(ft_ngram_hashes(w, shortest, longest, 2000)) for w in words]
        assert counts.tolist() == [len(found) for found in expected]
        assert rows.tolist() == [row for found in expected for row in found]


def test_fasttext_words_that_are_no_utf8_have_ngrams() -> None:
    """By fastText's own rule: a byte 10xxxxxx continues the character before it, whatever that is."""
    words = [b"a\x80\x80b", b"\xff", b"\x80"]
    rows, counts = ngram_rows(words, 3, 3, 1 << 30)

    def fnv(data: bytes) -> int:
        value = 2166136261
        for byte in data:
            value = (value ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619 % (1 << 32)
        return value % (1 << 30)

    grams = [[b"<a\x80\x80b", b"a\x80\x80b>"], [b"<\xff>"], []]
    assert counts.tolist() == [2, 1, 0]
    assert rows.tolist() == [fnv(gram) for found in grams for gram in found]


def test_fasttext_words_are_composed_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few are composed together, vectors are the same; n-grams of absurd length are refused (found by the fuzzer)."""
    (tmp_path / "m").write_bytes(supervised(buckets=2))
    together = values(open_table(tmp_path / "m"))
    assert not np.array_equal(together, ROWS[:2])  # they have n-grams
    monkeypatch.setattr(fasttext, "_TOGETHER", 1)
    np.testing.assert_array_equal(values(open_table(tmp_path / "m")), together)
    (tmp_path / "m").write_bytes(supervised(buckets=2, longest=(1 << 24) + 2))
    with pytest.raises(UnreadableError, match="it claims n-grams of up to 16,777,218 characters"):
        open_table(tmp_path / "m")


def supervised(quantised: bool = False, *, rows: np.ndarray = ROWS, buckets: int = 0, longest: int = 2) -> bytes:
    """A supervised model of two words and one label, in fastText's layout; buckets are of n-grams from one character."""
    lengths = (1, longest) if buckets else (0, 0)
    settings = np.array([3, 5, 1, 1, 5, 1, 3, 3, buckets, *lengths, 100], "<i4").tobytes() + np.float64(1e-4).tobytes()
    sizes = np.array([3, 2, 1], "<i4").tobytes() + np.array([9, -1], "<i8").tobytes()
    entries = b"".join(w + b"\0" + bytes(8) + bytes([k]) for w, k in [(b"</s>", 0), (b"ok", 0), (b"__label__x", 1)])
    matrix = lambda m: bytes([quantised]) + np.array(m.shape, "<i8").tobytes() + m.tobytes()  # noqa: E731
    return b"\xba\x16\x4f\x2f\x0c\0\0\0" + settings + sizes + entries + matrix(rows[: 2 + buckets]) + matrix(rows[3:])


def test_supervised_fasttext_opens_with_its_labels_apart(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(supervised())
    table = open_table(tmp_path / "m")
    assert list(table.vocabulary.raw) == [b"</s>", b"ok"]
    np.testing.assert_array_equal(values(table), ROWS[:2])
    labels = open_table(tmp_path / "m", tensor="output")
    assert list(labels.vocabulary.raw) == [b"__label__x"]
    np.testing.assert_array_equal(values(labels), ROWS[3:])
    (tmp_path / "m").write_bytes(supervised(quantised=True))
    with pytest.raises(UnreadableError, match=r"found a quantised fastText model \(\.ftz\)"):
        open_table(tmp_path / "m")
    (tmp_path / "m").write_bytes(supervised()[:-1])
    with pytest.raises(UnreadableError, match="is cut or corrupt"):
        open_table(tmp_path / "m")


# Parquet and Arrow
@pytest.mark.parametrize("kind", [pa.list_(pa.float32()), pa.list_(pa.float32(), 3), pa.large_list(pa.float32())])
def test_list_columns(tmp_path: Path, kind: pa.DataType) -> None:
    table = pa.table({"id": [7, 8, 9, 7], "text": WORDS, "vector": pa.array(ROWS.tolist(), kind)})
    pq.write_table(table, tmp_path / "p")
    pyarrow.feather.write_feather(table, str(tmp_path / "f"))
    for name, format in (("p", "Parquet"), ("f", "Arrow")):
        opened = open_table(tmp_path / name)
        np.testing.assert_array_equal(values(opened), ROWS)
        assert list(opened.vocabulary.raw) == [w.encode() for w in WORDS]
        assert (opened.load_report.format, opened.load_report.tensor) == (format, "vector")
    pq.write_table(table.drop(["text"]), tmp_path / "p")
    assert list(open_table(tmp_path / "p").vocabulary.raw) == [b"7", b"8", b"9", b"7"]


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ([[1, 2], [3]], "row 1 of the column v in .*: expected 2 numbers, found 1"),
        ([[1, 2], None], "row 1 of the column v in .*: expected 2 numbers, found null"),
        ([[1, 2], [3, None]], "row 1 of the column v in .*: found a null among its numbers"),
    ],
)
def test_lists_that_are_no_rows(tmp_path: Path, lists: Any, message: str) -> None:
    pq.write_table(pa.table({"v": pa.array(lists, pa.list_(pa.float32()))}), tmp_path / "p")
    with pytest.raises(UnreadableError, match=message):
        open_table(tmp_path / "p")


def test_a_parquet_of_words_alone_is_no_table(tmp_path: Path) -> None:
    pq.write_table(pa.table({"word": WORDS}), tmp_path / "p")
    with pytest.raises(UnreadableError, match=r"found word \(string\)\ngive it as --tokens"):
        open_table(tmp_path / "p")


# archives
def test_gzip_and_zip_of_text(tmp_path: Path) -> None:
    (tmp_path / "v.vec.gz").write_bytes(gzip.compress(TEXT.encode()))
    with zipfile.ZipFile(tmp_path / "v.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.vec", TEXT)
    for name in ("v.vec.gz", "v.zip"):
        table = open_table(tmp_path / name)
        np.testing.assert_array_equal(values(table), ROWS)
        assert list(table.vocabulary.raw) == [w.encode() for w in WORDS]
        assert table.load_report.files_read == (name,)
    with zipfile.ZipFile(tmp_path / "v.zip", "a") as archive:
        archive.writestr("b.vec", "x 1\n")
    with pytest.raises(UsageError, match=r"found a\.vec, b\.vec\nchoose with --tensor NAME"):
        open_table(tmp_path / "v.zip")
    assert open_table(tmp_path / "v.zip", tensor="b.vec").shape == (1, 1)


def test_a_member_without_a_name_is_damage(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "v.zip", "w") as archive:
        archive.writestr("a.vec", TEXT)
    data = bytearray((tmp_path / "v.zip").read_bytes())
    at = data.rindex(b"PK\x01\x02")
    data[at + 28 : at + 34] = bytes([0, 0, 0, 0, 5, 0])  # the name becomes the member's comment
    (tmp_path / "v.zip").write_bytes(data)
    with pytest.raises(UnreadableError, match=r"the zip archive .* is corrupt"):
        open_table(tmp_path / "v.zip")


def test_archives_that_are_cut_nested_or_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from armillary.formats import packed as module

    monkeypatch.setattr(module, "_SPARE", 1 << 20)
    path, packed = tmp_path / "v.gz", gzip.compress(TEXT.encode())
    path.write_bytes(packed[:-6])
    with pytest.raises(UnreadableError, match="is cut or corrupt"):
        open_table(path)
    path.write_bytes(gzip.compress(packed))
    with pytest.raises(UnreadableError, match="one archive in another"):
        open_table(path)
    path.write_bytes(gzip.compress(bytes(4 << 20)))
    with pytest.raises(UnreadableError, match="unpacks to more than"):
        open_table(path)


# sentencepiece
def sentencepiece_model(folder: Path, model_type: int = 2) -> Path:
    from transformers.utils import sentencepiece_model_pb2_new as proto

    model = proto.ModelProto()
    pieces = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("<0x0A>", 0.0, 6), ("▁a", -1.0, 1), ("b", -2.0, 1), ("▁", -3.0, 1)]
    for piece, score, kind in [*pieces, ("a", -4.0, 1), ("<x>", 0.0, 4)]:
        model.pieces.add(piece=piece, score=score, type=kind)
    model.trainer_spec.model_type = model_type
    model.normalizer_spec.remove_extra_whitespaces = False
    path = folder / "tokenizer.model"
    path.write_bytes(model.SerializeToString())
    return path


@pytest.mark.parametrize("model_type", [1, 2])
def test_a_sentencepiece_model_names_and_encodes(tmp_path: Path, model_type: int) -> None:
    words = read_vocabulary(sentencepiece_model(tmp_path, model_type), 8)
    assert [words[i].bytes for i in range(8)] == [b"<unk>", b"<s>", b"\n", b" a", b"b", b" ", b"a", b"<x>"]
    kinds = [
        Kind.CONTROL,
        Kind.CONTROL,
        Kind.BYTE,
        Kind.NORMAL,
        Kind.NORMAL,
        Kind.NORMAL,
        Kind.NORMAL,
        Kind.USER_DEFINED,
    ]
    assert [words[i].kind for i in range(8)] == kinds
    assert words.encode("ab a") == [3, 4, 3]


def test_a_sentencepiece_model_beside_a_table_or_as_tokens(tmp_path: Path) -> None:
    rows = np.eye(8, dtype=np.float32)
    sentencepiece_model(tmp_path)
    write_safetensors(rows, tmp_path / "model.safetensors")
    assert open_table(tmp_path).token(3).bytes == b" a"
    np.save(tmp_path / "rows.npy", rows)
    table = open_table(tmp_path / "rows.npy", tokens=tmp_path / "tokenizer.model")
    assert table.token(3).bytes == b" a"
    (tmp_path / "tokenizer.model").write_bytes((tmp_path / "tokenizer.model").read_bytes()[:-1])
    with pytest.raises(UnreadableError, match="no whole sentencepiece model"):
        open_table(tmp_path)


def test_a_vocabulary_alone_is_no_table_and_says_where_it_belongs(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text('{"version": "1.0", "added_tokens": [], "model": {"vocab": {}}}')
    for path in (sentencepiece_model(tmp_path), tmp_path / "tokenizer.json"):
        with pytest.raises(UnreadableError, match=rf"found a vocabulary without rows: .*\n.*--tokens {path.name}"):
            open_table(path)


# folders
def test_sentence_transformers_and_model2vec_folders(tmp_path: Path) -> None:
    inner = tmp_path / "0_StaticEmbedding"
    inner.mkdir()
    write_safetensors(ROWS, inner / "model.safetensors")
    modules = [{"idx": 0, "name": "0", "path": "0_StaticEmbedding", "type": "StaticEmbedding"}]
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    np.testing.assert_array_equal(values(open_table(tmp_path)), ROWS)
    modules[0]["path"] = "../x"
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(UnreadableError, match="outside its folder"):
        open_table(tmp_path)
    from safetensors.numpy import save_file

    other = tmp_path / "model2vec"
    other.mkdir()
    save_file({"embeddings": ROWS}, str(other / "model.safetensors"))
    (other / "config.json").write_text('{"model_type": "model2vec", "hidden_dim": 3}')
    table = open_table(other)
    np.testing.assert_array_equal(values(table), ROWS)
    assert table.provenance.architecture == "model2vec"
