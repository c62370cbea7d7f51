"""Categories: do words of a kind stand together, measured in the full space, with a picture that confesses its errors.

The six-category set (animals, numbers, colours, countries, verbs, foods) with subgroups is written for this project
in English and Chinese; people bring their own. A word of several tokens is its first one here, marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armillary.answer import Answer
from armillary.errors import UsageError
from armillary.shapes import Float64
from armillary.table import Table
from armillary.words.cosines import cosines_between
from armillary.words.lists import Section
from armillary.words.projection import Projection, nearest, principal_components
from armillary.words.word import Pool, Word, try_word

DRAWS = 999


@dataclass(frozen=True)
class Separation:
    """Mean cosine within groups and between them; p: share of 999 shuffled labelings that separate as well."""

    name: str
    within: float
    between: float
    p: float
    words: int

    @property
    def difference(self) -> float:
        return self.within - self.between


@dataclass(frozen=True)
class NearMiss:
    """A word whose nearest other word of the set is of another category."""

    word: str
    category: str
    nearest: str
    nearest_category: str
    cosine: float
    own_cosine: float
    """its best cosine to a word of its own category"""


@dataclass(frozen=True, eq=False, repr=False)
class Categories(Answer):
    """What `categories` found. `purity`: share of words whose nearest word of the set is of their category, `purity_chance`
    what random labels give; `by_category` and `subgroups` the separation of each."""

    words: tuple[Word, ...]
    labels: tuple[str, ...]
    groups: tuple[str, ...]
    missing: tuple[str, ...]
    overall: Separation
    by_category: tuple[Separation, ...]
    subgroups: tuple[Separation, ...]
    purity: float
    purity_chance: float
    near_misses: tuple[NearMiss, ...]
    flat: Projection = field(repr=False)
    solid: Projection = field(repr=False)
    cosines: Float64[np.ndarray, "n n"] = field(repr=False)

    @property
    def single(self) -> int:
        """How many of the words are one token."""
        return sum(w.is_single for w in self.words)

    def shown(self, text: str) -> str:
        """A word of the set with the token that stands for it, where it is not one token: cake (as ▁c)."""
        word = next(w for w in self.words if w.text == text)
        return text if word.is_single else f"{text} (as {word.tokens[0].text})"

    def __str__(self) -> str:
        o = self.overall
        return (
            f"Categories: {len(self.words)} words ({self.single} of one token), within {o.within:.3f}, between "
            f"{o.between:.3f} (p = {o.p:.3f}), purity {self.purity:.0%} (chance {self.purity_chance:.0%}), "
            f"{len(self.near_misses)} near misses"
        )

    def to_dict(self) -> dict[str, Any]:
        def told(s: Separation) -> dict[str, Any]:
            return {**s.__dict__, "difference": s.difference}

        words = [
            {"text": w.text, "category": c, "subgroup": g, "single": w.is_single, "ids": list(w.ids)}
            for w, c, g in zip(self.words, self.labels, self.groups, strict=True)
        ]
        return {
            "words": words,
            "single": self.single,
            "missing": list(self.missing),
            "overall": told(self.overall),
            "by_category": [told(s) for s in self.by_category],
            "subgroups": [told(s) for s in self.subgroups],
            "purity": self.purity,
            "purity_chance": self.purity_chance,
            "near_misses": [m.__dict__ for m in self.near_misses],
            "projection_2d": self.flat.to_dict(),
            "projection_3d": self.solid.to_dict(),
            "space": "unit rows; centred for the projections only",
        }


def categories(table: Table, sections: Sequence[Section], pool: Pool = "first", seed: int = 0) -> Categories:
    """Separation, purity, near misses and projections of words in categories.

    UsageError unless at least two categories have two words each that the table can spell.
    """
    words, labels, groups, missing = _members(table, sections, pool)
    names = list(dict.fromkeys(labels))
    if len(words) < 4 or len(names) < 2:
        raise UsageError(f"expected two categories of at least two words, found {len(words)} words in {len(names)}")
    rows = np.stack([w.vector for w in words])
    cosines = cosines_between(rows, rows)
    code = np.array([names.index(c) for c in labels])
    rng = np.random.default_rng(seed)
    by_category = tuple(_one_category(cosines, code == i, name, rng) for i, name in enumerate(names))
    subgroups = tuple(
        separation(cosines[np.ix_(at, at)], np.unique([groups[i] for i in at], return_inverse=True)[1], name, rng)
        for name, at in ((n, np.flatnonzero(code == i)) for i, n in enumerate(names))
        if len({groups[i] for i in at}) > 1
    )
    first = nearest(cosines, 1)[:, 0]
    sizes = np.bincount(code)
    unit = np.stack([w.unit for w in words])
    near = nearest(cosines)
    return Categories(
        tuple(words),
        tuple(labels),
        tuple(groups),
        tuple(missing),
        separation(cosines, code, "all", rng),
        by_category,
        subgroups,
        float((code[first] == code).mean()),
        float((sizes * (sizes - 1)).sum() / (len(code) * (len(code) - 1))),
        _near_misses(cosines, first, code, [w.text for w in words], labels),
        principal_components(unit, 2, near),
        principal_components(unit, 3, near),
        cosines,
    )


def separation(
    cosines: Float64[np.ndarray, "n n"], code: np.ndarray, name: str, rng: np.random.Generator, draws: int = DRAWS
) -> Separation:
    """Mean cosine of pairs with the same label and of pairs with another, with a permutation p of their difference."""
    found = _within_between(cosines, code)
    drawn = np.array([np.subtract(*_within_between(cosines, rng.permutation(code))) for _ in range(draws)])
    p = (1 + int((drawn >= found[0] - found[1] - 1e-12).sum())) / (1 + draws)
    return Separation(name, *found, p, len(code))


def _within_between(cosines: np.ndarray, code: np.ndarray) -> tuple[float, float]:
    indicator = (code[:, None] == np.unique(code)).astype(np.float64)
    total = cosines.sum() - np.trace(cosines)
    within = float(np.einsum("ic,ic->", indicator, cosines @ indicator) - np.trace(cosines))
    sizes = indicator.sum(axis=0)
    pairs = float((sizes * (sizes - 1)).sum())
    others = len(code) * (len(code) - 1) - pairs
    return within / pairs if pairs else 0.0, (total - within) / others if others else 0.0


def _one_category(cosines: np.ndarray, member: np.ndarray, name: str, rng: np.random.Generator) -> Separation:
    """Within one category against its members to all others; null: as many words drawn at random."""

    def measured(inside: np.ndarray) -> tuple[float, float]:
        n = int(inside.sum())
        block = cosines[np.ix_(inside, inside)]
        within = (block.sum() - np.trace(block)) / (n * (n - 1)) if n > 1 else 0.0
        return float(within), float(cosines[np.ix_(inside, ~inside)].mean())

    found = measured(member)
    drawn = np.array([np.subtract(*measured(rng.permutation(member))) for _ in range(DRAWS)])
    p = (1 + int((drawn >= found[0] - found[1] - 1e-12).sum())) / (1 + DRAWS)
    return Separation(name, *found, p, int(member.sum()))


def _near_misses(
    cosines: np.ndarray, first: np.ndarray, code: np.ndarray, texts: list[str], labels: list[str]
) -> tuple[NearMiss, ...]:
    misses = []
    for i, j in enumerate(first.tolist()):
        if code[i] == code[j]:
            continue
        own = np.where((code == code[i]) & (np.arange(len(code)) != i), cosines[i], -np.inf)
        misses.append(NearMiss(texts[i], labels[i], texts[j], labels[j], float(cosines[i, j]), float(own.max())))
    return tuple(sorted(misses, key=lambda m: (m.own_cosine - m.cosine, m.word)))


def _members(
    table: Table, sections: Sequence[Section], pool: Pool
) -> tuple[list[Word], list[str], list[str], list[str]]:
    words, labels, groups, missing = [], [], [], []
    seen: set[tuple[int, ...]] = set()
    for section in sections:
        for text in section.words:
            word = try_word(table, text, pool)
            if word is None or word.ids in seen:  # two words with one first token are one point
                missing.append(text)
                continue
            seen.add(word.ids)
            words.append(word)
            labels.append(section.name)
            groups.append(section.subgroup)
    return words, labels, groups, missing
