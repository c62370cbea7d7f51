"""Case and space variants of a token: `king`, `▁King` and `KING` are one word in a race of analogies."""

from __future__ import annotations

from collections.abc import Iterable

from armillary.table import Table


def variants_of(table: Table, ids: Iterable[int]) -> set[int]:
    """Rows that spell one of these tokens but for case and surrounding spaces, those tokens themselves left out."""
    vocabulary = table.vocabulary
    given = set(ids)
    found: set[int] = set()
    for id in given:
        word = vocabulary.raw[id].decode("utf-8", "replace").strip()
        for spelled in _spellings(word):
            found.update(vocabulary.find(spelled))
    return found - given


def _spellings(word: str) -> set[str]:
    """The ways a word is commonly cased; asking the index for each is instant, reading a whole vocabulary is not."""
    return {word, word.lower(), word.upper(), word.capitalize(), word.title(), word.casefold()} - {""}
