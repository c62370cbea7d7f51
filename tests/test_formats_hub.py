"""`hf:` names with the real hub library, against a server on loopback that speaks the hub's addresses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armillary.errors import UnreadableError, UsageError, WorkError
from armillary.formats import bring, hub_ranges, open_table
from gguf_writer import gguf_bytes
from hub_server import COMMIT, Hub, Virtual, serving
from test_formats_safetensors import encode, f32

ROWS = np.random.default_rng(0).standard_normal((50, 8)).astype(np.float32)
HEAD = ROWS + 1


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    from huggingface_hub import constants

    with serving() as server:
        server.files["config.json"] = b'{"model_type": "llama", "tie_word_embeddings": false}'
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hf"))
        yield server


def values(path: Path, **options: Any) -> np.ndarray:
    table = open_table(path, cache=False, **options)
    return table.rows(range(len(table)))


def sharded(hub: Hub, megabytes: int = 0) -> None:
    rest = {f"layer.{i}": f32(np.zeros((256, 1024))) for i in range(megabytes)}
    shards = [
        encode({**rest, "model.embed_tokens.weight": f32(ROWS)}),
        encode({"lm_head.weight": f32(HEAD), **{f"x{k}": v for k, v in rest.items()}}),
    ]
    names = [f"model-0000{i}-of-00002.safetensors" for i in (1, 2)]
    weights = {"model.embed_tokens.weight": names[0], "lm_head.weight": names[1]}
    hub.files |= dict(zip(names, shards, strict=True))
    hub.files["model.safetensors.index.json"] = json.dumps({"weight_map": weights}).encode()


def test_only_the_table_is_brought(hub: Hub) -> None:
    sharded(hub, megabytes=12)
    seen: list[tuple[int, int]] = []
    table = open_table(bring("hf:owner/name", progress=lambda *p: seen.append(p)), name="hf:owner/name")
    np.testing.assert_array_equal(table.rows(range(50)), ROWS)
    assert table.provenance.tied is False
    assert hub.sent < ROWS.nbytes + 1_000_000  # of 25 MB
    assert seen[-1] == (ROWS.nbytes, ROWS.nbytes)
    before = hub.sent
    assert open_table(bring("hf:owner/name")).shape == (50, 8)
    assert hub.sent - before < 1000  # only the name is asked again
    hub.status = 500
    assert open_table(bring("hf:owner/name")).shape == (50, 8)  # the hub is down, the table is here


V, WIDTH, LAYERS, SHARDS = 1024, 8192, 80, 30  # Llama 3 70B, less rows: what is brought beside the table is the same


def seventy_billion() -> tuple[dict[str, bytes | Virtual], np.ndarray]:
    """The published layout of a 70-billion-parameter model: names, shards, sizes, a vocabulary of 128,256."""
    shapes: dict[str, tuple[int, ...]] = {"model.embed_tokens.weight": (V, WIDTH)}
    for i in range(LAYERS):
        layer = f"model.layers.{i}."
        shapes |= {f"{layer}{n}.weight": (WIDTH, WIDTH) for n in ("self_attn.q_proj", "self_attn.o_proj")}
        shapes |= {f"{layer}mlp.down_proj.weight": (WIDTH, 28672)}
        shapes |= {f"{layer}{n}.weight": (28672, WIDTH) for n in ("mlp.gate_proj", "mlp.up_proj")}
        shapes |= {f"{layer}{n}.weight": (1024, WIDTH) for n in ("self_attn.k_proj", "self_attn.v_proj")}
        shapes |= {f"{layer}{n}.weight": (WIDTH,) for n in ("input_layernorm", "post_attention_layernorm")}
    shapes |= {"model.norm.weight": (WIDTH,), "lm_head.weight": (V, WIDTH)}
    rows = np.random.default_rng(0).integers(0, 0x4000, (V, WIDTH), np.uint16)
    per_shard = -(-len(shapes) // SHARDS)
    files: dict[str, bytes | Virtual] = {}
    weights: dict[str, str] = {}
    names = list(shapes)
    for shard in range(SHARDS):
        file = f"model-{shard + 1:05}-of-{SHARDS:05}.safetensors"
        header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
        at, table = 0, {}
        for name in names[shard * per_shard : (shard + 1) * per_shard]:
            size = 2 * int(np.prod(shapes[name]))
            header[name] = {"dtype": "BF16", "shape": shapes[name], "data_offsets": [at, at + size]}
            table |= {at: rows.tobytes()} if name == names[0] else {}
            table |= {at: rows[::-1].tobytes()} if name == names[-1] else {}
            weights[name], at = file, at + size
        raw = json.dumps(header).encode()
        begin = 8 + len(raw)
        pieces = {0: len(raw).to_bytes(8, "little") + raw} | {begin + k: v for k, v in table.items()}
        files[file] = Virtual(begin + at, pieces)
    files["model.safetensors.index.json"] = json.dumps({"weight_map": weights}).encode()
    files["tokenizer.json"] = vocabulary_file()
    return files, rows


def vocabulary_file() -> bytes:
    """A tokenizer.json of 128,256 tokens and 280,147 merges in 9,085,657 bytes, as the published one has."""
    words = {f"Ġ{i:05x}": i for i in range(128_256)}
    merges = [f"Ġ {i:05x}" for i in range(280_147)]
    return json.dumps({"model": {"type": "BPE", "vocab": words, "merges": merges}}).encode().ljust(9_085_657)


def test_a_table_of_70_billion_parameters_costs_its_bytes_and_under_ten_megabytes(hub: Hub) -> None:
    files, rows = seventy_billion()
    hub.files |= files
    assert sum(map(len, files.values())) > 130e9
    folder = bring("hf:owner/name")
    beside = hub.sent - rows.nbytes
    print(f"{beside:,} bytes beside the table")
    assert beside < 10_000_000
    (folder / "tokenizer.json").unlink()  # made for its length alone
    table = open_table(folder)
    assert table.shape == (V, WIDTH) and table.provenance.tied is False
    expected = (rows[[0, 123, V - 1]].astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_array_equal(table.rows([0, 123, V - 1]), expected)


def gguf(words: int = 50) -> bytes:
    keys = {
        "general.architecture": "llama",
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": [f"w{i}" + "x" * 40_000 for i in range(words)],
    }
    rest = {"blk.0.ffn_up.weight": ((1024, 1024), 0, bytes(4 << 20))}
    return gguf_bytes(keys, {"token_embd.weight": ((50, 8), 0, ROWS.tobytes()), **rest})


def test_a_gguf_repository_needs_no_config(hub: Hub) -> None:
    del hub.files["config.json"]
    hub.files["model.Q8_0.gguf"] = gguf()  # a vocabulary of 2 MB: the header is asked for twice
    path = bring("hf:owner/name")
    assert path.name == "model.Q8_0.gguf"
    table = open_table(path)
    np.testing.assert_array_equal(table.rows(range(50)), ROWS)
    assert (len(table.vocabulary), table.provenance.tied, table.load_report.format) == (50, True, "GGUF")
    assert hub.sent < 4_300_000  # of 6.2 MB: header and table, none of the 4 MB after them
    hub.files["model.Q4_0.gguf"] = b"GGUF"
    again = "hf:owner/name/model.Q8_0.gguf"
    np.testing.assert_array_equal(values(bring(again)), ROWS)
    with pytest.raises(UnreadableError, match=r"expected c\.gguf in hf:owner/name, found none"):
        bring("hf:owner/name/c.gguf")


def test_a_choice_of_gguf_files_is_listed(hub: Hub) -> None:
    hub.files |= {"a.gguf": gguf(), "b.gguf": gguf()}
    with pytest.raises(UsageError, match=r"holds 2 GGUF files: a\.gguf, b\.gguf\nname one: hf:owner/name/a\.gguf"):
        bring("hf:owner/name")


def test_a_split_gguf_is_one_model(hub: Hub) -> None:
    split = {"split.count": 2, "split.no": 0, "split.tensors.count": 2, "general.architecture": "llama"}
    hub.files["m-00001-of-00002.gguf"] = gguf_bytes(split, {"token_embd.weight": ((50, 8), 0, ROWS.tobytes())})
    hub.files["m-00002-of-00002.gguf"] = gguf_bytes(
        {"split.count": 2, "split.no": 1}, {"output.weight": ((50, 8), 0, HEAD.tobytes())}
    )
    np.testing.assert_array_equal(values(bring("hf:owner/name")), ROWS)
    np.testing.assert_array_equal(values(bring("hf:owner/name", role="output"), role="output"), HEAD)


@pytest.mark.parametrize("shards", [False, True])
def test_a_pytorch_repository(hub: Hub, tmp_path: Path, shards: bool) -> None:
    import torch

    big = torch.zeros(1 << 20)
    parts = [
        {"big": big, "model.embed_tokens.weight": torch.from_numpy(ROWS)},
        {"lm_head.weight": torch.from_numpy(HEAD)},
    ]
    if not shards:
        parts = [parts[0] | parts[1]]
    names = [f"pytorch_model-{i}.bin" for i in range(len(parts))] if shards else ["pytorch_model.bin"]
    for name, part in zip(names, parts, strict=True):
        torch.save(part, tmp_path / name)
        hub.files[name] = (tmp_path / name).read_bytes()
    if shards:
        index = {"weight_map": {key: name for name, part in zip(names, parts, strict=True) for key in part}}
        hub.files["pytorch_model.bin.index.json"] = json.dumps(index).encode()
    table = open_table(bring("hf:owner/name"))
    np.testing.assert_array_equal(table.rows(range(50)), ROWS)
    assert table.provenance.tied is False
    assert hub.sent < 1_500_000  # of 4.2 MB
    output = bring("hf:owner/name", role="output")
    np.testing.assert_array_equal(values(output, role="output"), HEAD)


def test_a_model2vec_repository_brings_its_mapping(hub: Hub) -> None:
    from safetensors.numpy import save

    mapping, weights = np.arange(60) % 50, np.linspace(0, 1, 60, dtype=np.float32)
    hub.files["model.safetensors"] = save({"embeddings": ROWS, "mapping": mapping, "weights": weights})
    np.testing.assert_array_equal(values(bring("hf:owner/name")), ROWS[mapping] * weights[:, None])


def test_a_single_file_a_moved_name_and_a_revision(hub: Hub) -> None:
    hub.files["model.safetensors"] = encode({"model.embed_tokens.weight": f32(ROWS), "lm_head.weight": f32(ROWS)})
    table = open_table(bring("hf:old/name"))
    np.testing.assert_array_equal(table.rows([49]), ROWS[[49]])
    assert table.provenance.tied is True
    assert bring("hf:owner/name@v1").name == COMMIT
    assert bring(f"hf:owner/name@{COMMIT}").name == COMMIT
    with pytest.raises(UnreadableError, match="expected a revision of hf:owner/name@v2, found none of that name"):
        bring("hf:owner/name@v2")


def test_the_token_is_sent_to_the_hub(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    sharded(hub)
    bring("hf:owner/name")
    assert hub.tokens and set(hub.tokens) == {"Bearer hf_secret"}


# broken connections
def test_broken_connections_are_taken_up(hub: Hub) -> None:
    sharded(hub)
    hub.breaks = 3
    np.testing.assert_array_equal(values(bring("hf:owner/name")), ROWS)
    assert hub.breaks == 0


def test_what_was_brought_before_a_failure_is_kept_and_taken_up(hub: Hub) -> None:
    rows = np.random.default_rng(1).standard_normal((50_000, 8)).astype(np.float32)
    hub.files["model.safetensors"] = encode({"model.embed_tokens.weight": f32(rows)})
    hub.breaks, hub.least, hub.limited = 1, 300_000, 2  # the head comes, the table breaks, and then it is too much
    with pytest.raises(WorkError, match="answers no more requests for hf:owner/name now: too many were made"):
        bring("hf:owner/name")
    hub.breaks, hub.limited, hub.sent = 0, 1 << 30, 0
    np.testing.assert_array_equal(values(bring("hf:owner/name")), rows)
    assert hub.sent < rows.nbytes / 2 + 300_000  # the other half, and the head again


def test_a_slow_answer_is_waited_for_and_a_stalled_one_ends(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    sharded(hub)
    hub.pause = 0.2
    np.testing.assert_array_equal(values(bring("hf:owner/name")), ROWS)
    monkeypatch.setattr(hub_ranges, "_TIMEOUT", 0.1)
    hub.pause, hub.stall = 0.0, 0.6
    hub.files["model.safetensors"] = encode({"model.embed_tokens.weight": f32(HEAD)})
    with pytest.raises(WorkError, match=r"the hub (could not be reached for hf:owner/name|sent \d+ of)"):
        bring("hf:owner/name@v1", tensor="model.embed_tokens.weight")


@pytest.mark.parametrize("fault", ["ranges", "shifted"])
def test_a_server_that_sends_other_bytes_is_refused(hub: Hub, fault: str) -> None:
    sharded(hub)
    setattr(hub, fault, 5 if fault == "shifted" else False)
    found = r"status 206 with the range bytes 5-" if fault == "shifted" else "status 200 with the range of the whole"
    with pytest.raises(WorkError, match=rf"expected bytes 0 to .*, found an answer of {found}"):
        bring("hf:owner/name")


# failures in one line
@pytest.mark.parametrize(
    ("status", "code", "error", "message"),
    [
        (429, "", WorkError, "too many were made"),
        (500, "", WorkError, "status 500"),
        (503, "", WorkError, "status 503"),
        (401, "", UnreadableError, "found none, or a private"),
        (
            403,
            "GatedRepo",
            UnreadableError,
            "hf:owner/name is gated: its owner lets in those who accept its terms\naccept",
        ),
        (401, "GatedRepo", UnreadableError, "is gated"),
        (404, "RepoNotFound", UnreadableError, "expected a model hf:owner/name, found none, or a private one"),
    ],
)
def test_failures_are_one_line(hub: Hub, status: int, code: str, error: type, message: str) -> None:
    hub.status, hub.code = status, code
    with pytest.raises(error, match=message) as found:
        bring("hf:owner/name")
    assert len(str(found.value).splitlines()) <= 2


def test_names_that_are_wrong_or_not_there(hub: Hub) -> None:
    with pytest.raises(UnreadableError, match="expected a model hf:nobody/nothing, found none"):
        bring("hf:nobody/nothing")
    for name in ("hf:name", "hf:a/b/../c", "hf:", "hf:a/b@"):
        with pytest.raises(UsageError, match=r"expected hf:owner/name\[@revision\], found hf:"):
            bring(name)
    with pytest.raises(UnreadableError, match=r"expected model\.safetensors, .* in hf:owner/name, found no weights"):
        bring("hf:owner/name")
    hub.files["tf_model.h5"] = b""
    with pytest.raises(UnreadableError, match=r"found tf_model\.h5\nname a file: hf:owner/name/FILE"):
        bring("hf:owner/name")


@pytest.mark.parametrize("index", [b"{", b'{"weight_map": {"a": "../x"}}', b'{"weight_map": {"a": "absent"}}', b"[]"])
def test_an_index_that_lies(hub: Hub, index: bytes) -> None:
    hub.files["model.safetensors.index.json"] = index
    with pytest.raises(UnreadableError, match="the index of hf:owner/name names files that are not there"):
        bring("hf:owner/name")


def test_names_that_lead_out_of_the_folder_are_not_followed(hub: Hub, tmp_path: Path) -> None:
    for name in ("../evil.gguf", "/etc/evil.gguf", "a/../../evil.gguf", "a\\..\\evil.gguf"):
        hub.files[name] = gguf()
    with pytest.raises(UnreadableError, match="found no weights"):
        bring("hf:owner/name")
    assert not list(tmp_path.rglob("*evil*"))


def test_a_header_that_claims_more_than_the_file(hub: Hub) -> None:
    hub.files["model.safetensors"] = (1 << 40).to_bytes(8, "little") + b"{" * 100
    with pytest.raises(
        UnreadableError, match=r"the header of model\.safetensors .* claims 1,099,511,627,776 bytes of 108"
    ):
        bring("hf:owner/name")


# the network off
def test_with_the_network_off_a_cached_model_opens_and_another_fails_at_once(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    sharded(hub)
    bring("hf:owner/name")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert open_table(bring("hf:owner/name")).shape == (50, 8)
    start = time.monotonic()
    with pytest.raises(WorkError, match="hf:owner/other is not in the cache, and HF_HUB_OFFLINE is set"):
        bring("hf:owner/other")
    assert time.monotonic() - start < 2


def snapshot(root: Path, files: dict[str, bytes]) -> Path:
    model = root / "models--owner--name"
    folder = model / "snapshots" / COMMIT
    folder.mkdir(parents=True)
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text(COMMIT)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def test_what_the_hubs_own_cache_holds_is_not_brought_again(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    sharded(hub)
    files = {name: data for name, data in hub.files.items() if isinstance(data, bytes)}
    folder = snapshot(tmp_path / "hf", files)
    assert bring("hf:owner/name") == folder
    assert hub.ranged == 0
    hub.status = 500
    np.testing.assert_array_equal(values(bring("hf:owner/name")), ROWS)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    np.testing.assert_array_equal(values(bring("hf:owner/name")), ROWS)
    (folder / "model-00002-of-00002.safetensors").unlink()  # not whole: what is missing would be missed
    with pytest.raises(WorkError, match="is not in the cache"):
        bring("hf:owner/name")


def command(hub: Hub, cache: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    known = {"HF_ENDPOINT": f"http://127.0.0.1:{hub.server_port}", "ARMILLARY_CACHE": str(cache), "HF_HOME": str(cache)}
    return subprocess.run(
        [sys.executable, "-m", "armillary", *arguments],
        env={**os.environ, **known, **more},
        capture_output=True,
        text=True,
    )


def test_the_command_line_brings_opens_and_fails_in_one_line(hub: Hub, tmp_path: Path) -> None:
    hub.files["model.safetensors"] = encode({"model.embed_tokens.weight": f32(ROWS)})
    found = command(hub, tmp_path, "info", "hf:owner/name", "--json")
    assert json.loads(found.stdout)["result"]["shape"] == [50, 8]
    off = command(hub, tmp_path, "info", "hf:owner/name", "--json", HF_HUB_OFFLINE="1")
    assert json.loads(off.stdout)["result"] == json.loads(found.stdout)["result"]
    lost = command(hub, tmp_path, "info", "hf:owner/other", HF_HUB_OFFLINE="1")
    assert (lost.returncode, lost.stdout) == (3, "")
    told = [
        line for line in lost.stderr.splitlines() if not line.startswith("opening ")
    ]  # a slow machine says that it is
    assert told[0] == "error: hf:owner/other is not in the cache, and HF_HUB_OFFLINE is set"
    assert len(told) == 2  # and the cure


def test_no_server_at_all_is_one_line(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(WorkError, match="the hub could not be reached for hf:owner/other") as found:
        bring("hf:owner/other")
    assert len(str(found.value).splitlines()) == 2
