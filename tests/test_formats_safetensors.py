"""safetensors: numbers to the bit, headers that lie, shards, ties, and our own writer (items 7 to 11 of the list)."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armillary.errors import ArmillaryError, UnreadableError, UsageError
from armillary.formats import open_table, write_safetensors
from armillary.formats.layouts import embedding_scale
from armillary.table import Kind, Table

Tensors = Mapping[str, tuple[str, list[int], bytes]]


def encode(tensors: Tensors, **metadata: Any) -> bytes:
    """A safetensors file, written out here so that nothing of ours or of the library's decides what it is."""
    header: dict[str, Any] = {"__metadata__": metadata} if metadata else {}
    at = 0
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + len(raw)]}
        at += len(raw)
    return with_header(json.dumps(header).encode(), b"".join(raw for _, _, raw in tensors.values()))


def with_header(header: bytes, data: bytes) -> bytes:
    return struct.pack("<Q", len(header)) + header + data


def f32(rows: Any) -> tuple[str, list[int], bytes]:
    array = np.asarray(rows, "<f4")
    return "F32", list(array.shape), array.tobytes()


def opened(folder: Path, content: bytes, **wanted: Any) -> Table:
    (folder / "x").write_bytes(content)
    return open_table(folder / "x", **wanted)


def values(table: Table) -> list[list[float]]:
    return table.rows(range(len(table))).tolist()


A, B = [[1.0, 2], [3, 4], [5, 6]], [[1.0, 2], [3, 4], [5, 7]]


# 7. numbers, exactly
def test_bfloat16_is_the_upper_half_of_a_float32(tmp_path: Path) -> None:
    codes = np.arange(1 << 16, dtype="<u2").reshape(-1, 256)
    table = opened(tmp_path, encode({"embed.weight": ("BF16", [256, 256], codes.tobytes())}))
    expected = (codes.astype("<u4") << 16).view("<f4")
    np.testing.assert_array_equal(table.vectors.block(0, 256).view(np.uint32), expected.view(np.uint32))
    np.testing.assert_array_equal(table.rows([200, 3]).view(np.uint32), expected[[200, 3]].view(np.uint32))


def float8(code: int, exponent_bits: int) -> float:
    """One 8-bit float, read bit by bit."""
    fraction_bits = 7 - exponent_bits
    exponent, fraction = (code & 127) >> fraction_bits, code & (1 << fraction_bits) - 1
    if exponent_bits == 5 and exponent == 31:
        return math.nan if fraction else math.copysign(math.inf, -1.0 if code & 128 else 1.0)
    if exponent_bits == 4 and code & 127 == 127:
        return math.nan
    bias = (1 << exponent_bits - 1) - 1
    whole = fraction / (1 << fraction_bits) + (exponent > 0)
    return math.copysign(whole * 2.0 ** (max(exponent, 1) - bias), -1.0 if code & 128 else 1.0)


@pytest.mark.parametrize(("stored", "bits", "largest"), [("F8_E4M3", 4, 448.0), ("F8_E5M2", 5, 57344.0)])
def test_8_bit_floats(tmp_path: Path, stored: str, bits: int, largest: float) -> None:
    table = opened(tmp_path, encode({"embed.weight": (stored, [16, 16], bytes(range(256)))}))
    found = table.vectors.block(0, 16).ravel()
    np.testing.assert_array_equal(found, np.array([float8(c, bits) for c in range(256)], np.float32))
    assert np.nanmax(found[np.isfinite(found)]) == largest
    assert np.signbit(found[128])


