"""The words of a spaCy vector table, without spaCy.

spaCy stores vectors as an array, its strings as a JSON list, and a msgpack map from 64-bit hashes of strings to rows.
Several words may point at one row when a table was pruned; the first key of a row is the word the row was made for.
"""

from __future__ import annotations

from collections.abc import Sequence

from armillary.errors import UnreadableError

_MASK = (1 << 64) - 1
_WIDTHS = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}  # msgpack's unsigned integers


def words_of_rows(strings: Sequence[str], key_to_row: bytes, rows: int) -> list[str | None]:
    """The word of each row; None where no string of the list has the row's hash."""
    row_of: dict[int, int] = {}
    seen: set[int] = set()
    for key, row in _pairs(key_to_row):
        if row not in seen and 0 <= row < rows:
            seen.add(row)
            row_of[key] = row
    words: list[str | None] = [None] * rows
    for string in strings:
        row = row_of.get(string_hash(string.encode("utf-8", "surrogatepass")))
        if row is not None:
            words[row] = string
    return words


def string_hash(data: bytes) -> int:
    """MurmurHash64A with seed 1 (Appleby, 2008): spaCy's hash of a string's UTF-8 bytes."""
    factor = 0xC6A4A7935BD1E995
    value = 1 ^ (len(data) * factor & _MASK)
    whole = len(data) & ~7
    for start in range(0, whole, 8):
        part = int.from_bytes(data[start : start + 8], "little") * factor & _MASK
        part = (part ^ (part >> 47)) * factor & _MASK
        value = (value ^ part) * factor & _MASK
    if whole < len(data):
        value = (value ^ int.from_bytes(data[whole:], "little")) * factor & _MASK
    value = (value ^ (value >> 47)) * factor & _MASK
    return value ^ (value >> 47)


def _pairs(data: bytes) -> list[tuple[int, int]]:
    """The (key, value) pairs of a msgpack map of unsigned integers, in order."""
    if data[:1] == b"\xdf":
        count, at = int.from_bytes(data[1:5], "big"), 5
    elif data[:1] == b"\xde":
        count, at = int.from_bytes(data[1:3], "big"), 3
    else:
        raise UnreadableError(f"expected a msgpack map of hashes to rows, found first byte {data[:1].hex() or 'none'}")
    numbers: list[int] = []
    while at < len(data) and len(numbers) < 2 * count:
        code = data[at]
        width = _WIDTHS.get(code, 0)
        if not width and code > 0x7F:
            raise UnreadableError(f"expected an unsigned integer at byte {at:,} of the map, found code {code:#04x}")
        numbers.append(int.from_bytes(data[at + 1 : at + 1 + width], "big") if width else code)
        at += 1 + width
    if len(numbers) != 2 * count or at != len(data):
        raise UnreadableError(f"expected {count:,} pairs in the map of hashes to rows, found {len(numbers) // 2:,}")
    return list(zip(numbers[::2], numbers[1::2], strict=True))
