"""Whether the senses of a word part in a model's layers more than the contexts of one sense do.

For each layer: the mean cosine of two sentences of one sense (within) minus that of two sentences of different
senses (between). The layer's anisotropy is in both and cancels. The figure a word is judged by is fixed beforehand:
the mean over the upper half of the layers, with an interval by bootstrap over sentences and the p-value of shuffled
senses. A word of one sense, its sentences in two halves, must show nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.answer import Listing
from armillary.lens.drift import Pool, unit, word_states
from armillary.lens.model import LanguageModel, Progress
from armillary.lens.texts import CONTROL, Senses
from armillary.shapes import Float64, Int64

BOOTSTRAPS = 1000
_LEVEL = (0.025, 0.975)


@dataclass(frozen=True, eq=False)
class Separation:
    """One word: `within`, `between` (L+1), their difference with its interval `low`, `high` (95 %, by layer).

    `value`, `value_low`, `value_high`: the mean over layers ⌈L/2⌉ … L; `p`: share of shuffled senses that reach it.
    """

    word: str
    senses: tuple[str, ...]
    sentences: int
    within: Float64[np.ndarray, "L"]
    between: Float64[np.ndarray, "L"]
    low: Float64[np.ndarray, "L"]
    high: Float64[np.ndarray, "L"]
    value: float
    value_low: float
    value_high: float
    p: float

    @property
    def difference(self) -> Float64[np.ndarray, "L"]:
        """within − between, for each layer."""
        return self.within - self.between

    @property
    def is_control(self) -> bool:
        """Whether its senses are halves of one."""
        return all(sense.startswith(CONTROL) for sense in self.senses)

    @property
    def separates(self) -> bool:
        """Whether the interval of the value lies above 0."""
        return self.value_low > 0

    def to_dict(self) -> dict[str, Any]:
        by_layer = {name: getattr(self, name).tolist() for name in ("within", "between", "difference", "low", "high")}
        return {
            "word": self.word,
            "senses": list(self.senses),
            "control": self.is_control,
            "sentences": self.sentences,
            "value": self.value,
            "interval": [self.value_low, self.value_high],
            "p": self.p,
            "separates": self.separates,
            **by_layer,
        }


@dataclass(frozen=True, eq=False, repr=False)
class SenseStudy(Listing):
    """The separation of the senses of several words in one model."""

    source: str
    words: tuple[Separation, ...]

    @property
    def title(self) -> str:
        return f"Do senses part in {self.source}? Cosine within a sense minus between senses, upper half of the layers"

    @property
    def notes(self) -> Sequence[str]:
        true = [word for word in self.words if not word.is_control]
        apart = sum(word.separates for word in true)
        shown = [f"{apart} of {len(true)} words separate: their 95 % interval (bootstrap over sentences) lies above 0."]
        for word in self.words:
            if word.is_control:
                state = "does, which it should not" if word.separates else "does not"
                shown.append(f"The control {word.word}, one sense in two halves, {state}.")
        return shown

    def columns(self) -> dict[str, Sequence[Any]]:
        return {
            "word": [w.word for w in self.words],
            "senses": [", ".join(w.senses) for w in self.words],
            "sentences": [w.sentences for w in self.words],
            "separation": [w.value for w in self.words],
            "low": [w.value_low for w in self.words],
            "high": [w.value_high for w in self.words],
            "p": [w.p for w in self.words],
            "at_layer_0": [float(w.difference[0]) for w in self.words],
            "at_output": [float(w.difference[-1]) for w in self.words],
        }

    def to_dict(self) -> dict[str, Any]:
        return {"source": self.source, "words": [word.to_dict() for word in self.words]}


def sense_study(
    model: LanguageModel, senses: Senses, *, pool: Pool = "mean", seed: int = 0, progress: Progress | None = None
) -> SenseStudy:
    """The separation of every word of a set; progress(sentences done, sentences)."""
    total = sum(len(lines) for groups in senses.values() for lines in groups.values())
    done, found = 0, []
    for word, groups in senses.items():
        sentences = [line for lines in groups.values() for line in lines]
        labels = np.repeat(np.arange(len(groups)), [len(lines) for lines in groups.values()])
        vectors, _ = word_states(model, sentences, word, pool=pool)
        found.append(separation(word, tuple(groups), vectors, labels, seed=seed))
        done += len(sentences)
        if progress:
            progress(done, total)
    return SenseStudy(model.table.provenance.source, tuple(found))


def separation(
    word: str,
    senses: tuple[str, ...],
    vectors: Float64[np.ndarray, "n L d"],
    labels: Int64[np.ndarray, "n"],
    *,
    seed: int = 0,
) -> Separation:
    """The separation of a word from its vectors in n sentences with the sense of each.

    Bootstrap: sentences are drawn with replacement within each sense; a pair of one sentence with itself is never
    counted. Permutation: senses are shuffled among sentences.
    """
    directions = unit(vectors)
    cosines = np.einsum("nld,mld->nml", directions, directions)
    rng, upper = np.random.default_rng(seed), slice(cosines.shape[2] // 2, None)  # L + 1 states: from ⌈L/2⌉
    once = np.ones((1, len(labels)))
    within, between = (means[0] for means in _means(cosines, labels[None], once))
    value = float((within - between)[upper].mean())
    counts = np.stack([_counts(labels, rng) for _ in range(BOOTSTRAPS)])
    draws = np.subtract(*_means(cosines, labels[None], counts))
    low, high = np.nanquantile(draws, _LEVEL, axis=0)  # NaN: a draw of one sentence for every sense has no pairs
    ends = np.nanquantile(draws[:, upper].mean(1), _LEVEL)
    shuffled = np.stack([rng.permutation(labels) for _ in range(BOOTSTRAPS)])
    chance = np.subtract(*_means(cosines, shuffled, once))[:, upper].mean(1)
    p = (int((chance >= value).sum()) + 1) / (BOOTSTRAPS + 1)
    return Separation(
        word, senses, len(labels), within, between, low, high, value, float(ends[0]), float(ends[1]), float(p)
    )


def _counts(labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """How often each sentence is drawn, as many as there are of each sense."""
    counts = np.zeros(len(labels))
    for sense in np.unique(labels):
        members = np.flatnonzero(labels == sense)
        np.add.at(counts, rng.choice(members, len(members)), 1.0)
    return counts


def _means(cosines: np.ndarray, labels: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean cosine (b L+1) of pairs within and between senses for b labellings or weightings of the n sentences (b n)."""
    weights = counts[:, :, None] * counts[:, None, :]
    weights[:, np.arange(len(cosines)), np.arange(len(cosines))] = 0.0  # a pair of one sentence with itself is none
    same = labels[:, :, None] == labels[:, None, :]
    pairs = cosines.reshape(-1, cosines.shape[2])
    inside, across = ((weights * chosen).reshape(-1, len(pairs)) for chosen in (same, ~same))
    with np.errstate(invalid="ignore"):
        return inside @ pairs / inside.sum(1, keepdims=True), across @ pairs / across.sum(1, keepdims=True)
