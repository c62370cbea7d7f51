"""The header of a fastText binary model: settings, dictionary, and where its two matrices lie.

Layout (fastText's own writer, version 12): magic, version; twelve settings and one double; the dictionary (sizes,
then each entry: bytes, a zero, its count, its type); a flag that the input is quantised; the input matrix; the same
flag and matrix for the output. Everything little-endian, matrices with their sizes in front.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass

from armillary.errors import UnreadableError

MAGIC = b"\xba\x16\x4f\x2f"
_SETTINGS = struct.Struct("<12id")
_SIZES = struct.Struct("<3iqq")
_ENTRY_TAIL = 9  # count and type
_LONGEST = 64  # characters of an n-gram; trained models have 3 to 6, and a word of n characters has up to n²/2 of them
HIERARCHICAL, SUPERVISED = 1, 3  # values of loss and model


@dataclass(frozen=True)
class Matrix:
    """Where a matrix of float32 begins, and its shape."""

    begin: int
    shape: tuple[int, int]


@dataclass(frozen=True)
class Model:
    """What the header says. `pruned` is −1 for a model whose n-grams were not pruned."""

    width: int
    loss: int
    kind: int
    buckets: int
    shortest: int
    longest: int
    words: list[bytes]
    labels: list[bytes]
    pruned: int
    input: Matrix
    output: Matrix | None


class Cut(Exception):
    """A length in the file does not fit into what is there."""


def read_model(data: mmap.mmap, name: str) -> Model:
    """The header of a model. Cut for lengths that do not fit; UnreadableError for a quantised model, by name."""
    (version,) = struct.unpack_from("<i", data, 4)
    if version not in (11, 12):
        raise UnreadableError(
            f"expected version 11 or 12 of the fastText format in {name}, found {version}",
            "save the model with a newer fastText",
        )
    width, _, _, _, _, _, loss, kind, buckets, shortest, longest, _, _ = _SETTINGS.unpack_from(data, 8)
    if version == 11 and kind == SUPERVISED:
        longest = 0  # fastText's own rule for old supervised models
    at = 8 + _SETTINGS.size
    count, _, _, _, pruned = _SIZES.unpack_from(data, at)
    if longest > _LONGEST:
        raise Cut(f"it claims n-grams of up to {longest:,} characters, and at most {_LONGEST} are read")
    if pruned > len(data) // 8:
        raise Cut(f"it claims {pruned:,} pruned rows")
    words, labels, at = _dictionary(data, at + _SIZES.size, count)
    at += 8 * max(0, pruned)
    inside, at = _matrix(data, at, name)
    output = _matrix(data, at, name)[0] if at < len(data) else None
    if inside.shape[1] != width or inside.shape[0] < len(words) or width < 1:
        raise Cut(f"its input is {inside.shape[0]:,}×{inside.shape[1]:,}, for {len(words):,} words of width {width:,}")
    if longest > 0 and inside.shape[0] < len(words) + buckets and pruned < 0:
        raise Cut(f"its input has {inside.shape[0]:,} rows, for {len(words):,} words and {buckets:,} buckets")
    return Model(width, loss, kind, buckets, shortest, longest, words, labels, pruned, inside, output)


def _dictionary(data: mmap.mmap, at: int, count: int) -> tuple[list[bytes], list[bytes], int]:
    words: list[bytes] = []
    labels: list[bytes] = []
    if count < 0:
        raise Cut(f"it claims {count:,} dictionary entries")
    for i in range(count):
        end = data.find(b"\0", at)
        if end < 0 or end + 1 + _ENTRY_TAIL > len(data):
            raise Cut(f"its dictionary ends after {i:,} of {count:,} entries")
        kind = data[end + _ENTRY_TAIL]
        (labels if kind == 1 else words).append(data[at:end])
        at = end + 1 + _ENTRY_TAIL
    return words, labels, at


def _matrix(data: mmap.mmap, at: int, name: str) -> tuple[Matrix, int]:
    quantised, rows, width = struct.unpack_from("<?qq", data, at)
    if quantised:
        raise UnreadableError(
            f"expected float32 numbers in {name}, found a quantised fastText model (.ftz)",
            "use the .bin it was made from",
        )
    begin = at + 17
    if rows < 0 or width < 0 or rows * width > (len(data) - begin) // 4:
        raise Cut(f"a matrix of {rows:,}×{width:,} is claimed at byte {at:,}, and {len(data) - begin:,} bytes follow")
    return Matrix(begin, (rows, width)), begin + 4 * rows * width
