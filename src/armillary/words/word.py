"""What a word is: the one rule by which a text becomes a vector.

A table has tokens, not words. A word is its token with a leading space if there is one, else the token without;
else the mean of its tokens, with a note that says so. Among the ways to split it, with and without a leading space,
the one of fewest tokens is taken, the leading space first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float32

from armillary.errors import UsageError
from armillary.table import Table, Token

Pool = Literal["mean", "first", "single"]


@dataclass(frozen=True, eq=False)
class Word:
    """A text as a table has it: its tokens, one vector, and a note where it is not simply one token.

    `vector` (d) is the raw row of a single token, or the mean of the raw rows summed in float64.
    """

    text: str
    tokens: tuple[Token, ...]
    vector: Float32[np.ndarray, "d"]
    note: str = ""

    @property
    def ids(self) -> tuple[int, ...]:
        """Ids of its tokens, in order."""
        return tuple(t.id for t in self.tokens)

    @property
    def is_single(self) -> bool:
        """Whether one token stands for it."""
        return len(self.tokens) == 1


def read_word(table: Table, text: str, pool: Pool = "mean") -> Word:
    """The word `text` in a table; `pool` says what a word of several tokens becomes.

    `mean`: the mean of its rows. `first`: its first token. `single`: refused. UsageError where the text has no
    token and cannot be split, or is split while `single` was asked.
    """
    found = table.find(text)
    if found:
        return Word(text, (table.token(found[0]),), table.row(found[0]))
    if pool == "single" or table.vocabulary.tokenizer is None:
        raise UsageError(
            f"expected a token that spells {text!r}, found none in {table.provenance.source}", _cure(table, text)
        )
    tokens = tuple(table.token(id) for id in _fewest(table, text) if id < len(table))
    if not tokens:
        raise UsageError(f"expected a word, found {text!r}, which has no token at all")
    spelled = " · ".join(t.text for t in tokens)
    if len(tokens) == 1:
        return Word(text, tokens, table.row(tokens[0].id))
    if pool == "first":
        return Word(
            text,
            tokens[:1],
            table.row(tokens[0].id),
            f"{text} is no single token; its first, {tokens[0].text}, stands for it",
        )
    mean = table.rows([t.id for t in tokens]).mean(axis=0, dtype=np.float64).astype(np.float32)
    return Word(text, tokens, mean, f"{text} is no single token; the mean of {spelled} stands for it")


def _fewest(table: Table, text: str) -> list[int]:
    spaced, bare = table.vocabulary.encode(" " + text), table.vocabulary.encode(text)
    return spaced if len(spaced) <= len(bare) else bare


def _cure(table: Table, text: str) -> str:
    """Words near it that the table does have, by case and by spelling."""
    variants = [text.lower(), text.capitalize(), text.upper(), text.title(), text.strip(), text.rstrip("s"), text + "s"]
    near = list(dict.fromkeys(v for v in variants if v and v != text and table.find(v)))
    if near:
        return f"there is {', '.join(near[:4])}"
    if table.vocabulary.named_by_id:
        return "rows of this table are named by id; give tokens with --tokens FILE, or a row with --id"
    return "give a word that the vocabulary holds, or a row with --id"