def test_8_bit_floats_as_torch_reads_them(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    for stored, dtype in (("F8_E4M3", torch.float8_e4m3fn), ("F8_E5M2", torch.float8_e5m2)):
        table = opened(tmp_path, encode({"embed.weight": (stored, [16, 16], bytes(range(256)))}))
        theirs = torch.arange(256, dtype=torch.uint8).view(dtype).float().numpy()
        np.testing.assert_array_equal(table.vectors.block(0, 16).ravel(), theirs)


@pytest.mark.parametrize(
    ("stored", "dtype", "rows"),
    [
        ("F16", "<f2", [[1.5, -0.0], [6e-8, 65504]]),
        ("F64", "<f8", [[0.5, 2], [3, 4]]),
        ("I8", "i1", [[-128, 127], [0, 1]]),
        ("U8", "u1", [[255, 0], [1, 2]]),
        ("I32", "<i4", [[-7, 1 << 24], [0, 1]]),
        ("I64", "<i8", [[-7, 1 << 40], [0, 1]]),
    ],
)
def test_plain_numbers(tmp_path: Path, stored: str, dtype: str, rows: list[list[float]]) -> None:
    raw = np.array(rows, dtype).tobytes()
    table = opened(tmp_path, encode({"embed.weight": (stored, [2, 2], raw)}))
    assert table.vectors.block(0, 2).dtype == np.float32
    assert values(table) == np.array(rows, dtype).astype(np.float32).tolist()
    assert table.provenance.stored == stored


def test_float64_loss_is_among_the_row_facts(tmp_path: Path) -> None:
    exact = 1.0 + 2.0**-25
    table = opened(tmp_path, encode({"embed.weight": ("F64", [1, 2], struct.pack("<2d", exact, 1.0))}))
    assert table.row_facts.relative_loss == 2.0**-25 / exact
    assert "largest relative loss is among the row facts" in table.load_report.notes[-1]


def test_rows_that_begin_at_an_odd_byte(tmp_path: Path) -> None:
    table = opened(tmp_path, encode({"a": ("U8", [1], b"x"), "embed.weight": f32(A)}))
    block = table.vectors.block(0, 3)
    assert block.tolist() == A
    assert block.flags.aligned
    assert block.flags.c_contiguous


# 7. headers that lie
def one(**fields: Any) -> bytes:
    entry = {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]} | fields
    return with_header(json.dumps({"e": entry}).encode(), bytes(16))


