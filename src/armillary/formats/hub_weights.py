"""The heads of weights on the hub, by kind of file: which tensors there are, and where the bytes of one lie.

safetensors and GGUF have a header in front. A PyTorch checkpoint is a zip: its directory is at the end, the pickle
that names the tensors near the front, and where a tensor's bytes begin is said just before them.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

from armillary.errors import UnreadableError
from armillary.formats import pytorch
from armillary.formats.archive import DAMAGE
from armillary.formats.gguf.cursor import CutShort
from armillary.formats.gguf.header import read_header
from armillary.formats.hub_remote import Remote
from armillary.formats.safetensors_header import LARGEST_HEADER, Entry, parse_header

_FIRST = 256 << 10  # bytes of a shard asked for first: most headers are shorter
_FIRST_GGUF = 1 << 20  # the vocabulary is in it
_LARGEST_GGUF = 256 << 20
_TAILS = (64 << 10, 1 << 20, 16 << 20)  # bytes at the end of a zip that hold its directory
_LOCAL = 30  # bytes of a zip member's own header that say where its data begins


def entries(remote: Remote, file: str) -> dict[str, Entry]:
    """The tensors of a file of weights, whose head is brought. UnreadableError for a file that is none."""
    if file.endswith(".gguf"):
        return _gguf(remote, file)
    head, size = remote.begin(file, _FIRST)
    return _zip(remote, file, size) if head[:4] == b"PK\x03\x04" else _safetensors(remote, file, head, size)


def settled(remote: Remote, file: str, entry: Entry) -> Entry:
    """The entry with the place of its bytes, brought from just before them where the file is a zip."""
    if remote.read(file, 0, 4) != b"PK\x03\x04":
        return entry
    path = remote.folder / file
    at = pytorch.storage_offset(path, file, entry.name)
    remote.lay(file, at, at + _LOCAL)
    return pytorch.read_tensors(path, file)[entry.name]


def _safetensors(remote: Remote, file: str, head: bytes, size: int) -> dict[str, Entry]:
    length = int.from_bytes(head[:8], "little")
    if length > min(LARGEST_HEADER, size - 8):
        raise UnreadableError(
            f"the header of {file} in {remote} claims {length:,} bytes of {size:,}",
            "the file on the hub is damaged; tell its owner, or name another revision",
        )
    if 8 + length > len(head):
        remote.lay(file, len(head), 8 + length)
    return parse_header(remote.read(file, 8, 8 + length), size, file).tensors


def _gguf(remote: Remote, file: str) -> dict[str, Entry]:
    """The header of a GGUF file, whose length nothing says: twice as much until it is whole."""
    head, size = remote.begin(file, _FIRST_GGUF)
    while True:
        try:
            header = read_header(head, file, size=size)
            break
        except CutShort:
            if len(head) >= min(size, _LARGEST_GGUF):
                raise
        end = min(size, 2 * len(head))
        remote.lay(file, len(head), end)
        head = remote.read(file, 0, end)
    return {t.name: Entry(t.name, t.shape, t.stored, t.start, t.stop) for t in header.tensors.values()}


def _zip(remote: Remote, file: str, size: int) -> dict[str, Entry]:
    path = remote.folder / file
    for info in _members(remote, file, path, size):
        if info.filename.rpartition("/")[2] in ("data.pkl", "byteorder"):
            remote.lay(file, info.header_offset, min(size, info.header_offset + info.compress_size + 1024))
    return pytorch.read_tensors(path, file)


def _members(remote: Remote, file: str, path: Path, size: int) -> list[zipfile.ZipInfo]:
    """The members of the zip, from the directory at its end."""
    problem: Exception | None = None
    for tail in _TAILS:
        remote.lay(file, max(0, size - tail), size)
        try:
            with zipfile.ZipFile(path) as archive:
                return archive.infolist()
        except DAMAGE as error:  # more of it may lie before what is here
            problem = error
    raise UnreadableError(
        f"{file} in {remote} is no whole PyTorch checkpoint: {str(problem)[:100]}",
        "the file on the hub is damaged; tell its owner, or name another revision",
    ) from problem
