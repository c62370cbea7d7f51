"""Mutated files of every format: an ArmillaryError or a table, never another exception, a hang, or a great allocation.

The seeds are small real files that the packages of each format write. A mutation flips, cuts, repeats, overwrites or
inserts bytes, numbers at their limits among them.
"""

from __future__ import annotations

import gzip
import random
import resource
import time
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from armillary.errors import ArmillaryError
from armillary.formats import convert, open_table
from armillary.table import Table
from gguf_writer import gguf_bytes
from test_formats_doors import ROWS, TEXT, onnx_model, sentencepiece_model, supervised

TABLE = Table.from_array(ROWS, ["a", "b", "猫", "d"])
SHORT, LONG = 30, 100_000
SECONDS, SPARE = 5.0, 64 << 20  # of one input; bytes of a constant beside four times the file


def converted(ending: str) -> Callable[[Path], bytes]:
    return lambda folder: convert(TABLE, folder / f"seed{ending}")[0].read_bytes()


def torch_seed(folder: Path) -> bytes:
    import torch

    torch.save({"embed.weight": torch.from_numpy(ROWS), "epoch": 3}, folder / "seed")
    return (folder / "seed").read_bytes()


def onnx_seed(folder: Path) -> bytes:
    from onnx import numpy_helper

    return onnx_model(folder, numpy_helper.from_array(ROWS, "embed.weight")).read_bytes()


def zip_seed(folder: Path) -> bytes:
    with zipfile.ZipFile(folder / "seed", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.vec", TEXT)
    return (folder / "seed").read_bytes()


def npz_seed(folder: Path) -> bytes:
    np.savez(folder / "seed.npz", vectors=ROWS, words=np.array(["a", "b", "c", "d"]))
    return (folder / "seed.npz").read_bytes()


def feather_seed(folder: Path) -> bytes:
    import pyarrow as pa
    import pyarrow.feather

    pyarrow.feather.write_feather(pa.table({"text": ["a", "b", "c", "d"], "v": ROWS.tolist()}), str(folder / "seed"))
    return (folder / "seed").read_bytes()


def gguf_seed(folder: Path) -> bytes:
    keys = {
        "general.architecture": "llama",
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": ["a", "b", "c", "d"],
    }
    return gguf_bytes(keys, {"token_embd.weight": ((4, 3), 0, ROWS.tobytes())})


SEEDS: dict[str, Callable[[Path], bytes]] = {
    "safetensors": converted(".safetensors"),
    "npy": converted(".npy"),
    "npz": npz_seed,
    "gguf": gguf_seed,
    "pytorch": torch_seed,
    "onnx": onnx_seed,
    "fasttext": lambda _: supervised(),
    "parquet": converted(".parquet"),
    "arrow": feather_seed,
    "word2vec binary": converted(".bin"),
    "text": lambda _: TEXT.encode(),
    "gzip": lambda _: gzip.compress(TEXT.encode()),
    "zip": zip_seed,
    "sentencepiece": lambda folder: sentencepiece_model(folder).read_bytes(),
}
LIMITS = [
    b"\0",
    b"\xff",
    b"\x7f",
    b"\xff" * 4,
    b"\xff" * 8,
    b"\xff\xff\xff\x7f",
    b"\0" * 8,
    b"9" * 12,
    b"nan",
    b"\n",
    b" ",
]


def mutated(seed: bytes, rng: random.Random) -> bytes:
    data = bytearray(seed)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(6):
            case 0 if at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            case 1:
                del data[at : at + rng.choice((1, 4, len(data)))]
            case 2:
                data[at:at] = data[at : at + rng.randrange(1, 64)]
            case 3:
                limit = rng.choice(LIMITS)
                data[at : at + len(limit)] = limit
            case 4:
                data[at:at] = rng.choice(LIMITS)
            case _ if at < len(data):
                data[at] = rng.randrange(256)
            case _:
                pass
    return bytes(data)


def opened(path: Path, format: str) -> None:
    """Open a file, and read its rows where it opens."""
    beside = {"tokens": path} if format == "sentencepiece" else {}
    table = open_table(path.with_name("rows.npy") if beside else path, **beside, cache=False)  # pyright: ignore[reportArgumentType]
    if len(table) * table.shape[1] < 1 << 22:
        table.vectors.block(0, len(table))
        list(table.vocabulary)


def hunt(format: str, folder: Path, count: int) -> int:
    """The largest allocation that Python saw, in bytes beyond four times the file."""
    np.save(folder / "rows.npy", ROWS)
    seed, rng, most = SEEDS[format](folder), random.Random(format), 0
    for number in range(count):
        data = mutated(seed, rng)
        path = folder / "input"
        path.write_bytes(data)
        tracemalloc.reset_peak()
        before, start = tracemalloc.get_traced_memory()[0], time.process_time()
        try:
            opened(path, format)
        except ArmillaryError as error:
            assert error.message and "\n" not in error.message, (format, number, error.message)
        except Exception as error:
            raise AssertionError(f"{format}, input {number}: {data[:200]!r}") from error
        assert time.process_time() - start < SECONDS, (format, number)
        most = max(most, tracemalloc.get_traced_memory()[1] - before - 4 * len(data))
    return most


@pytest.fixture(autouse=True)
def traced() -> object:
    tracemalloc.start()
    with warnings.catch_warnings():
        yield
    tracemalloc.stop()


@pytest.mark.parametrize("format", SEEDS)
def test_mutated_files_give_one_line_or_a_table(tmp_path: Path, format: str) -> None:
    assert hunt(format, tmp_path, SHORT) < SPARE


@pytest.mark.slow
@pytest.mark.parametrize("format", SEEDS)
def test_a_hundred_thousand_mutated_files(tmp_path: Path, format: str) -> None:
    most = hunt(format, tmp_path, LONG)
    print(
        f"{format}: {LONG:,} inputs, {most / 1e6:,.1f} MB beyond 4 × the file, {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024:,} MB in all"
    )
    assert most < SPARE
