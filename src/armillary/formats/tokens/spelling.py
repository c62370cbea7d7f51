"""From a vocabulary's own spelling of its tokens to the bytes that they stand for.

Byte-level vocabularies (Radford et al., 2019, GPT-2) write each byte as one printable character, a space as `Ġ`;
sentencepiece (Kudo and Richardson, 2018) writes a space as `▁`; WordPiece (Devlin et al., 2019, BERT) marks a token
that continues a word by `##`. Added tokens are plain text in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from armillary.table import Kind, to_bytes, unused_or_normal

Spelling = Callable[[str], bytes]

_BYTE_NAME = re.compile(r"<0x([0-9A-Fa-f]{2})>")
SPACE_MARK: bytes = "▁".encode()


def _byte_alphabet() -> dict[int, str]:
    """Byte to character: printable Latin-1 stands for itself, the other 68 bytes are U+0100, U+0101, … in order."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [b for b in range(256) if b not in printable]
    return {**{b: chr(b) for b in printable}, **{b: chr(0x100 + i) for i, b in enumerate(others)}}


BYTE_ALPHABET: dict[int, str] = _byte_alphabet()
_IMPOSSIBLE = "\uffff"  # no Latin-1: a character outside the alphabet must not pass for a byte
_TO_BYTES = dict.fromkeys(range(256), _IMPOSSIBLE) | {ord(c): chr(b) for b, c in BYTE_ALPHABET.items()}


def plain(name: str) -> bytes:
    """The name itself; bytes that were no UTF-8 come back as they were."""
    return to_bytes(name)


def byte_level(name: str) -> bytes:
    """Bytes of a byte-level name, `Ġthe` → b" the"; a name outside the alphabet is plain text."""
    try:
        return name.translate(_TO_BYTES).encode("latin-1")
    except UnicodeEncodeError:
        return plain(name)


def sentencepiece(name: str) -> bytes:
    """Bytes of a sentencepiece name, `▁the` → b" the"."""
    return plain(name).replace(SPACE_MARK, b" ")


def wordpiece(name: str) -> bytes:
    """Bytes of a WordPiece name, `##ing` → b"ing"."""
    return plain(name[2:] if name.startswith("##") and len(name) > 2 else name)


def byte_of(name: str) -> bytes | None:
    """The byte that `<0x0A>` names, None for any other name. Only for tokens that their file calls bytes."""
    match = _BYTE_NAME.fullmatch(name)
    return bytes([int(match[1], 16)]) if match else None


def kind_by_name(name: str, kind: Kind) -> Kind:
    """`kind`, unless the name says that the token is unused."""
    return Kind.UNUSED if name[:1] in ("<", "[") and unused_or_normal(name) is Kind.UNUSED else kind
