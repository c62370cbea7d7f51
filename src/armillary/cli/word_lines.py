"""Lines that the commands about words share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, cast, get_args

from armillary.errors import UsageError

if TYPE_CHECKING:
    from armillary.answer.columns import Align
    from armillary.table import Table
    from armillary.words.word import Pool, Word


def remarks(table: Table, words: Sequence[Word]) -> list[str]:
    """How words that are not simply one token became vectors, each once, and what may have been meant; then a blank line.

    For the top of an answer: it is one about these vectors."""
    from armillary.words.word import remark_on

    told = list(dict.fromkeys(f"{remark}." for w in words if (remark := remark_on(table, w))))
    return [*told, ""] if told else []


def mark_note(words: Sequence[Word], shown: Iterable[str] = ()) -> list[str]:
    """What the mark ▁ is, where it stands in the words' notes or in `shown`."""
    from armillary.answer import space_note

    marked = space_note([*(w.note for w in words), *shown])
    return [marked] if marked else []


def pool_of(name: str) -> Pool:
    """The pool of that name."""
    from armillary.words.word import Pool

    if name not in get_args(Pool):
        raise UsageError(f"expected a pool of {', '.join(get_args(Pool))}, found {name!r}")
    return cast("Pool", name)


def left_then_right(numbers: int) -> list[Align]:
    """The alignment of a table of a name and so many numbers."""
    return ["left", *("right" for _ in range(numbers))]
