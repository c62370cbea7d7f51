"""GGUF: headers of every version and byte order, hostile lengths, block types against the reference package."""

from __future__ import annotations

import struct
from pathlib import Path

import gguf
import numpy as np
import pytest
from gguf.quants import dequantize

from armillary.errors import UnreadableError
from armillary.formats.gguf import GGUFFile
from armillary.formats.gguf.types import TYPES
from gguf_writer import ARRAY, STRING, U64, Writer, gguf_bytes

EIGHT = np.arange(8, dtype=np.float32).reshape(4, 2)


def write(folder: Path, data: bytes, name: str = "model.gguf") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def opened(folder: Path, data: bytes) -> GGUFFile:
    return GGUFFile.open(write(folder, data))


def test_types_are_those_of_the_reference_package():
    reference = {int(t): (t.name, *gguf.GGML_QUANT_SIZES[t]) for t in gguf.GGMLQuantizationType}
    assert {number: tuple(kind) for number, kind in TYPES.items()} == reference


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("version", [1, 2, 3])
def test_versions_and_byte_orders_read_the_same(tmp_path: Path, version: int, order: str):
    keys = {"general.architecture": "llama", "n": 7, "f": 0.5, "b": True, "s": ["a", b"\xff\xfe", ""], "i": [1, -2]}
    tensors = {
        "a": ((4, 2), 0, EIGHT.astype(order + "f4").tobytes()),
        "h": ((8,), 1, EIGHT.astype(order + "f2").tobytes()),
    }
    file = opened(tmp_path, gguf_bytes(keys, tensors, version=version, order=order))
    assert (file.version, file.architecture, file.parameters()) == (version, "llama", 16)
    assert (file.keys["n"], file.keys["f"], file.keys["b"]) == (7, 0.5, True)
    assert list(file.keys["s"]) == [b"a", b"\xff\xfe", b""]
    assert file.keys["s"][-1] == b""
    assert file.keys["s"][1:] == [b"\xff\xfe", b""]
    assert file.keys["i"].tolist() == [1, -2]
    assert file.tensors["a"].shape == (4, 2)  # (rows, dim), slowest first
    np.testing.assert_array_equal(file.tensor("a"), EIGHT)
    np.testing.assert_array_equal(file.tensor("h"), EIGHT.ravel())


def test_reference_writer_is_read(tmp_path: Path):
    path = tmp_path / "reference.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_array("tokenizer.ggml.tokens", ["a", "b"])
    writer.add_tensor("token_embd.weight", EIGHT)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    file = GGUFFile.open(path)
    assert list(file.keys["tokenizer.ggml.tokens"]) == [b"a", b"b"]
    np.testing.assert_array_equal(file.tensor("token_embd.weight"), EIGHT)


DECODABLE = [n for n, kind in TYPES.items() if kind.elements > 1 and kind.name not in ("Q8_1", "Q8_K", "Q1_0")]


@pytest.mark.parametrize("number", DECODABLE, ids=lambda n: TYPES[n].name)
def test_block_types_decode_as_the_reference_package_does(tmp_path: Path, number: int):
    kind = TYPES[number]
    raw = np.random.default_rng(number).integers(0, 120, (5, 2 * kind.bytes), np.uint8)  # 120: no scale is NaN
    file = opened(tmp_path, gguf_bytes({}, {"t": ((5, 2 * kind.elements), number, raw.tobytes())}))
    with np.errstate(all="ignore"):
        expected = dequantize(raw, gguf.GGMLQuantizationType(number))
    rows = file.rows("t")
    assert rows.shape == expected.shape == (5, 2 * kind.elements)
    np.testing.assert_array_equal(file.tensor("t").view(np.uint32), expected.view(np.uint32))
    np.testing.assert_array_equal(rows.block(1, 4).view(np.uint32), expected[1:4].view(np.uint32))
    np.testing.assert_array_equal(rows.take(np.array([4, 0, 4])).view(np.uint32), expected[[4, 0, 4]].view(np.uint32))


def test_plain_types_decode_exactly(tmp_path: Path):
    bf16 = (EIGHT.view(np.uint32) >> 16).astype("<u2")
    tensors = {"bf16": ((4, 2), 30, bf16.tobytes()), "f64": ((4, 2), 28, EIGHT.astype("<f8").tobytes())}
    file = opened(tmp_path, gguf_bytes({}, tensors))
    np.testing.assert_array_equal(file.rows("bf16").block(0, 4), EIGHT)
    np.testing.assert_array_equal(file.rows("f64").take(np.array([3])), EIGHT[3:])


