"""The relation ladder: does the cosine fall from identical over synonym … to unrelated in this table?

The rungs are lists written for this project, in English and in Chinese. A rung's mean cosine comes with a bootstrap
interval over its pairs, and each step down with the interval of the difference, so that "the order held" is a
statement about more than the order of six numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from armillary.answer import Answer
from armillary.errors import UsageError
from armillary.table import Table
from armillary.words.cosines import cosines_of_pairs
from armillary.words.lists import Section, shipped
from armillary.words.word import Pool, try_word

RUNGS = ("identical", "synonym", "related", "antonym", "translation", "unrelated")
DRAWS = 1_000


@dataclass(frozen=True)
class Rung:
    """Mean cosine of a rung's pairs with its 95 % bootstrap interval. `missing`: pairs this table cannot spell."""

    name: str
    mean: float
    low: float
    high: float
    pairs: int
    missing: int
    single: int  # pairs whose words are one token each


@dataclass(frozen=True)
class Step:
    """From one rung to the next: mean difference with its 95 % interval; it held if the interval lies above 0."""

    upper: str
    lower: str
    difference: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """`held`, `reversed`, or `undecided` where the interval covers 0."""
        return "held" if self.low > 0 else "reversed" if self.high < 0 else "undecided"


@dataclass(frozen=True, repr=False)
class Ladder(Answer):
    """The measured ladder in one language."""

    language: str
    rungs: tuple[Rung, ...]
    steps: tuple[Step, ...]

    @property
    def sentence(self) -> str:
        """Whether the expected order held in this table, in words."""
        order = " > ".join(r.name for r in self.rungs)
        if all(s.verdict == "held" for s in self.steps):
            return f"The expected order held: {order}, each step beyond its 95 % interval."
        turned, open_ = self._told("reversed"), self._told("undecided")
        numbers = f"(differences of mean cosines with 95 % intervals, {self._pairs} pairs a rung)"
        if turned:
            too_few = f"; too few words to tell: {open_}" if open_ else ""
            return f"The expected order ({order}) did not hold throughout {numbers}. Reversed: {turned}{too_few}."
        held = sum(s.verdict == "held" for s in self.steps)
        if not held:
            return f"Too few words to tell whether the expected order ({order}) holds {numbers}: {open_}."
        holds = f"{held} of {len(self.steps)} steps of the expected order ({order}) hold and none is reversed"
        return f"{holds}; too few words to tell of the others {numbers}: {open_}."

    @property
    def contradicted(self) -> bool:
        """Whether a step is reversed, which more words would not mend."""
        return any(s.verdict == "reversed" for s in self.steps)

    def _told(self, verdict: str) -> str:
        """The steps of one verdict, each with its difference and the interval of it."""
        return "; ".join(
            f"{s.upper} over {s.lower} {_signed(s.difference)} ({_signed(s.low)} to {_signed(s.high)})"
            for s in self.steps
            if s.verdict == verdict
        )

    @property
    def _pairs(self) -> str:
        fewest, most = min(r.pairs for r in self.rungs), max(r.pairs for r in self.rungs)
        return str(most) if fewest == most else f"{fewest} to {most}"

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        steps = [{**asdict(s), "verdict": s.verdict} for s in self.steps]
        return {
            "language": self.language,
            "rungs": [asdict(r) for r in self.rungs],
            "steps": steps,
            "sentence": self.sentence,
        }


def ladder(
    table: Table, language: str = "en", sections: Sequence[Section] | None = None, pool: Pool = "mean", seed: int = 0
) -> Ladder:
    """Measure the ladder; `sections` brings rungs of one's own, in the order expected from near to far."""
    named = {s.name: s.pairs for s in (sections or shipped("ladder", language))}
    if sections is None:
        named["identical"] = tuple((a, a) for a, _ in named["synonym"])
        named = {name: named[name] for name in RUNGS}
    found = {name: _cosines(table, pairs, pool) for name, pairs in named.items()}
    usable = {name: values for name, (values, _) in found.items() if len(values)}
    if not usable:
        raise UsageError("expected pairs of words that this table spells, found none on the ladder")
    rng = np.random.default_rng(seed)
    means = {name: _bootstrap_means(values, rng) for name, values in usable.items()}
    rungs = tuple(
        Rung(name, float(v.mean()), *_interval(means[name]), len(v), len(named[name]) - len(v), found[name][1])
        for name, v in usable.items()
    )
    names = list(usable)
    steps = tuple(
        Step(a, b, float(usable[a].mean() - usable[b].mean()), *_interval(means[a] - means[b]))
        for a, b in pairwise(names)
    )
    return Ladder(language, rungs, steps)


def _cosines(table: Table, pairs: Sequence[tuple[str, str]], pool: Pool) -> tuple[np.ndarray, int]:
    """Cosines of the pairs that can be spelled, and how many of them are single tokens."""
    found = [(try_word(table, a, pool), try_word(table, b, pool)) for a, b in pairs]
    known = [(a, b) for a, b in found if a is not None and b is not None]
    if not known:
        return np.zeros(0), 0
    left, right = (np.stack([pair[side].vector for pair in known]) for side in (0, 1))
    return cosines_of_pairs(left, right), sum(a.is_single and b.is_single for a, b in known)


def _bootstrap_means(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return values[rng.integers(0, len(values), (DRAWS, len(values)))].mean(axis=1)


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")


def _interval(draws: np.ndarray) -> tuple[float, float]:
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(low), float(high)