WHOLE = encode({"e": f32([[1, 2], [3, 4]])})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (WHOLE[:-3], r"is cut: its tensors need \d+ bytes, and \d+ are there \(3 missing\)"),
        (WHOLE + b"abc", r"has trailing bytes: its tensors end at byte \d+, and 3 bytes follow"),
        (struct.pack("<Q", 1 << 20) + b'{"a": {}}', r"is cut: its header claims 1,048,576 bytes, and 9 are there"),
        (struct.pack("<Q", 1 << 40) + b'{"a": {}}', "is corrupt: its header claims 1,099,511,627,776 bytes"),
        (one(data_offsets=[0, 12]), "'e' of shape 2×2 and type F32 needs 16 bytes, has 12"),
        (one(shape=[1 << 62, 1 << 62]), "needs 85,070,591,730,234,615,865,843,651,857,942,052,864 bytes"),
        (one(shape=[-2, 2]), "not lists of whole numbers"),
        (one(shape=[2.0, 2]), "not lists of whole numbers"),
        (one(shape=[True, 4]), "not lists of whole numbers"),
        (one(shape=None), "not lists of whole numbers"),
        (one(data_offsets=[16, 0]), "ends at byte 0 before it begins at 16"),
        (one(data_offsets=[0]), "not lists of whole numbers"),
        (one(dtype=7), "'e' has no dtype"),
        (with_header(b'{"e": 3}', b""), "the header of 'e' is no object"),
        (with_header(b'{"e": {"dtype": "F32"', b""), "its header is no JSON"),
        (with_header(b'{"' + b"\xff" * 9 + b'"}', b""), "its header is no JSON"),
        (with_header(b'{"e": ' + b"[" * 100_000 + b"}", b""), "its header is no JSON"),
        (with_header(b'{"e": {"dtype": "F32", "shape": [' + b"9" * 5000 + b"]}}", b""), "its header is no JSON"),
        (with_header(b'{"e":{"dtype":"U8","shape":[1,1],"data_offsets":[0,1]},'
                     b'"e":{"dtype":"U8","shape":[1,1],"data_offsets":[0,1]}}', b"x"), "has the key 'e' twice"),
        (with_header(b'{"a":{"dtype":"U8","shape":[2,1],"data_offsets":[0,2]},'
                     b'"b":{"dtype":"U8","shape":[2,1],"data_offsets":[1,3]}}', b"xyz"), "'b' begins at byte .* inside"),
        (with_header(b'{"a":{"dtype":"U8","shape":[1,1],"data_offsets":[1,2]}}', b"xy"), "belong to no tensor"),
        (with_header(b'{"e":{"dtype":"F4","shape":[2,2],"data_offsets":[0,2]}}', b"xy"), "found type F4"),
        (with_header(b'{"e":{"dtype":"F99","shape":[2,2],"data_offsets":[0,2]}}', b"xy"), "found type F99"),
        (encode({"e": ("F32", [4], bytes(16))}), "expected a two-dimensional tensor"),
        (with_header(b"{ }", b""), "expected a two-dimensional tensor"),
    ],
)  # fmt: skip
def test_hostile_headers(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(UnreadableError, match=message) as error:
        opened(tmp_path, content)
    assert "\n" not in error.value.message


# the table among the tensors
@pytest.mark.parametrize(
    "name",
    [
        "model.embed_tokens.weight",
        "model.language_model.embed_tokens.weight",
        "transformer.wte.weight",
        "embeddings.word_embeddings.weight",
        "bert.embeddings.word_embeddings.weight",
        "transformer.word_embeddings.weight",
        "gpt_neox.embed_in.weight",
        "shared.weight",
        "embedding.weight",
        "embeddings",
        "somebody.elses.prefix.embed_tokens.weight",
        "my_embedding_table",
    ],
)
def test_the_table_is_found_by_name(tmp_path: Path, name: str) -> None:
    table = opened(
        tmp_path,
        encode(
            {
                "model.layers.0.mlp.down_proj.weight": f32(np.ones((9, 4))),
                "model.position_embeddings.weight": f32(np.ones((8, 2))),
                "vision_tower.patch_embedding.weight": f32(np.ones((7, 2))),
                name: f32(A),
            }
        ),
    )
    assert table.provenance.tensor == table.load_report.candidates[0].tensor == name
    assert values(table) == A


def test_candidates_and_choice(tmp_path: Path) -> None:
    content = encode({"p.weight": f32(A), "q.weight": f32(B), "bias": f32([1.0])})
    with pytest.raises(
        UnreadableError, match=r"2 tensors could be the table of .*: p.weight 3×2, q.weight 3×2"
    ) as error:
        opened(tmp_path, content)
    assert error.value.cure == "choose one with --tensor NAME"
    assert values(opened(tmp_path, content, tensor="q.weight")) == B
    with pytest.raises(UsageError, match=r"expected a tensor q\.wieght .*\ndid you mean q\.weight"):
        opened(tmp_path, content, tensor="q.wieght")
    with pytest.raises(UsageError, match=r"two-dimensional tensor, found bias of shape \(1,\)"):
        opened(tmp_path, content, tensor="bias")
    (tmp_path / "config.json").write_text('{"vocab_size": 5}')
    chosen = opened(tmp_path, encode({"p.weight": f32(A), "r.weight": f32(np.ones((5, 2)))}))
    assert chosen.provenance.tensor == "r.weight"
    assert chosen.load_report.candidates[0].reason == "two-dimensional; as many rows as the vocabulary, 5"


# 8. shards
def sharded(
    folder: Path, shards: Mapping[str, Tensors], promised: Mapping[str, str] | None = None, **claims: Any
) -> Path:
    for file, tensors in shards.items():
        (folder / file).write_bytes(encode(tensors))
    weights = promised or {name: file for file, tensors in shards.items() for name in tensors}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": claims, "weight_map": weights}))
    return folder


EMBED, HEAD = "model.embed_tokens.weight", "lm_head.weight"
ONE, TWO = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"


def test_shards_open_from_folder_and_from_index(tmp_path: Path) -> None:
    sharded(tmp_path, {ONE: {EMBED: f32(A)}, TWO: {"model.norm.weight": f32([1.0, 1])}})
    (tmp_path / "stray.safetensors").write_bytes(encode({EMBED: f32(B)}))
    for source in (tmp_path, tmp_path / "model.safetensors.index.json"):
        table = open_table(source)
        assert values(table) == A
        assert table.provenance.parameters == 8
        assert table.load_report.files_read == ("model.safetensors.index.json", ONE, TWO)
        assert table.load_report.files_ignored == ("stray.safetensors",)


def test_only_the_shard_with_the_table_is_needed(tmp_path: Path) -> None:
    sharded(tmp_path, {ONE: {EMBED: f32(A)}, TWO: {"model.norm.weight": f32([1.0, 1])}}, total_parameters=8)
    for damage in (lambda p: p.write_bytes(b"torn"), lambda p: p.unlink()):
        damage(tmp_path / TWO)
        table = open_table(tmp_path)
        assert values(table) == A
        assert table.provenance.parameters == 8
        assert f"absent or unreadable: {TWO}" in table.load_report.notes[-1]


def test_three_messages_for_a_missing_tensor(tmp_path: Path) -> None:
    promised = {EMBED: ONE, "model.extra.weight": TWO, "model.norm.weight": TWO}
    sharded(tmp_path, {ONE: {EMBED: f32(A)}, TWO: {"model.norm.weight": f32([1.0, 1])}}, promised)
    with pytest.raises(
        UsageError, match=r"expected a tensor no\.such in .*, which model.safetensors.index.json does not"
    ):
        open_table(tmp_path, tensor="no.such")
    with pytest.raises(UnreadableError, match=f"expected model.extra.weight in {TWO}, .* the shard lacks it"):
        open_table(tmp_path, tensor="model.extra.weight")
    (tmp_path / ONE).unlink()
    for wanted in (None, EMBED):
        with pytest.raises(UnreadableError, match=f"expected the shard {ONE} beside .*; it is absent"):
            open_table(tmp_path, tensor=wanted)


@pytest.mark.parametrize("shard", ["../secret.safetensors", "/etc/passwd", "a\\b.safetensors", ".."])
def test_an_index_never_leads_out_of_its_folder(tmp_path: Path, shard: str) -> None:
    sharded(tmp_path, {}, {EMBED: shard})
    with pytest.raises(UnreadableError, match="names a shard outside its folder"):
        open_table(tmp_path)


@pytest.mark.parametrize("index", ["{", "[]", '{"weight_map": []}', '{"weight_map": {"a": 1}}', "[" * 100_000])
def test_an_index_that_is_none(tmp_path: Path, index: str) -> None:
    (tmp_path / "model.safetensors.index.json").write_text(index)
    with pytest.raises(UnreadableError, match="cannot be used: its index"):
        open_table(tmp_path)


# 9. ties
CONFIG = {"architectures": ["LlamaForCausalLM"], "model_type": "llama"}
TIES = [
    ({EMBED: A}, {}, True, f"only the input table {EMBED} is stored: it is both", ""),
    ({HEAD: A}, {}, True, f"only the output table {HEAD} is stored: it is both", ""),
    ({EMBED: A, HEAD: B}, {}, False, f"{EMBED} and {HEAD} are both stored and differ", ""),
    ({EMBED: A, HEAD: A}, {}, True, f"{EMBED} and {HEAD} hold the same numbers", ""),
    (
        {EMBED: A, HEAD: B},
        {"tie_word_embeddings": True},
        False,
        "differ",
        "the config says that input and output are one",
    ),
    ({EMBED: A}, {"tie_word_embeddings": False}, True, "it is both", "the file holds one table only"),
    ({EMBED: A, HEAD: A}, {"tie_word_embeddings": False}, True, "same numbers", "hold the same numbers"),
    ({EMBED: A}, {"architectures": ["BertModel"]}, None, "the model has no language-model head", ""),
    ({EMBED: A, HEAD: B}, {"text_config": {"tie_word_embeddings": True}}, False, "differ", "the config says"),
]


@pytest.mark.parametrize(("tensors", "config", "tied", "because", "conflict"), TIES)
def test_ties(tmp_path: Path, tensors: Any, config: Any, tied: bool | None, because: str, conflict: str) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG | config))
    (tmp_path / "model.safetensors").write_bytes(encode({name: f32(rows) for name, rows in tensors.items()}))
    report = open_table(tmp_path).load_report
    assert open_table(tmp_path).provenance.tied is tied
    # a tied table that is stored at both ends is one table of the model, and counted once
    assert open_table(tmp_path).provenance.parameters == (2 if tied is False else 1) * len(A) * len(A[0])
    assert because in report.tied_because
    assert [conflict in c for c in report.contradictions] == ([True] if conflict else [])


