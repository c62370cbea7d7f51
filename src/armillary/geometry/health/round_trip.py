"""The round trip of a vocabulary: every token decoded to its text, and the text encoded again.

A token comes back alone, or after a space, or inside a word; one that never does is unreachable from text. Tokens that
cannot be text by themselves (control, unused, byte tokens, parts of a character) are not tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from armillary.errors import ArmillaryError
from armillary.shapes import Int64
from armillary.table import Kind, Vocabulary

# what stands before the token's text: nothing, a space, the beginning of a word (several: some merge with it), a break
CONTEXTS: dict[str, tuple[str, ...]] = {
    "alone": ("",),
    "after a space": (" ",),
    "inside a word": ("a", "x", "qz", "7", "é", "("),
    "after a line break": ("\n",),
}
_TRIED = (Kind.NORMAL, Kind.USER_DEFINED)
_STEP = 8192


@dataclass(frozen=True, eq=False)
class RoundTrip:
    """`tried` tokens; `returned`: how many came back first in each context, in order; `unreachable` ids, ascending."""

    tried: int
    returned: dict[str, int]
    unreachable: Int64[np.ndarray, "u"]

    @property
    def share(self) -> float:
        """Share of the tokens tried that came back in some context."""
        return 1.0 - len(self.unreachable) / self.tried if self.tried else 1.0


def round_trip(vocabulary: Vocabulary, progress: Callable[[int, int], None] | None = None) -> RoundTrip | None:
    """Send every token through decode and encode; None where there is no tokenizer. progress(tokens done, tokens)."""
    if vocabulary.tokenizer is None:
        return None
    ids = np.flatnonzero(np.isin(vocabulary.kinds, _TRIED)).tolist()
    returned = dict.fromkeys(CONTEXTS, 0)
    unreachable: list[int] = []
    tried = 0
    for done, id in enumerate(ids, 1):
        text = _text(vocabulary, id)
        if text is not None:
            tried += 1
            context = _context(vocabulary, id, text)
            if context is None:
                unreachable.append(id)
            else:
                returned[context] += 1
        if progress and done % _STEP == 0:
            progress(done, len(ids))
    return RoundTrip(tried, returned, np.array(unreachable, np.int64))


def _text(vocabulary: Vocabulary, id: int) -> str | None:
    """What a token decodes to; None where that is no text."""
    try:
        return vocabulary.decode([id]).decode()
    except UnicodeDecodeError:
        return None


def _context(vocabulary: Vocabulary, id: int, text: str) -> str | None:
    """The first context whose encoding ends with exactly this token; alone it must be the only one."""
    for name, beginnings in CONTEXTS.items():
        if any(_returns(vocabulary, id, before, text) for before in beginnings):
            return name
    return None


def _returns(vocabulary: Vocabulary, id: int, before: str, text: str) -> bool:
    try:
        found = vocabulary.encode(before + text)
    except ArmillaryError:  # a text that this tokenizer cannot spell
        return False
    return found[-1:] == [id] and (bool(before) or len(found) == 1)
