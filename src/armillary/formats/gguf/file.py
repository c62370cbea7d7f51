"""A GGUF file, or all parts of a split one: its keys, its tensors, and any tensor as float32.

Reads headers only; a tensor's bytes are mapped and decoded when asked for. Used for tables here and for whole models
by the lens.
"""

from __future__ import annotations

import mmap
import re
from pathlib import Path
from typing import Any

import numpy as np

from armillary.errors import UnreadableError
from armillary.formats.gguf.decode import decoder_of
from armillary.formats.gguf.header import Header, TensorInfo, read_header
from armillary.formats.numbers import MappedRows
from armillary.shapes import Float32, UInt8

_PART = re.compile(r"(?P<stem>.*)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf", re.DOTALL)


class GGUFFile:
    """Headers of a GGUF file, all parts included, over the mapped bytes.

    `keys`: metadata of the first part; strings are str, arrays of strings a sequence of bytes, arrays of numbers
    read-only numpy arrays. `tensors`: `TensorInfo` by name, of all parts. `paths`: the files read, first part first.
    `trailing`: (file, bytes after its last tensor) where there are any.
    """

    def __init__(self, paths: list[Path], maps: list[mmap.mmap], headers: list[Header]) -> None:
        self.paths: tuple[Path, ...] = tuple(paths)
        self._maps = maps
        self._headers = headers
        self.keys: dict[str, Any] = headers[0].keys
        self.tensors: dict[str, TensorInfo] = {}
        for header, path in zip(headers, paths, strict=True):
            for name, info in header.tensors.items():
                if name in self.tensors:
                    raise UnreadableError(f"{path.name}: expected each tensor in one part, found {name!r} in two")
                self.tensors[name] = info
        self._check_count()

    @classmethod
    def open(cls, path: str | Path) -> GGUFFile:
        """The file at `path`, and its other parts if it is one of several.

        UnreadableError for a file that is cut, damaged or hostile, and for a part that is missing.
        """
        path = Path(path)
        data, header = _open_one(path, 0)
        count = header.keys.get("split.count", 1)
        if not isinstance(count, int):
            raise UnreadableError(f"{path.name}: expected a whole number in split.count, found {type(count).__name__}")
        if count <= 1:
            return cls([path], [data], [header])
        paths = _parts(path, count)
        opened = [_open_one(part, i) for i, part in enumerate(paths)]
        return cls(paths, [data for data, _ in opened], [header for _, header in opened])

    @property
    def version(self) -> int:
        """1, 2 or 3."""
        return self._headers[0].version

    @property
    def architecture(self) -> str:
        """The architecture the file names, such as `llama`; empty where it names none."""
        return str(self.keys.get("general.architecture", ""))

    def parameters(self, repeated: str = "") -> int:
        """How many numbers all tensors hold together, but for the one named `repeated`: it holds another's once more."""
        return sum(info.parameters for name, info in self.tensors.items() if name != repeated)

    @property
    def trailing(self) -> tuple[tuple[str, int], ...]:
        """(file name, number of bytes) for each file with bytes after its last tensor."""
        each = zip(self.paths, self._headers, strict=True)
        return tuple((path.name, header.trailing) for path, header in each if header.trailing)

    def info(self, name: str) -> TensorInfo:
        """The tensor of that name; UnreadableError names near ones."""
        if name not in self.tensors:
            from difflib import get_close_matches

            near = get_close_matches(name, self.tensors, 3)
            raise UnreadableError(
                f"expected a tensor {name!r} in {self.paths[0].name}, found none among {len(self.tensors):,}",
                f"did you mean {', '.join(near)}?" if near else "armillary info lists the tensors",
            )
        return self.tensors[name]

    def tensor(self, name: str) -> Float32[np.ndarray, "..."]:
        """One tensor decoded to float32, in the shape of its info; a new array."""
        info = self.info(name)
        decode = decoder_of(info.type, self._headers[info.file].order, name)
        values = decode(self.stored_bytes(name).reshape(1, -1)) if info.parameters else np.zeros(0, np.float32)
        return np.require(values.reshape(info.shape), requirements=["W"])

    def rows(self, name: str) -> MappedRows:
        """A row decoder of a two-dimensional tensor; UnreadableError for another shape or an unknown quantisation."""
        info = self.info(name)
        decode = decoder_of(info.type, self._headers[info.file].order, name)
        if len(info.shape) != 2:
            raise UnreadableError(f"expected two dimensions of tensor {name!r}, found the shape {info.shape}")
        return MappedRows(self.stored_bytes(name), info.shape[1], decode, info.stored)

    def stored_bytes(self, name: str) -> UInt8[np.ndarray, "n b"]:
        """The bytes of a tensor as stored, one line per row; a read-only view of the mapped file."""
        info = self.info(name)
        raw = np.frombuffer(self._maps[info.file], np.uint8, info.stop - info.start, info.start)
        return raw.reshape(*info.shape[:-1], info.type.size(info.shape[-1]))

    def _check_count(self) -> None:
        said = self.keys.get("split.tensors.count")
        if len(self.paths) > 1 and said is not None and said != len(self.tensors):
            raise UnreadableError(
                f"{self.paths[0].name}: expected {said:,} tensors in all parts, found {len(self.tensors):,}",
                "fetch all parts of the same release",
            )

    def __repr__(self) -> str:
        return f"GGUFFile({self.paths[0].name}: {self.architecture}, {len(self.tensors):,} tensors)"


def _open_one(path: Path, number: int) -> tuple[mmap.mmap, Header]:
    try:
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError as error:  # an empty file cannot be mapped
        raise UnreadableError(f"{path.name}: expected a GGUF file, found an empty file") from error
    except OSError as error:
        raise UnreadableError(f"{path} cannot be read: {error.strerror}") from error
    return data, read_header(data, path.name, number)


def _parts(path: Path, count: int) -> list[Path]:
    """Paths of all parts, in order; UnreadableError for a name that does not tell them, or a part not there."""
    match = _PART.fullmatch(path.name)
    if match is None or int(match["count"]) != count:
        raise UnreadableError(
            f"{path.name}: expected a name like model-00001-of-{count:05}.gguf for one of {count:,} parts",
            "give the parts the names they were published under",
        )
    paths = [path.with_name(f"{match['stem']}-{i:05}-of-{count:05}.gguf") for i in range(1, count + 1)]
    missing = [part.name for part in paths if not part.is_file()]
    if missing:
        raise UnreadableError(
            f"expected {count:,} parts of {match['stem']}, found that {len(missing):,} are missing: "
            f"{', '.join(missing[:3])}",
            f"put them beside {path.name}",
        )
    return paths
