"""A word of a table: which row or rows a typed text stands for.

One rule everywhere: the token that spells the word with a leading space; else the token without; else the mean of
its tokens, with a note that people see. `#123` names a row by its id, for rows that no text can name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from armillary.errors import UsageError
from armillary.shapes import Float32, Float64
from armillary.table import OUTSIDE, SCALE, Kind, Table, Token

Pool = Literal["mean", "first", "single"]


@dataclass(frozen=True, eq=False)
class Word:
    """A text as a table has it: its tokens, one vector, and a note where it is not simply one token.

    `vector` (d) is the raw row of a single token, or the mean of the raw rows summed in float64. `is_single`:
    whether one row of the table stands for it, wholly.
    """

    text: str
    tokens: tuple[Token, ...]
    vector: Float32[np.ndarray, "d"]
    note: str = ""
    is_single: bool = True

    @property
    def ids(self) -> tuple[int, ...]:
        """Ids of its tokens, in order."""
        return tuple(t.id for t in self.tokens)

    @property
    def norm(self) -> float:
        """Length of the vector, in float64."""
        return float(np.linalg.norm(self.vector.astype(np.float64)))

    @property
    def unit(self) -> Float64[np.ndarray, "d"]:
        """The vector's direction, in float64."""
        return self.vector.astype(np.float64) / self.norm

    def to_dict(self) -> dict[str, Any]:
        tokens = [t.text for t in self.tokens]
        return {"text": self.text, "ids": list(self.ids), "tokens": tokens, "norm": self.norm, "note": self.note}


def read_word(table: Table, text: str, pool: Pool = "mean") -> Word:
    """The word that `text` stands for in a table; `pool` says what a word of several tokens becomes.

    `mean`: the mean of its rows. `first`: its first token. `single`: refused. UsageError for an empty or unknown
    text (near spellings offered), for a spelling that several rows share, and for a row without a direction.
    """
    ids = word_ids(table, text)
    if not ids:
        source = table.provenance.source
        raise UsageError(f"expected a token that spells {text!r}, found none in {source}", cure_of_unknown(table, text))
    if len(ids) > 1 and pool == "single":
        spelled = _spelled(table, ids)
        raise UsageError(f"expected {text!r} to be one token, found {len(ids)}: {spelled}", "use pool mean or first")
    word = _pooled(table, text, ids, pool)
    if not np.isfinite(word.vector).all() or not word.vector.any():
        if np.isin(ids, table.row_facts.outside).any():
            raise UsageError(f"expected a row with a direction for {text!r}, found one {OUTSIDE} (id {ids[0]})", SCALE)
        raise UsageError(
            f"expected a row with a direction for {text!r}, found a zero or non-finite one (id {ids[0]})",
            f"ask for another token; armillary health {table.provenance.source} lists the rows that are broken",
        )
    return word


def remark_on(table: Table, word: Word) -> str:
    """A word's note, and what a person may have meant: most words that are no token are mistyped, and a number that is
    a name may be meant as an id.

    May read the whole vocabulary. Near spellings only in scripts with capitals: elsewhere a letter more is another word.
    """
    if word.is_single and word.text.isdecimal() and _named_by_numbers(table) and f"{word.ids[0]}" != word.text:
        return f"{word.text} is the name of row {word.ids[0]} here; the row with that id is asked for as #{word.text}"
    mistyped = not word.is_single and len(word.text.split()) == 1 and word.text.lower() != word.text.upper()
    near = table.vocabulary.nearest(word.text) if mistyped else []
    return f"{word.note} (did you mean {' or '.join(near)}?)" if near else word.note


