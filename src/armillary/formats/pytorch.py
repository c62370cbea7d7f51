"""PyTorch checkpoints (`.bin`, `.pt`) in the zip layout: the tensors of a pickle that is never unpickled.

The archive holds `data.pkl` and one stored member per storage; a tensor's numbers are mapped where they lie. The
layout that PyTorch wrote before version 1.6 is one stream of pickles and is refused by name.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from armillary.errors import UnreadableError
from armillary.formats.archive import DAMAGE, data_offset, is_mapped
from armillary.formats.numbers import BITS
from armillary.formats.pytorch_pickle import Placed, read_pickle
from armillary.formats.safetensors_header import Entry

_PICKLE = re.compile(rb"PK\x03\x04.{26}[^\0]{0,200}?/?data\.pkl", re.DOTALL)
_LEGACY = re.compile(rb"\x80.\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\.", re.DOTALL)  # torch's magic number
_LARGEST_PICKLE = 500_000_000  # bytes
_LARGEST_TREE, _DEEPEST = 1_000_000, 50  # values and levels: a pickle may name one list many times, or in itself


def is_checkpoint(head: bytes) -> bool:
    """Whether a file begins like a PyTorch checkpoint of either layout."""
    return _PICKLE.match(head) is not None or _LEGACY.match(head) is not None


def read_tensors(path: Path, name: str) -> dict[str, Entry]:
    """Every tensor of a checkpoint and where it lies. UnreadableError for anything else in it, by name."""
    with path.open("rb") as file:
        if _LEGACY.match(file.read(16)):
            raise UnreadableError(
                f"expected the zip layout of PyTorch checkpoints in {name}, found the legacy one (before PyTorch 1.6)",
                "open it with torch.load(weights_only=True) and save its tensors as safetensors",
            )
    with _damage_named(name):
        tensors, members, root = _tensors(path, name)
        return {key: _entry(key, t, members, root, path, name) for key, t in tensors}


def storage_offset(path: Path, name: str, tensor: str) -> int:
    """The byte at which the archive's member with a tensor's storage begins; its data begins a little after."""
    with _damage_named(name):
        tensors, members, root = _tensors(path, name)
        return members[f"{root}data/{dict(tensors)[tensor].storage.key}"].header_offset


def _tensors(path: Path, name: str) -> tuple[list[tuple[str, Placed]], dict[str, zipfile.ZipInfo], str]:
    with zipfile.ZipFile(path) as archive:
        members, root = _members(archive, name)
        value = read_pickle(_pickle(archive, members[root + "data.pkl"]), name)
        return list(_walk(value, name)), members, root


@contextmanager
def _damage_named(name: str) -> Iterator[None]:
    try:
        yield
    except DAMAGE as error:
        raise UnreadableError(
            f"the PyTorch checkpoint {name} is corrupt: {str(error)[:100]}", "copy it again"
        ) from error


def _members(archive: zipfile.ZipFile, name: str) -> tuple[dict[str, zipfile.ZipInfo], str]:
    members = {info.filename: info for info in archive.infolist()}
    root = next((key[: -len("data.pkl")] for key in members if key.rpartition("/")[2] == "data.pkl"), None)
    if root is None:
        raise ValueError("it has no data.pkl")
    order = members.get(root + "byteorder")
    if order is not None and is_mapped(order) and order.file_size < 16 and archive.read(order) != b"little":
        raise UnreadableError(
            f"expected little-endian numbers in {name}, found them big-endian", "convert it to safetensors"
        )
    return members, root


def _pickle(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.file_size > _LARGEST_PICKLE or not is_mapped(info):
        raise ValueError(f"its data.pkl of {info.file_size:,} bytes is no pickle that PyTorch writes")
    return archive.read(info)


def _walk(value: Any, name: str) -> Iterator[tuple[str, Placed]]:
    """Tensors with the keys that lead to them, parted by dots; the same value under two keys has two names."""
    waiting: list[tuple[str, Any, int]] = [("", value, 0)]
    seen = 0
    while waiting:
        prefix, current, depth = waiting.pop()
        if isinstance(current, Placed):
            yield prefix or "tensor", current
        elif isinstance(current, dict | list | tuple):
            seen += len(current) + 1
            if seen > _LARGEST_TREE or depth > _DEEPEST:
                raise UnreadableError(
                    f"expected tensors by name in the PyTorch checkpoint {name}, found more than {_LARGEST_TREE:,} values"
                    f" or {_DEEPEST} levels",
                    "save model.state_dict() alone",
                )
            items = current.items() if isinstance(current, dict) else enumerate(current)
            waiting += [(f"{prefix}.{key}" if prefix else str(key), item, depth + 1) for key, item in items][::-1]


def _entry(key: str, tensor: Placed, members: dict[str, zipfile.ZipInfo], root: str, path: Path, name: str) -> Entry:
    info = members.get(f"{root}data/{tensor.storage.key}")
    if info is None:
        raise ValueError(f"the storage {tensor.storage.key[:40]!r} of {key[:80]} is absent")
    if not is_mapped(info):
        raise ValueError(f"the storage of {key[:80]} is deflated, which PyTorch never writes")
    size = BITS[tensor.stored] // 8
    span = sum((n - 1) * stride for n, stride in zip(tensor.shape, tensor.strides, strict=True)) + 1
    need = 0 if 0 in tensor.shape else size * (tensor.offset + span)
    if need > info.file_size:
        raise ValueError(f"{key[:80]} needs {need:,} bytes of a storage that has {info.file_size:,}")
    if len(tensor.shape) > 64:
        raise ValueError(f"{key[:80]} has {len(tensor.shape)} dimensions")
    begin = data_offset(path, info) + size * tensor.offset
    strides = () if tensor.contiguous else tuple(size * stride for stride in tensor.strides)
    end = begin + (0 if 0 in tensor.shape else size * span)
    return Entry(key, tensor.shape, tensor.stored, begin, end, strides)