def test_roles(tmp_path: Path) -> None:
    both = encode({EMBED: f32(A), HEAD: f32(B)})
    assert values(opened(tmp_path, both)) == A
    assert values(opened(tmp_path, both, role="output")) == B
    lone = opened(tmp_path, encode({HEAD: f32(B)}))
    assert values(lone) == B
    assert f"only the output table {HEAD} is stored: it is taken as the input table too" in lone.load_report.notes
    lone = opened(tmp_path, encode({EMBED: f32(A)}), role="output")
    assert values(lone) == A
    assert f"only the input table {EMBED} is stored: it is taken as the output table too" in lone.load_report.notes


@pytest.mark.parametrize(
    ("architecture", "settings", "scale"),
    [
        ("gemma3_text", {}, math.sqrt(640)),
        ("gemma2", {}, math.sqrt(640)),
        ("gemma-embedding", {}, math.sqrt(640)),
        ("recurrent_gemma", {}, math.sqrt(640)),
        ("llama", {}, 1.0),
        ("mbart", {"scale_embedding": True}, math.sqrt(640)),
        ("bart", {"scale_embedding": False}, 1.0),
        ("granite", {"embedding_multiplier": 12.0}, 12.0),
        ("minicpm", {"scale_emb": 12}, 12.0),
        ("granite", {"embedding_multiplier": "twelve"}, 1.0),
    ],
)
def test_embedding_scale(architecture: str, settings: dict[str, Any], scale: float) -> None:
    assert embedding_scale(architecture, 640, settings) == scale


