"""A sentencepiece model file (`tokenizer.model`): its pieces, read from the bytes without the library.

The same columns are what GGUF stores under its own keys, so they are handed on under those.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np

from armillary.errors import UnreadableError
from armillary.formats.protobuf import FIXED32, LENGTH, VARINT, Field, Malformed, fields
from armillary.formats.tokens.from_gguf import tokens_of_gguf
from armillary.formats.tokens.tokenlist import TokenList

_LARGEST = 500_000_000  # bytes
_MODELS = {1: "t5", 2: "llama"}  # unigram, BPE; by the names that GGUF gives them
_PIECE, _TRAINER, _NORMALIZER = 1, 2, 3


def is_sentencepiece(head: bytes) -> bool:
    """Whether a file begins with a piece: field 1, in it a string (field 1) and a score (field 2)."""
    if len(head) < 8 or head[0] != 0x0A or head[2] != 0x0A or head[3] + 2 > head[1] or head[1] > 127:
        return False
    after = 4 + head[3]
    return after < len(head) and (head[after] == 0x15 or head[after] == 0x18)


def tokens_of_sentencepiece(path: Path) -> TokenList:
    """The token list of a sentencepiece model. UnreadableError if it is cut, corrupt or has no pieces."""
    try:
        if path.stat().st_size > _LARGEST:
            raise Malformed(f"{path.stat().st_size:,} bytes are too many")
        tokens = tokens_of_gguf(_keys(path.read_bytes()))
    except (Malformed, struct.error) as error:
        raise UnreadableError(f"{path.name} is no whole sentencepiece model: {error}", "fetch it again") from error
    assert tokens is not None, "the key of the tokens is always set"
    return tokens


def _keys(data: bytes) -> dict[str, Any]:
    pieces: list[bytes] = []
    scores: list[float] = []
    types: list[int] = []
    keys: dict[str, Any] = {"add_space_prefix": True, "remove_extra_whitespaces": True}
    model = 1
    for field in fields(data, 0, len(data)):
        if field.wire != LENGTH:
            continue
        if field.number == _PIECE:
            piece, score, kind = _piece(data, field)
            pieces.append(piece)
            scores.append(score)
            types.append(kind)
        elif field.number == _TRAINER:
            model = _trainer(data, field, keys, model)
        elif field.number == _NORMALIZER:
            _normalizer(data, field, keys)
    if not pieces:
        raise Malformed("it has no pieces")
    if 2 in types:
        keys.setdefault("unknown_token_id", types.index(2))
    name = _MODELS.get(model, f"sentencepiece type {model}")
    if name == "llama" and "precompiled_charsmap" in keys:
        name = "sentencepiece BPE with a normalisation of its own"
    keys |= {"model": name, "tokens": pieces, "scores": np.array(scores, np.float32)}
    return {f"tokenizer.ggml.{k}": v for k, v in {**keys, "token_type": np.array(types, np.int32)}.items()}


def _piece(data: bytes, message: Field) -> tuple[bytes, float, int]:
    piece, score, kind = b"", 0.0, 1
    for field in fields(data, message.begin, message.end):
        if field.number == 1 and field.wire == LENGTH:
            piece = data[field.begin : field.end]
        elif field.number == 2 and field.wire == FIXED32:
            (score,) = struct.unpack_from("<f", data, field.begin)
        elif field.number == 3 and field.wire == VARINT:
            kind = min(field.value, 99)
    return piece, score, kind


def _trainer(data: bytes, message: Field, keys: dict[str, Any], model: int) -> int:
    """The type of the model; the id of the unknown piece goes into the keys."""
    for field in fields(data, message.begin, message.end):
        if field.number == 3 and field.wire == VARINT:
            model = field.value
        elif field.number == 40 and field.wire == VARINT and field.value < 1 << 31:
            keys["unknown_token_id"] = field.value
    return model


def _normalizer(data: bytes, message: Field, keys: dict[str, Any]) -> None:
    for field in fields(data, message.begin, message.end):
        if field.number == 2 and field.wire == LENGTH and field.end > field.begin:
            keys["precompiled_charsmap"] = np.frombuffer(data, np.uint8, field.end - field.begin, field.begin)
        elif field.number == 3 and field.wire == VARINT:
            keys["add_space_prefix"] = bool(field.value)
        elif field.number == 4 and field.wire == VARINT:
            keys["remove_extra_whitespaces"] = bool(field.value)
