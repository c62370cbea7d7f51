"""The table of a GGUF file: tied or not, parameters, load report, and the cache of decoded rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from armillary.errors import UsageError, WorkError
from armillary.formats import open_table
from armillary.table import Kind
from gguf_writer import gguf_bytes

EIGHT = np.arange(8, dtype=np.float32).reshape(4, 2)
F32, Q4_0, Q8_0 = 0, 2, 8


def q8_0(rows: int, seed: int = 0) -> tuple[bytes, np.ndarray]:
    """Random Q8_0 rows of 32, as stored and as float64 arithmetic decodes them."""
    rng = np.random.default_rng(seed)
    scale = rng.uniform(0.01, 1, (rows, 1)).astype("<f2")
    steps = rng.integers(-127, 128, (rows, 32), np.int8)
    raw = np.concatenate([scale.view(np.uint8), steps.view(np.uint8)], axis=1)
    return raw.tobytes(), (scale.astype(np.float64) * steps).astype(np.float32)


def q4_0(rows: int, seed: int = 0) -> tuple[bytes, np.ndarray]:
    """Random Q4_0 rows of 32: a float16 step, 16 bytes of which byte j holds q_j below and q_{j+16} above, y = (q−8)·d."""
    rng = np.random.default_rng(seed)
    scale = rng.uniform(0.01, 1, (rows, 1)).astype("<f2")
    steps = rng.integers(0, 16, (rows, 32), np.uint8)
    packed = steps[:, :16] | steps[:, 16:] << 4
    raw = np.concatenate([scale.view(np.uint8), packed], axis=1)
    return raw.tobytes(), (scale.astype(np.float64) * (steps.astype(int) - 8)).astype(np.float32)


def keys(tokens: int = 4, **more: object) -> dict[str, object]:
    return {
        "general.architecture": "llama",
        "llama.embedding_length": 2,
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": [f"t{i}" for i in range(tokens)],
        "tokenizer.ggml.scores": [0.0] * tokens,
        **more,
    }


def opened(folder: Path, data: bytes, **options: object):
    path = folder / "any-name.bin"  # content decides, not the ending
    path.write_bytes(data)
    return open_table(path, **options)  # pyright: ignore


def embedding(rows: np.ndarray = EIGHT) -> tuple[tuple[int, ...], int, bytes]:
    return rows.shape, F32, rows.astype("<f4").tobytes()


def test_a_missing_output_means_tied(tmp_path: Path):
    tensors = {"token_embd.weight": embedding(), "blk.0.w": ((3, 5), F32, bytes(60))}
    table = opened(tmp_path, gguf_bytes(keys(), tensors))
    facts, report = table.provenance, table.load_report
    assert (facts.tied, facts.parameters, facts.architecture, facts.scale) == (True, 8 + 15, "llama", 1.0)
    assert report.tied_because.startswith("there is no output.weight")
    assert (report.format, report.tensor, report.rows, report.width, report.tokens) == (
        "GGUF", "token_embd.weight", 4, 2, 4,
    )  # fmt: skip
    np.testing.assert_array_equal(table.rows([3, 0]), EIGHT[[3, 0]])


def test_a_stored_output_is_compared(tmp_path: Path):
    same = opened(tmp_path, gguf_bytes(keys(), {"token_embd.weight": embedding(), "output.weight": embedding()}))
    assert same.provenance.tied is True
    tensors = {"token_embd.weight": embedding(), "output.weight": embedding(EIGHT + 1)}
    data = gguf_bytes(keys(), tensors)
    assert opened(tmp_path, data).provenance.tied is False
    np.testing.assert_array_equal(opened(tmp_path, data, role="output").row(0), EIGHT[0] + 1)


def test_an_encoder_has_no_output(tmp_path: Path):
    data = gguf_bytes(keys(**{"general.architecture": "bert"}), {"token_embd.weight": embedding()})
    assert opened(tmp_path, data).provenance.tied is None


def test_gemma_scales_its_rows_on_look_up(tmp_path: Path):
    data = gguf_bytes(keys(**{"general.architecture": "gemma3"}), {"token_embd.weight": embedding()})
    table = opened(tmp_path, data)
    assert table.provenance.scale == 2**0.5
    np.testing.assert_array_equal(table.row(1), EIGHT[1])  # named, not applied


def test_more_rows_than_tokens_and_the_reverse(tmp_path: Path):
    padded = opened(tmp_path, gguf_bytes(keys(3), {"token_embd.weight": embedding()}))
    assert (padded.load_report.tokens, padded.load_report.padded_rows) == (3, 1)
    assert padded.token(3).kind is Kind.NO_TOKEN
    longer = opened(tmp_path, gguf_bytes(keys(6), {"token_embd.weight": embedding()}))
    assert longer.load_report.tokens_without_row == 2
    assert [(t.id, t.name) for t in longer.vocabulary.beyond] == [(4, "t4"), (5, "t5")]


def test_rows_without_a_vocabulary_are_named_by_id(tmp_path: Path):
    table = opened(tmp_path, gguf_bytes({}, {"token_embd.weight": embedding()}))
    assert table.vocabulary.named_by_id
    assert table.load_report.tokens == 0


def test_claims_that_the_bytes_contradict_are_sentences(tmp_path: Path):
    claims = keys(**{"llama.vocab_size": 9, "llama.embedding_length": 3})
    table = opened(tmp_path, gguf_bytes(claims, {"token_embd.weight": embedding()}) + b"tail")
    assert table.load_report.contradictions == (
        "4 bytes follow the last tensor of any-name.bin",
        "the key llama.vocab_size says 9 tokens, and the table has 4 rows",
        "the key llama.embedding_length says 3, and the rows are 2 wide",
    )


def test_a_tensor_is_chosen_by_name(tmp_path: Path):
    data = gguf_bytes(keys(), {"token_embd.weight": embedding(), "other.weight": embedding(EIGHT + 1)})
    np.testing.assert_array_equal(opened(tmp_path, data, tensor="other.weight").row(0), EIGHT[0] + 1)
    with pytest.raises(UsageError, match=r"expected a tensor token_embed\.weight"):
        opened(tmp_path, data, tensor="token_embed.weight")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "decoded"


def test_quantised_rows_are_decoded_once_into_the_cache(tmp_path: Path, cache: Path):
    raw, expected = q4_0(5)
    data = gguf_bytes(keys(5), {"token_embd.weight": ((5, 32), Q4_0, raw)})
    table = opened(tmp_path, data)
    assert "decodes them to 0 MB of float32 in the cache" in table.load_report.notes[0]
    np.testing.assert_array_equal(table.rows([4, 1]), expected[[4, 1]])
    assert not cache.exists()  # neither opening nor looking rows up decodes the table
    np.testing.assert_array_equal(table.vectors.block(0, 5), expected)
    (file,) = cache.glob("*.npy")
    np.testing.assert_array_equal(np.load(file, allow_pickle=False), expected)
    before = file.stat().st_mtime_ns
    np.testing.assert_array_equal(opened(tmp_path, data).vectors.block(2, 4), expected[2:4])
    assert file.stat().st_mtime_ns == before


def test_q8_0_is_decoded_directly(tmp_path: Path, cache: Path):
    raw, expected = q8_0(5)
    table = opened(tmp_path, gguf_bytes(keys(5), {"token_embd.weight": ((5, 32), Q8_0, raw)}))
    np.testing.assert_array_equal(table.vectors.block(0, 5), expected)
    assert table.load_report.notes == ()
    assert not cache.exists()


def test_the_cache_goes_by_content_and_mends_itself(tmp_path: Path, cache: Path):
    raw, expected = q4_0(5)
    other, other_expected = q4_0(5, seed=1)
    whole = gguf_bytes(keys(5), {"token_embd.weight": ((5, 32), Q4_0, raw)})
    opened(tmp_path, whole).vectors.block(0, 5)
    (file,) = cache.glob("*.npy")
    changed = opened(tmp_path, gguf_bytes(keys(5), {"token_embd.weight": ((5, 32), Q4_0, other)}))
    np.testing.assert_array_equal(changed.vectors.block(0, 5), other_expected)
    file.write_bytes(file.read_bytes()[:-8])  # cut
    np.testing.assert_array_equal(opened(tmp_path, whole).vectors.block(0, 5), expected)


def test_the_cache_can_be_left_out(tmp_path: Path, cache: Path):
    raw, expected = q4_0(5)
    table = opened(tmp_path, gguf_bytes(keys(5), {"token_embd.weight": ((5, 32), Q4_0, raw)}), cache=False)
    np.testing.assert_array_equal(table.vectors.block(0, 5), expected)
    assert not cache.exists()
    assert table.load_report.notes == ()


def test_a_cache_that_cannot_be_written_is_said_with_its_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path / "file"))
    raw, _ = q4_0(5)
    table = opened(tmp_path, gguf_bytes(keys(5), {"token_embd.weight": ((5, 32), Q4_0, raw)}))
    with pytest.raises(WorkError, match="set ARMILLARY_CACHE"):
        table.vectors.block(0, 5)