def test_types_without_a_decoder_are_refused_by_name(tmp_path: Path):
    file = opened(tmp_path, gguf_bytes({}, {"t": ((1, 256), 15, bytes(292))}))
    with pytest.raises(UnreadableError, match="found Q8_K"):
        file.rows("t")
    with pytest.raises(UnreadableError, match="found type 200"):
        opened(tmp_path, gguf_bytes({}, {"t": ((1, 256), 200, bytes(292))}))


def test_quantised_big_endian_is_refused_by_name(tmp_path: Path):
    file = opened(tmp_path, gguf_bytes({}, {"t": ((1, 32), 8, bytes(34))}, order=">"))
    with pytest.raises(UnreadableError, match=r"big-endian .* found it quantised \(Q8_0\)"):
        file.tensor("t")


def test_alignment_is_honoured(tmp_path: Path):
    file = opened(
        tmp_path, gguf_bytes({}, {"a": ((1,), 0, b"\0" * 4), "b": ((4, 2), 0, EIGHT.tobytes())}, alignment=128)
    )
    np.testing.assert_array_equal(file.tensor("b"), EIGHT)
    for wrong in (0, 3, 48):
        with pytest.raises(UnreadableError, match=f"power of two, found {wrong}"):
            opened(tmp_path, gguf_bytes({"general.alignment": wrong}))