def test_a_config_is_a_claim(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(encode({EMBED: f32(A)}))
    (tmp_path / "config.json").write_text(json.dumps(CONFIG | {"vocab_size": 99}))
    report = open_table(tmp_path).load_report
    assert report.contradictions == (f"the config says 99 tokens, and {EMBED} has 3 rows",)
    (tmp_path / "config.json").write_text("{")
    assert "config.json is no JSON, and is ignored" in open_table(tmp_path).load_report.notes


# 10. our writer
def test_what_is_written_opens_again_here_and_elsewhere(tmp_path: Path) -> None:
    from safetensors.numpy import load_file

    words = ["king", " queen", "<unused1>", b"caf\xc3", "a\tb\n", "", "king"]
    rows = np.asfortranarray(np.random.default_rng(0).standard_normal((7, 3)))
    assert write_safetensors(rows, tmp_path / "t.safetensors", words) == (
        tmp_path / "t.safetensors",
        tmp_path / "t.tokens.parquet",
    )
    table = open_table(tmp_path / "t.safetensors")
    np.testing.assert_array_equal(table.rows(range(7)), rows.astype(np.float32))
    np.testing.assert_array_equal(load_file(tmp_path / "t.safetensors")["embedding.weight"], rows.astype(np.float32))
    source = Table.from_array(rows, words)
    assert [table.token(i) for i in (0, 1, 2, 4, 5, 6)] == [source.token(i) for i in (0, 1, 2, 4, 5, 6)]
    assert (table.token(3).bytes, table.token(3).text) == (b"caf\xc3", "caf\\xC3")
    assert table.load_report.duplicate_names == 1
    assert table.load_report.files_read == ("t.safetensors", "t.tokens.parquet")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["t.safetensors", "t.tokens.parquet"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_safetensors(A, tmp_path / "t.safetensors", ["a", "b", "c"])
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    monkeypatch.setattr("armillary.formats.write.write_tokens", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(ArmillaryError) as error:
        write_safetensors(B, tmp_path / "t.safetensors", ["x", "y", "z"])
    assert error.value.exit_code == 3
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


# 11. tokens against rows
def test_more_rows_than_tokens_holes_and_tokens_without_a_row(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(encode({"embedding.weight": f32(np.arange(10).reshape(5, 2))}))
    (tmp_path / "words.json").write_text(json.dumps({"a": 0, "c": 2, "far": 7, "a2": 3}))
    table = open_table(tmp_path / "x", tokens=tmp_path / "words.json")
    kinds = [table.token(i).kind for i in range(5)]
    assert kinds == [Kind.NORMAL, Kind.NO_TOKEN, Kind.NORMAL, Kind.NORMAL, Kind.NO_TOKEN]
    report = table.load_report
    assert (report.tokens, report.padded_rows, report.holes, report.tokens_without_row) == (4, 1, 1, 1)
    assert [t.id for t in table.vocabulary.beyond] == [7]
    assert report.contradictions == (
        "words.json names 4 rows, and the table has 5: 2 without a token are left out of what is measured and 1 name belongs to "
        "no row",
    )
    assert table.find("c") == [2]
