"""A token: an id, its bytes, a display string, and what kind of thing it is.

Tokens are bytes. They may hold tabs, newlines, half a character, or HTML, and two tokens may look the same. So the
id is the key, the bytes are the truth, and the display string is only for the eye.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Kind(IntEnum):
    """What kind of row a token is; the order is the one used in stored columns."""

    NORMAL = 0
    BYTE = 1
    CONTROL = 2
    USER_DEFINED = 3
    UNUSED = 4
    NO_TOKEN = 5  # a padded row, or a hole in the vocabulary

    @property
    def label(self) -> str:
        """The name people read and type: `normal`, `byte`, … `no-token`."""
        return self.name.lower().replace("_", "-")

    @classmethod
    def from_label(cls, label: str) -> Kind:
        """The kind of that name; ValueError lists the names there are."""
        for kind in cls:
            if kind.label == label:
                return kind
        raise ValueError(f"no kind named {label!r}; there are {', '.join(k.label for k in cls)}")


@dataclass(frozen=True, slots=True)
class Token:
    """One row's token.

    `bytes` is what the token stands for in a text (a leading space is a real space); `text` is a display string of
    visible characters only; `name` is the vocabulary's own spelling (`Ġthe`, `▁the`, `##ing`, `<0x0A>`).
    """

    id: int
    bytes: bytes
    text: str
    name: str
    kind: Kind

    @classmethod
    def of(cls, id: int, raw: bytes, name: str, kind: Kind) -> Token:
        """A token with the display string that its bytes, or where they tell more its own name, give."""
        return cls(id, raw, _display(id, raw, name, kind), name, kind)

    def __str__(self) -> str:
        return self.text


def _display(id: int, raw: bytes, name: str, kind: Kind) -> str:
    if kind is Kind.NO_TOKEN:
        return f"⟨no token {id}⟩"
    continues_word = name == "##" + raw.decode("utf-8", "surrogateescape") and bool(raw)
    if name and (kind is not Kind.NORMAL or continues_word):
        return visible(to_bytes(name))
    return visible(raw) or "⟨empty⟩"


def to_bytes(text: str) -> bytes:
    """UTF-8 of a text; bytes that were no UTF-8 come back as they were, and so does half of a surrogate pair."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # JSON can write one, and a hostile vocabulary does
        return text.encode("utf-8", "surrogatepass")


_VISIBLE_SPACE = "▁"  # U+2581, the mark sentencepiece made familiar


def visible(raw: bytes) -> str:
    """Bytes as a display string: spaces as ▁, control characters as symbols, bytes that are no UTF-8 as \\xNN.

    The result holds no control, format (bidirectional marks included) or line-separating character, so it can be
    laid out in a terminal cell; it is *not* safe HTML.
    """
    text = raw.decode("utf-8", "surrogateescape").replace(" ", _VISIBLE_SPACE)
    return text if text.isprintable() else "".join(map(_visible_character, text))


def _visible_character(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # surrogateescape: a byte that is no UTF-8
        return f"\\x{code - 0xDC00:02X}"
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if character.isprintable():
        return character
    return f"\\u{{{code:04X}}}"
