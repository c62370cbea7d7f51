"""A word of a table: which row or rows a typed text stands for.

One rule everywhere: the token that spells the word with a leading space; else the token without; else the mean of
its tokens, with a note that people see. `#123` names a row by its id, for rows that no text can name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from jaxtyping import Float32

from armillary.errors import UsageError
from armillary.table import Kind, Table
from armillary.words.spelling import near_spellings

Pool = Literal["mean", "first", "single"]


@dataclass(frozen=True, eq=False)
class Word:
    """A word and its vector. `ids`: its tokens in order, one unless it was split; `note`: empty unless it was."""

    text: str
    ids: tuple[int, ...]
    vector: Float32[np.ndarray, "d"]
    shown: str
    note: str = ""

    @property
    def is_single(self) -> bool:
        """Whether the word is one row of the table."""
        return len(self.ids) == 1

    @property
    def norm(self) -> float:
        return float(np.sqrt(np.dot(self.vector.astype(np.float64), self.vector.astype(np.float64))))

    def to_dict(self) -> dict[str, Any]:
        return {"text": self.text, "ids": list(self.ids), "shown": self.shown, "norm": self.norm, "note": self.note}


def find_word(table: Table, text: str, pool: Pool = "mean") -> Word:
    """The word that `text` stands for in this table.

    `pool` says what a word of several tokens becomes: their mean, the first of them, or (single) an error.
    UsageError for an empty or unknown text (near spellings offered), for a spelling that several rows share, and
    for a row without a direction.
    """
    ids = word_ids(table, text)
    if len(ids) > 1 and pool == "single":
        raise UsageError(f"expected {text!r} to be one token, found {len(ids)}: {_pieces(table, ids)}", "use pool mean")
    note = ""
    if len(ids) > 1:
        kept = "the first of them is used" if pool == "first" else "their mean is used"
        note = f"{text} is {len(ids)} tokens ({_pieces(table, ids)}); {kept}"
        ids = ids[:1] if pool == "first" else ids
    rows = table.rows(ids)
    vector = rows[0] if len(ids) == 1 else rows.mean(axis=0, dtype=np.float64).astype(np.float32)
    if not np.isfinite(vector).all() or not vector.any():
        raise UsageError(f"expected a row with a direction for {text!r}, found a zero or non-finite one (id {ids[0]})")
    return Word(text, tuple(ids), vector, table.token(ids[0]).text if len(ids) == 1 else text, note)


def word_ids(table: Table, text: str) -> list[int]:
    """Ids of the tokens a word stands for: one where the vocabulary has it, else as the tokenizer splits it."""
    if not text.strip():
        raise UsageError("expected a word, found an empty text")
    if text.startswith("#") and text[1:].isdecimal():
        return [_checked_id(table, int(text[1:]))]
    single = single_id(table, text)
    if single is not None:
        return [single]
    if table.vocabulary.tokenizer is None:
        near = near_spellings(table.vocabulary, text)
        cure = f"near spellings: {', '.join(near)}" if near else "#ID names a row by its id"
        raise UsageError(f"expected a word of this table, found {text!r}, which none of its tokens spells", cure)
    return split_ids(table, text)


def single_id(table: Table, text: str) -> int | None:
    """The one id that spells the word, leading space first; None if no token does.

    Where tokens of several kinds spell it, whole words win over continuations (`##king`) and normal tokens over
    bytes. UsageError if several rows of the best kind have equal bytes.
    """
    found = table.find(text)
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


def split_ids(table: Table, text: str) -> list[int]:
    """The tokenizer's split of a word as it stands inside a sentence: after a space, where that is no longer."""
    vocabulary = table.vocabulary
    bare = vocabulary.encode(text)
    if bare and vocabulary.raw[bare[0]].startswith(b" "):  # the tokenizer puts the space itself
        return bare
    spaced = vocabulary.encode(f" {text}")
    ids = spaced if spaced and (not bare or len(spaced) <= len(bare)) else bare
    if not ids:
        raise UsageError(f"expected a word of this table, found {text!r}, which its tokenizer turns into nothing")
    return ids


def _checked_id(table: Table, id: int) -> int:
    table.row(id)  # raises with the range of ids
    if table.vocabulary.kinds[id] == Kind.NO_TOKEN:
        raise UsageError(f"expected a row with a token, found a padded row at id {id:,}")
    return id


def _pieces(table: Table, ids: list[int]) -> str:
    return " · ".join(table.token(i).text for i in ids)
