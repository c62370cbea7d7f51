"""An analogy, answered honestly: what comes first with the inputs kept, what with them removed, and by chance.

Most published analogies hide that the inputs were taken out of the race and that the answer was a near neighbour
before anything was added (Linzen 2016; Rogers, Drozd & Li 2017; Nissim 2020). Here each rank is given in every
convention, beside the rank under "nearest to the base word" alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.answer import Answer
from armillary.errors import UsageError
from armillary.shapes import Float64
from armillary.table import Table
from armillary.words.cosines import cosines_to, first, rank_of
from armillary.words.expression import Expression, parse
from armillary.words.scores import METHODS, Method, score
from armillary.words.variants import variants_of
from armillary.words.word import Pool, Word, read_word

CONVENTIONS = ("kept", "removed", "variants_removed")


@dataclass(frozen=True)
class Entry:
    """A row in a top list: its place, token, score, and whether it is an input or a variant of one."""

    rank: int
    id: int
    text: str
    score: float
    role: str = ""  # "input", "variant", or empty


@dataclass(frozen=True)
class Ranks:
    """The rank of one answer in each convention, and under the neighbours of the base word alone."""

    kept: int
    removed: int
    variants_removed: int
    baseline: int
    """rank among the neighbours of the base word, that word itself left out"""

    @property
    def reciprocal(self) -> float:
        """1/rank with the inputs removed."""
        return 1 / self.removed

    def to_dict(self) -> dict[str, Any]:
        return {**self.__dict__, "reciprocal": self.reciprocal}


@dataclass(frozen=True, eq=False, repr=False)
class Analogy(Answer):
    """The whole picture of one analogy. `kept`: the top with nothing removed; `removed`: without the inputs and
    their case and space variants. `answer`: the word asked about, or else (`asked` is False) the first of `removed`."""

    expression: Expression
    words: tuple[Word, ...]
    method: Method
    kept: tuple[Entry, ...]
    removed: tuple[Entry, ...]
    answer: Entry
    ranks: Ranks
    parallelism: float | None
    rows: int
    raw_rows: bool = False
    base_rank: int | None = None
    """rank of the base word itself after the arithmetic, nothing removed; None where it is no single token"""
    asked: bool = False

    def __str__(self) -> str:
        return f"{self.sentence}\n" + "\n".join(f"  {e.rank:>3}  {e.text}  {e.score:.3f}  {e.role}" for e in self.kept)

    @property
    def sentence(self) -> str:
        """The answer as a sentence."""
        r, base, name = self.ranks, self.expression.base, self.answer.text
        before = f"It is number {r.baseline:,} among the neighbours of {base} alone"
        after = f"after {self.expression.rest} it is number {r.kept:,} with the inputs kept"
        if r.kept == r.removed == r.variants_removed:
            after += " or removed"
        else:
            after += f", {r.removed:,} without them"
        if r.variants_removed != r.removed:
            after += f", {r.variants_removed:,} without their variants too"
        own = f" {base} itself, kept, is number {self.base_rank:,}." if self.base_rank else ""
        return f"{name}. {before}; {after}.{own}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "expression": self.expression.text,
            "terms": [{"word": w, "coefficient": c} for w, c in self.expression.terms],
            "base": self.expression.base,
            "words": [w.to_dict() for w in self.words],
            "method": self.method,
            "rows": self.rows,
            "space": "raw rows" if self.raw_rows else "unit rows",
            "kept": [e.__dict__ for e in self.kept],
            "removed": [e.__dict__ for e in self.removed],
            "answer": self.answer.__dict__,
            "asked": self.asked,
            "ranks": self.ranks.to_dict(),
            "base_rank": self.base_rank,
            "parallelism": self.parallelism,
            "sentence": self.sentence,
        }


def analogy(
    table: Table,
    text: str,
    *,
    answer: str | None = None,
    method: Method = "3CosAdd",
    k: int = 10,
    pool: Pool = "mean",
    raw_rows: bool = False,
) -> Analogy:
    """Answer `king - man + woman` or `man : king :: woman : ?` over all rows of a table.

    3CosAdd ranks by cosine to the sum of unit rows (`raw_rows`: of rows as stored); 3CosMul by the product of
    shifted cosines (ε = 1e-6). UsageError for a bad expression or an unknown word.
    """
    if method not in METHODS:
        raise UsageError(f"expected a method of {', '.join(METHODS)}, found {method!r}")
    expression = parse(text)
    words = tuple(read_word(table, word, pool) for word in expression.words)
    coefficients = np.array([c for _, c in expression.terms])
    base = read_word(table, expression.base, pool)
    cosines = cosines_to(table, np.stack([w.vector for w in (*words, base)]))
    values = score(method, cosines[:-1], coefficients, words, raw_rows)
    inputs = {i for w in words for i in w.ids}
    variants = variants_of(table, inputs)
    kept = _entries(table, values, first(values, k), inputs, variants)
    removed = _entries(table, values, first(values, k, inputs | variants), inputs, variants)
    goal = _goal(table, answer, removed, kept, pool)
    ranks = ranks_of(values, cosines[-1], goal, inputs, variants, set(base.ids))
    entry = Entry(ranks.removed, goal, table.token(goal).text, float(values[goal]), _role(goal, inputs, variants))
    parallel = _parallelism(table, expression, words, goal)
    own = rank_of(values, base.ids[0]) if base.is_single else None
    asked = answer is not None
    rows = int(np.count_nonzero(cosines[0] > -np.inf))
    return Analogy(expression, words, method, kept, removed, entry, ranks, parallel, rows, raw_rows, own, asked)


def ranks_of(
    values: Float64[np.ndarray, "V"],
    baseline: Float64[np.ndarray, "V"],
    goal: int,
    inputs: set[int],
    variants: set[int],
    base: set[int],
) -> Ranks:
    """The ranks of one row in every convention; the row itself is never taken out of its own race."""
    return Ranks(
        rank_of(values, goal),
        rank_of(values, goal, inputs - {goal}),
        rank_of(values, goal, (inputs | variants) - {goal}),
        rank_of(baseline, goal, base - {goal}),
    )


def _goal(table: Table, answer: str | None, removed: tuple[Entry, ...], kept: tuple[Entry, ...], pool: Pool) -> int:
    if answer is None:
        found = removed or kept
        if not found:
            raise UsageError("expected rows besides the inputs to answer with, found none")
        return found[0].id
    word = read_word(table, answer, pool)
    if not word.is_single:
        raise UsageError(
            f"expected an answer that is one token, found {answer!r} of {len(word.ids)}", "ask for another"
        )
    return word.ids[0]


def _role(id: int, inputs: set[int], variants: set[int]) -> str:
    return "input" if id in inputs else "variant" if id in variants else ""


def _entries(
    table: Table, values: np.ndarray, ids: np.ndarray, inputs: set[int], variants: set[int]
) -> tuple[Entry, ...]:
    return tuple(
        Entry(place, i, table.token(i).text, float(values[i]), _role(i, inputs, variants))
        for place, i in enumerate(ids.tolist(), 1)
    )


def _parallelism(table: Table, expression: Expression, words: tuple[Word, ...], goal: int) -> float | None:
    """cos(b − a, answer − c) for a sum of the form c − a + b, raw rows; None for any other form."""
    plus = [w for w, (_, c) in zip(words, expression.terms, strict=True) if c == 1]
    minus = [w for w, (_, c) in zip(words, expression.terms, strict=True) if c == -1]
    if len(words) != 3 or len(plus) != 2 or len(minus) != 1 or goal in {i for w in words for i in w.ids}:
        return None
    base = next(w for w in plus if w.text == expression.base)
    other = next(w for w in plus if w is not base)
    there = other.vector.astype(np.float64) - minus[0].vector
    here = table.row(goal).astype(np.float64) - base.vector
    length = float(np.linalg.norm(there) * np.linalg.norm(here))
    return float(there @ here) / length if length else None
