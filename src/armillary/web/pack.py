"""Bulk data as one packed body: arrays with their ids, not JSON lists.

Layout: `ARM1`, the header's length (u32, little-endian), a JSON header `{"facts", "arrays": [{name, dtype, shape,
offset}]}`, then each array little-endian at an offset, counted from the end of the padded header, that is a multiple of 8. The page's `api/pack.ts`
reads it without copying.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

_DTYPES = {"f4", "f8", "i4", "u4", "u1", "i1"}


def pack(facts: Mapping[str, Any], **arrays: np.ndarray) -> bytes:
    """The packed body of these facts and arrays; ValueError for a dtype that the page cannot read."""
    entries: list[dict[str, Any]] = []
    pieces: list[bytes] = []
    offset = 0
    for name, array in arrays.items():
        code = np.dtype(array.dtype).newbyteorder("<").str.lstrip("<|")
        if code not in _DTYPES:
            raise ValueError(f"array {name} has dtype {array.dtype}; the page reads {sorted(_DTYPES)}")
        piece = np.ascontiguousarray(array).astype(f"<{code}", copy=False).tobytes()
        entries.append({"name": name, "dtype": code, "shape": list(array.shape), "offset": offset})
        pieces.append(_padded(piece))
        offset += len(pieces[-1])
    header = json.dumps({"facts": facts, "arrays": entries}, ensure_ascii=False, allow_nan=False).encode()
    start = b"ARM1" + len(header).to_bytes(4, "little") + header
    return b"".join([_padded(start), *pieces])


def _padded(piece: bytes) -> bytes:
    return piece + bytes(-len(piece) % 8)
