"""PyTorch checkpoints: what torch writes opens to the same numbers, and nothing but tensors is ever built."""

from __future__ import annotations

import json
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armillary.errors import UnreadableError
from armillary.formats import open_table
from armillary.table import Table
from lazy import torch


@pytest.fixture(scope="module")
def rows() -> Any:
    return torch.arange(12, dtype=torch.float32).reshape(4, 3) / 7


def saved(folder: Path, value: Any, **how: Any) -> Path:
    path = folder / "any-name"
    torch.save(value, path, **how)
    return path


def values(table: Table) -> np.ndarray:
    return table.rows(range(len(table)))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64", "int8", "uint16", "float8_e4m3fn"])
def test_numbers_are_those_of_torch(tmp_path: Path, rows: Any, dtype: str) -> None:
    rows = (rows * 8).to(getattr(torch, dtype))
    table = open_table(saved(tmp_path, {"embed_tokens.weight": rows}))
    np.testing.assert_array_equal(values(table), rows.to(torch.float32).numpy())
    np.testing.assert_array_equal(table.row(2), rows.to(torch.float32).numpy()[2])
    assert table.load_report.format == "PyTorch checkpoint"


def test_views_slices_and_parameters(tmp_path: Path) -> None:
    big = torch.arange(100, dtype=torch.float32).reshape(10, 10)
    parts = {
        "a": big[2:5],
        "b": big.t(),
        "c": big[:, 3:5],
        "d": torch.nn.Parameter(big[:, :1]),
        "e": big[0].expand(4, 10),
    }
    path = saved(
        tmp_path, {"deep": [{"state_dict": parts}], "epoch": 3, "rate": 0.5, "note": "x", "none": (None, True)}
    )
    for name, part in parts.items():
        table = open_table(path, tensor=f"deep.0.state_dict.{name}")
        np.testing.assert_array_equal(values(table), part.detach().numpy())
        np.testing.assert_array_equal(table.rows([1, 0]), part.detach().numpy()[[1, 0]])


def test_tied_weights_are_one_table_and_counted_once(tmp_path: Path) -> None:
    model = torch.nn.ModuleDict(
        {"embed_tokens": torch.nn.Embedding(5, 4), "lm_head": torch.nn.Linear(4, 5, bias=False)}
    )
    model["lm_head"].weight = model["embed_tokens"].weight
    table = open_table(saved(tmp_path, model.state_dict()))
    assert (table.provenance.tied, table.provenance.parameters) == (True, 20)
    assert table.load_report.tied_because == "embed_tokens.weight and lm_head.weight hold the same numbers"


def test_a_folder_with_shards(tmp_path: Path, rows: Any) -> None:
    torch.save({"embed_tokens.weight": rows}, tmp_path / "pytorch_model-00001-of-00002.bin")
    weights = {"embed_tokens.weight": "pytorch_model-00001-of-00002.bin", "x": "pytorch_model-00002-of-00002.bin"}
    (tmp_path / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": weights}))
    torch.save({"optimizer": 1}, tmp_path / "training_args.bin")
    table = open_table(tmp_path)
    np.testing.assert_array_equal(values(table), rows.numpy())
    assert table.load_report.format == "Hugging Face folder, sharded"
    assert table.load_report.files_ignored == ("training_args.bin",)
    (tmp_path / "pytorch_model-00001-of-00002.bin").unlink()
    with pytest.raises(UnreadableError, match=r"expected the shard pytorch_model-00001-of-00002\.bin beside"):
        open_table(tmp_path)


def test_a_whole_model_is_refused_by_the_name_of_its_class(tmp_path: Path) -> None:
    with pytest.raises(
        UnreadableError, match=r"nothing but tensors in .*, found the name torch\.nn\.modules\.sparse\.Embedding"
    ):
        open_table(saved(tmp_path, torch.nn.Embedding(3, 2)))


def test_the_legacy_layout_is_refused_by_name(tmp_path: Path, rows: Any) -> None:
    with pytest.raises(UnreadableError, match=r"found the legacy one \(before PyTorch 1\.6\)"):
        open_table(saved(tmp_path, {"w": rows}, _use_new_zipfile_serialization=False))


class Bomb:
    def __init__(self, call: Any, *arguments: Any) -> None:
        self.made = call, arguments

    def __reduce__(self) -> Any:
        return self.made


@pytest.mark.parametrize(
    ("made", "found"),
    [
        (lambda: Bomb(os.system, "touch exploded"), r"the name (posix|nt)\.system"),
        (lambda: Bomb(eval, "1"), r"the name (builtins|__builtin__)\.eval"),
        (lambda: Bomb(torch.load, "x"), r"the name torch\.serialization\.load"),
    ],
)
def test_a_pickled_bomb_does_not_go_off(
    tmp_path: Path, rows: Any, monkeypatch: pytest.MonkeyPatch, made: Any, found: str
) -> None:
    monkeypatch.chdir(tmp_path)
    value = made()
    with pytest.raises(UnreadableError, match=found):
        open_table(saved(tmp_path, {"embed.weight": rows, "x": value}))
    (tmp_path / "bare").write_bytes(pickle.dumps(value))
    with pytest.raises(UnreadableError, match="found a Python pickle"):
        open_table(tmp_path / "bare")
    assert not (tmp_path / "exploded").exists()


def rewritten(path: Path, pickled: bytes, storage: bytes | None = b"") -> Path:
    """A checkpoint with another pickle; its storage "0" is as given, or absent for None."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickled)
        if storage is not None:
            archive.writestr("archive/data/0", storage)
    return path


TENSOR = (
    b"ctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuK\x06tQ"
)


@pytest.mark.parametrize(
    ("pickled", "storage", "message"),
    [
        (
            b"\x80\x02" + TENSOR + b"K\0K\x02K\x03\x86K\x03K\x01\x86\x89}tR.",
            bytes(20),
            "needs 24 bytes of a storage that has 20",
        ),
        (
            b"\x80\x02" + TENSOR + b"K\0K\x02K\x03\x86K\x03K\x01\x86\x89}tR.",
            None,
            "the storage '0' of tensor is absent",
        ),
        (
            b"\x80\x02" + TENSOR + b"J\xff\xff\xff\xffK\x02K\x03\x86K\x03K\x01\x86\x89}tR.",
            bytes(24),
            "expected a count, found -1",
        ),
        (b"\x80\x02" + TENSOR + b"K\0K\x02K\x03\x86K\x03\x85\x89}tR.", bytes(24), "more sizes than strides"),
        (b"\x80\x02]q\0h\0a.", b"", "found more than 1,000,000 values or 50 levels"),  # a list that holds itself
        (b"\x80\x02X\xff\xff\xff\xff.", b"", "it ends at byte"),
        (b"\x80\x02(lp0\n.", b"", "the pickle opcode 0x70"),
        (b"\x80\x02K\x01", b"", "it ends at byte"),
    ],
)
def test_hostile_pickles_are_named(tmp_path: Path, pickled: bytes, storage: bytes | None, message: str) -> None:
    with pytest.raises(UnreadableError, match=message.replace("(", r"\(")):
        open_table(rewritten(tmp_path / "x", pickled, storage))


def test_lists_of_lists_of_lists_stop(tmp_path: Path) -> None:
    laughs = b"\x80\x02]q\0" + b"".join(b"](" + b"h%c" % i * 10 + b"eq%c" % (i + 1) for i in range(20)) + b"."
    with pytest.raises(UnreadableError, match="more than 1,000,000 values"):
        open_table(rewritten(tmp_path / "x", laughs))
