"""Lines that the commands about words share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, cast, get_args

from armillary.errors import UsageError

if TYPE_CHECKING:
    from armillary.answer.columns import Align
    from armillary.words.word import Pool, Word


def notes(words: Sequence[Word], shown: Iterable[str] = ()) -> list[str]:
    """How words that are not simply one token became vectors, each once, and what the mark ▁ in them or in `shown` is."""
    from armillary.answer import space_note

    told = list(dict.fromkeys(f"{w.note}." for w in words if w.note))
    marked = space_note([*told, *shown])
    return [*told, *([marked] if marked else [])]


def pool_of(name: str) -> Pool:
    """The pool of that name."""
    from armillary.words.word import Pool

    if name not in get_args(Pool):
        raise UsageError(f"expected a pool of {', '.join(get_args(Pool))}, found {name!r}")
    return cast("Pool", name)


def left_then_right(numbers: int) -> list[Align]:
    """The alignment of a table of a name and so many numbers."""
    return ["left", *("right" for _ in range(numbers))]
