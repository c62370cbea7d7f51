"""Lines that the commands about words share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast, get_args

from armillary.errors import UsageError

if TYPE_CHECKING:
    from armillary.answer.columns import Align
    from armillary.words.word import Pool, Word


def notes(words: Sequence[Word]) -> list[str]:
    """How words that are not simply one token became vectors, each once."""
    return list(dict.fromkeys(f"{w.note}." for w in words if w.note))


def pool_of(name: str) -> Pool:
    """The pool of that name."""
    from armillary.words.word import Pool

    if name not in get_args(Pool):
        raise UsageError(f"expected a pool of {', '.join(get_args(Pool))}, found {name!r}")
    return cast("Pool", name)


def left_then_right(numbers: int) -> list[Align]:
    """The alignment of a table of a name and so many numbers."""
    return ["left", *("right" for _ in range(numbers))]