W = Writer()
HUGE = 2**64 - 1
HOSTILE = {
    "magic": (b"GGML" + bytes(20), "expected the magic GGUF, found b'GGML'"),
    "version": (b"GGUF" + struct.pack("<IQQ", 4, 0, 0), "expected GGUF version 1, 2 or 3, found 4"),
    "short": (b"GGUF", "expected 8 bytes for the magic and the version at byte 0, found 4 left"),
    "keys": (W.head(0, HUGE), "18,446,744,073,709,551,615 keys at byte 24, found 0 left"),
    "tensors": (W.head(HUGE, 0), "18,446,744,073,709,551,615 tensors"),
    "key length": (W.head(0, 1) + W.pack("Q", HUGE) + bytes(9), "bytes of a key at byte 32, found 9 left"),
    "value length": (W.head(0, 1) + W.string("k") + W.pack("IQ", STRING, 2**63) + bytes(9), "value of 'k'"),
    "key type": (W.head(0, 1) + W.string("k") + W.pack("IQ", 13, 0), "known type for key 'k' before byte 37, found 13"),
    "array length": (W.head(0, 1) + W.string("k") + W.pack("IIQ", ARRAY, U64, 2**61), "items of 'k' at byte 49"),
    "strings": (W.head(0, 1) + W.string("k") + W.pack("IIQ", ARRAY, STRING, 2**60), "strings of 'k' at byte 49"),
    "string in array": (
        W.head(0, 1) + W.string("k") + W.pack("IIQ", ARRAY, STRING, 2) + W.string("ab") + W.pack("Q", HUGE),
        "expected 2 strings of 'k', found that number 2 runs past the end",
    ),
    "strings end early": (
        W.head(0, 1) + W.string("k") + W.pack("IIQ", ARRAY, STRING, 3) + W.string("0123456789abcdef"),
        "expected 3 strings of 'k', found that number 1 runs past the end",
    ),
    "nested arrays": (
        W.head(0, 1) + W.string("k") + W.pack("I", ARRAY) + W.pack("IQ", ARRAY, 1) * 1000 + bytes(12),
        "more than 4 arrays within one another",
    ),
    "dimensions": (W.head(1, 0) + W.string("t") + W.pack("I", 2**32 - 1) + bytes(64), "found 4,294,967,295"),
    "no dimension": (
        W.head(1, 0) + W.string("t") + W.pack("I", 0) + bytes(64),
        "1 to 4 dimensions of tensor 't', found 0",
    ),
    "overflow": (W.head(1, 0) + W.info("t", (2**63, 2**63), 0, 0) + bytes(64), "bytes are missing"),
    "blocks": (W.head(1, 0) + W.info("t", (2, 33), 8, 0) + bytes(99), "whole blocks of 32 (Q8_0), found rows of 33"),
    "offset": (W.head(1, 0) + W.info("t", (1,), 0, 5) + bytes(64), "at a multiple of 32, found 5"),
    "overlap": (
        W.head(2, 0) + W.info("a", (16,), 0, 0) + W.info("b", (16,), 0, 32) + bytes(160),
        "'b' at byte 128 overlaps 'a', which ends at byte 160",
    ),
    "key twice": (W.head(0, 2) + (W.string("k") + W.value(1)) * 2, "expected each key once, found 'k' twice"),
    "tensor twice": (W.head(2, 0) + W.info("t", (1,), 0, 0) * 2 + bytes(99), "each tensor once, found 't' twice"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_headers_are_named(tmp_path: Path, name: str):
    data, message = HOSTILE[name]
    with pytest.raises(UnreadableError) as error:
        opened(tmp_path, data)
    assert message in error.value.message
    assert "\n" not in error.value.message


def test_every_cut_of_a_file_is_refused(tmp_path: Path):
    keys = {"tokenizer.ggml.tokens": ["a", "bc"], "n": 1, "scores": [0.5, 1.0]}
    whole = gguf_bytes(keys, {"t": ((4, 2), 0, EIGHT.tobytes())})
    opened(tmp_path, whole)
    for size in range(len(whole)):
        with pytest.raises(UnreadableError):
            opened(tmp_path, whole[:size])


def test_cut_and_trailing_data_are_named_with_their_bytes(tmp_path: Path):
    whole = gguf_bytes({}, {"t": ((4, 2), 0, EIGHT.tobytes())})
    with pytest.raises(
        UnreadableError, match=f"expected {len(whole)} bytes .* found {len(whole) - 3}: 3 bytes are missing"
    ):
        opened(tmp_path, whole[:-3])
    assert opened(tmp_path, whole + b"extra").trailing == (("model.gguf", 5),)
    assert opened(tmp_path, whole).trailing == ()


def test_split_files_read_all_headers_first(tmp_path: Path):
    names = [f"m-0000{i}-of-00002.gguf" for i in (1, 2)]
    parts = [
        gguf_bytes(
            {"split.count": 2, "split.no": i, "split.tensors.count": 2}, {f"t{i}": ((4, 2), 0, (EIGHT + i).tobytes())}
        )
        for i in (0, 1)
    ]
    write(tmp_path, parts[0], names[0])
    with pytest.raises(
        UnreadableError, match=r"expected 2 parts of m, found that 1 are missing: m-00002-of-00002\.gguf"
    ):
        GGUFFile.open(tmp_path / names[0])
    second = write(tmp_path, parts[1], names[1])
    file = GGUFFile.open(second)
    assert [path.name for path in file.paths] == names
    np.testing.assert_array_equal(file.tensor("t0"), EIGHT)
    np.testing.assert_array_equal(file.tensor("t1"), EIGHT + 1)
    with pytest.raises(UnreadableError, match=r"expected a name like model-00001-of-00002\.gguf"):
        GGUFFile.open(write(tmp_path, parts[0], "renamed.gguf"))
    write(tmp_path, parts[0], names[1])
    with pytest.raises(UnreadableError, match="found 't0' in two"):
        GGUFFile.open(second)


def test_missing_tensor_names_near_ones(tmp_path: Path):
    file = opened(tmp_path, gguf_bytes({}, {"token_embd.weight": ((4, 2), 0, EIGHT.tobytes())}))
    with pytest.raises(UnreadableError) as error:
        file.tensor("token_embed.weight")
    assert error.value.cure == "did you mean token_embd.weight?"


def test_empty_file_and_folder_are_refused(tmp_path: Path):
    with pytest.raises(UnreadableError, match="found an empty file"):
        opened(tmp_path, b"")
    with pytest.raises(UnreadableError, match="cannot be read"):
        GGUFFile.open(tmp_path)


@pytest.mark.parametrize("count", ["x", [1, 2]])
def test_a_count_of_parts_that_is_no_number_is_refused(tmp_path: Path, count: object):
    with pytest.raises(UnreadableError, match=r"whole number in split\.count"):
        opened(tmp_path, gguf_bytes({"split.count": count}, {}))