def _named_by_numbers(table: Table, looked_at: int = 100) -> bool:
    """Whether names, as far as a sample tells, are all numbers, and not the rows' own."""
    vocabulary = table.vocabulary
    sample = vocabulary.names[:: max(1, len(vocabulary) // looked_at)]
    return not vocabulary.named_by_id and all(name.isdecimal() for name in sample if name)


def try_word(table: Table, text: str, pool: Pool = "mean") -> Word | None:
    """As `read_word`, None where that would refuse: for lists, whose missing words are counted."""
    try:
        ids = word_ids(table, text)
    except UsageError:
        return None
    if not ids or (len(ids) > 1 and pool == "single"):
        return None
    word = _pooled(table, text, ids, pool)
    return word if np.isfinite(word.vector).all() and word.vector.any() else None


def word_ids(table: Table, text: str) -> list[int]:
    """Ids of the tokens a word stands for: one where the vocabulary has it, else as the tokenizer splits it.

    Empty where neither can; UsageError for an empty text, an id out of range, or a spelling that several rows share.
    """
    if not text.strip():
        raise UsageError("expected a word, found an empty text", "a row without a name is asked for by its id: #17")
    if text.startswith("#") and text[1:].isdecimal():
        return [_checked_id(table, int(text[1:]))]
    single = single_id(table, text)
    if single is not None:
        return [single]
    return [] if table.vocabulary.tokenizer is None else split_ids(table, text)


def try_single_id(table: Table, text: str) -> int | None:
    """As `single_id`, None also for a spelling that several rows share."""
    try:
        return single_id(table, text)
    except UsageError:
        return None


def single_id(table: Table, text: str) -> int | None:
    """The one id that spells the word, leading space first; None if no token does.

    Where tokens of several kinds spell it, whole words win over continuations (`##king`) and normal tokens over
    bytes. A lower-cased vocabulary knows Paris as paris. UsageError if several rows of the best kind have equal bytes.
    """
    found = table.find(text) or _lowered(table, text)
    if not found:
        return None
    vocabulary = table.vocabulary
    same = [i for i in found if vocabulary.raw[i] == vocabulary.raw[found[0]]]
    kind = [(vocabulary.names[i].startswith("##"), int(vocabulary.kinds[i])) for i in same]
    best = [i for i, k in zip(same, kind, strict=True) if k == min(kind)]
    if len(best) > 1:
        listed = ", ".join(f"#{i}" for i in best[:5])
        raise UsageError(
            f"expected one row for {text!r}, found {len(best)} that are spelled so", f"say which: {listed}"
        )
    return best[0]


def _lowered(table: Table, text: str) -> list[int]:
    """Rows of the text in lower case, where there is no tokenizer, or one that makes the same token of both."""
    vocabulary, lowered = table.vocabulary, text.lower()
    if lowered == text or not (found := table.find(lowered)):
        return []
    same = vocabulary.tokenizer is None or vocabulary.encode(text) == vocabulary.encode(lowered)
    return found if same else []


def split_ids(table: Table, text: str) -> list[int]:
    """The tokenizer's split of a word as it stands inside a sentence: after a space, where that is no longer."""
    vocabulary = table.vocabulary
    bare = _with_rows(table, text)
    if bare and vocabulary.raw[bare[0]].startswith(b" "):  # the tokenizer puts the space itself
        return bare
    spaced = _with_rows(table, f" {text}")
    return spaced if spaced and (not bare or len(spaced) <= len(bare)) else bare


def _with_rows(table: Table, text: str) -> list[int]:
    """The tokenizer's split; it may know tokens that the table has no row for."""
    return [i for i in table.vocabulary.encode(text) if i < len(table)]


def spaced_ids(table: Table, text: str) -> list[int]:
    """The tokenizer's split of a word after a space, whether the tokenizer puts the space itself or not."""
    vocabulary = table.vocabulary
    bare = vocabulary.encode(text)
    ids = bare if bare and vocabulary.raw[bare[0]].startswith(b" ") else vocabulary.encode(f" {text}")
    return [i for i in ids if i < len(table)]


def _pooled(table: Table, text: str, ids: list[int], pool: Pool) -> Word:
    tokens = tuple(table.token(i) for i in ids)
    if len(ids) == 1:
        return Word(text, tokens, table.row(ids[0]), _respelled(text, tokens[0]))
    if pool == "first":
        note = f"{text} is no single token; its first, {tokens[0].text}, stands for it"
        return Word(text, tokens[:1], table.row(ids[0]), note, False)
    mean = table.rows(ids).mean(axis=0, dtype=np.float64).astype(np.float32)
    return Word(
        text, tokens, mean, f"{text} is no single token; the mean of {_spelled(table, ids)} stands for it", False
    )


def _spelled(table: Table, ids: list[int]) -> str:
    return " · ".join(table.token(i).text for i in ids)


def _respelled(text: str, token: Token) -> str:
    """A note where a lower-cased list of words stands in for a capital; a token that is named says nothing."""
    lowered = token.bytes.decode("utf-8", "replace").strip()
    return f"{text} is not in this table; {lowered} stands for it" if text != lowered == text.lower() else ""


def cure_of_unknown(table: Table, text: str) -> str:
    """What to ask for instead of a word that no row spells."""
    if table.vocabulary.named_by_id:
        return "rows of this table are named by id: ask for #0, #1 …, or name them with --tokens FILE"
    near = table.vocabulary.near(text)
    return f"near spellings: {', '.join(near)}" if near else "a row can be named by its id: #123"


def _checked_id(table: Table, id: int) -> int:
    table.row(id)  # raises with the range of ids
    if table.vocabulary.kinds[id] == Kind.NO_TOKEN:
        raise UsageError(f"expected a row with a token, found a padded row at id {id:,}")
    return id
