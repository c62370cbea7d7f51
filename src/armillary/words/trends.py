"""Monotone trends along a list in order: does a direction, fitted on its ends, order what lies between?

one < two < three … : the direction from the first third to the last third of the list is fitted, and the middle
third, unseen, is read on it. Spearman's correlation between place and projection, with an exact or sampled
permutation p.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from armillary.answer import Answer
from armillary.errors import UsageError
from armillary.table import Table
from armillary.words.evaluation import mean_ranks, spearman
from armillary.words.word import Pool, try_word

EXACT_UP_TO = 7
DRAWS = 9_999


@dataclass(frozen=True, repr=False)
class Trend(Answer):
    """Spearman's ρ over the held-out members with a two-sided permutation p; `whole`: ρ over all members, which
    the fit has seen. `projections`: (word, projection, held out) in the order of the list."""

    name: str
    rho: float
    p: float
    whole: float
    held_out: int
    members: int
    missing: tuple[str, ...]
    projections: tuple[tuple[str, float, bool], ...]

    def __str__(self) -> str:
        return f"{self.name}: Spearman {self.rho:.3f} over {self.held_out} held-out members (p = {self.p:.3g})"

    def to_dict(self) -> dict[str, Any]:
        shown = [{"word": w, "projection": p, "held_out": h} for w, p, h in self.projections]
        return {**self.__dict__, "missing": list(self.missing), "projections": shown}


def trend(table: Table, words: Sequence[str], name: str = "trend", pool: Pool = "mean", seed: int = 0) -> Trend:
    """The trend of a list; UsageError for fewer than six members that the table can spell."""
    found = [(text, try_word(table, text, pool)) for text in words]
    known = [(text, word) for text, word in found if word is not None]
    if len(known) < 6:
        raise UsageError(f"expected a list of at least six words that this table spells, found {len(known)}")
    rows = np.stack([word.unit for _, word in known])
    third = len(rows) // 3
    difference = rows[-third:].mean(axis=0) - rows[:third].mean(axis=0)
    length = float(np.linalg.norm(difference))
    if length < 1e-12:
        raise UsageError(f"expected two ends that differ for {name!r}, found a difference of length 0")
    projected = rows @ (difference / length)
    middle = np.arange(third, len(rows) - third)
    place = np.arange(len(rows), dtype=np.float64)
    rho, p = permutation_p(place[middle], projected[middle], seed)
    shown = tuple(
        (text, float(v), bool(third <= i < len(rows) - third))
        for i, ((text, _), v) in enumerate(zip(known, projected, strict=True))
    )
    missing = tuple(text for text, word in found if word is None)
    return Trend(name, rho, p, spearman(place, projected), len(middle), len(rows), missing, shown)


def permutation_p(x: np.ndarray, y: np.ndarray, seed: int = 0) -> tuple[float, float]:
    """Spearman's ρ and its two-sided permutation p: over all orders of up to 7 values, else over 9,999 draws."""
    if len(y) <= EXACT_UP_TO:
        orders = np.array(list(permutations(range(len(y)))))
    else:
        orders = np.random.default_rng(seed).permuted(np.tile(np.arange(len(y)), (DRAWS, 1)), axis=1)
    a, b = (mean_ranks(v[None])[0] - (len(v) + 1) / 2 for v in (x, y))
    scale = float(np.sqrt((a @ a) * (b @ b)))
    if scale == 0:
        return float("nan"), 1.0
    rho, drawn = float(a @ b) / scale, b[orders] @ a / scale
    beyond = int((np.abs(drawn) >= abs(rho) - 1e-12).sum())
    return rho, beyond / len(orders) if len(y) <= EXACT_UP_TO else (1 + beyond) / (1 + DRAWS)
