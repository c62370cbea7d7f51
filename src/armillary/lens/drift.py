"""Drift: the vectors of one word in several texts, layer by layer, and how far the contexts pull them apart.

Everything is a mean of cosines, and each layer has its own baseline: where states share a direction, as they do in
most layers, two vectors that have nothing in common still have a large cosine (Ethayarajh 2019). That baseline, the
mean cosine of two occurrences of any two words, is measured on a text and taken off. The first position, on which
many models park attention and norm (Xiao et al. 2024), is left out of it, and counted in beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from armillary.answer import Listing
from armillary.errors import UsageError
from armillary.lens.model import LanguageModel, Progress
from armillary.lens.states import States
from armillary.shapes import Float64

Pool = Literal["mean", "first"]


def positions_of(states: States, vocabulary: Any, word: str) -> list[int]:
    """Positions of the tokens that spell the first whole occurrence of a word, upper and lower case alike.

    The tokens are decoded one after the other, so that any tokenizer will do. UsageError where the word is not in
    the text.
    """
    inside = [i for i, token in enumerate(states.tokens) if not _is_frame(token)]
    ids = [states.tokens[i].id for i in inside]
    ends = [len(vocabulary.decode(ids[: n + 1])) for n in range(len(ids))]
    text = vocabulary.decode(ids).decode("utf-8", "replace")
    match = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)
    if match is None:
        raise UsageError(f"expected the word {word!r} in each sentence, found none in {text!r}")
    start, stop = (len(text[:edge].encode()) for edge in match.span())
    starts = [0, *ends[:-1]]
    return [i for i, a, b in zip(inside, starts, ends, strict=True) if a < stop and b > start]


def word_states(
    model: LanguageModel,
    sentences: Sequence[str],
    word: str,
    *,
    pool: Pool = "mean",
    progress: Progress | None = None,
) -> tuple[Float64[np.ndarray, "n L d"], list[States]]:
    """(vectors of the word in each sentence after each layer, the sentences' states).

    A word of several tokens is the mean of their states, or the first of them.
    """
    if not sentences:
        raise UsageError("expected at least one sentence, found none")
    states = model.states_of(sentences, progress)
    vectors: list[np.ndarray] = []
    for text in states:
        places = positions_of(text, model.table.vocabulary, word)
        chosen = places if pool == "mean" else places[:1]
        vectors.append(text.layers[:, chosen].astype(np.float64).mean(axis=1))
    return np.stack(vectors), states


def unit(rows: np.ndarray) -> Float64[np.ndarray, "... d"]:
    """Rows divided by their lengths; a zero row stays zero."""
    rows = rows.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def mean_cosine(rows: np.ndarray) -> float:
    """The mean cosine of all pairs of different rows (n d): (‖Σu‖² − n)/(n(n−1)); NaN for fewer than two."""
    n, total = len(rows), unit(rows).sum(0)
    return float((total @ total - n) / (n * (n - 1))) if n > 1 else float("nan")


def anisotropy(states: Sequence[States], *, first: bool = False) -> Float64[np.ndarray, "L"]:
    """The mean cosine of two different occurrences, for each layer, over all positions of some texts.

    `first`: whether the first position of each text counts. Special tokens around a text never do, except as the
    first position.
    """
    kept = [
        [i for i, token in enumerate(text.tokens) if (first or i) and (i == 0 or not _is_frame(token))]
        for text in states
    ]
    depth = states[0].depth
    return np.array(
        [
            mean_cosine(np.concatenate([text.at(layer)[k] for text, k in zip(states, kept, strict=True)]))
            for layer in range(depth + 1)
        ]
    )


def intra_sentence(states: Sequence[States], *, first: bool = False) -> Float64[np.ndarray, "L"]:
    """The mean cosine of a sentence's states with their mean, averaged over sentences, for each layer (Ethayarajh)."""
    found = []
    for text in states:
        kept = [i for i, token in enumerate(text.tokens) if (first or i) and (i == 0 or not _is_frame(token))]
        rows = text.layers[:, kept].astype(np.float64)
        found.append((unit(rows) * unit(rows.mean(1, keepdims=True))).sum(-1).mean(1))
    return np.mean(found, axis=0)


@dataclass(frozen=True, eq=False, repr=False)
class Drift(Listing):
    """One word in n contexts through L + 1 layers.

    `cosines` (L+1 n n) between contexts, raw. `anisotropy`, `anisotropy_with_first` (L+1): the baseline without and
    with the first position. `intra` and `intra_with_first`: intra-sentence similarity, raw.
    """

    source: str
    word: str
    sentences: tuple[str, ...]
    cosines: Float64[np.ndarray, "L n n"]
    anisotropy: Float64[np.ndarray, "L"]
    anisotropy_with_first: Float64[np.ndarray, "L"]
    intra: Float64[np.ndarray, "L"]
    intra_with_first: Float64[np.ndarray, "L"]
    baseline: str
    pool: Pool = "mean"

    @property
    def self_similarity(self) -> Float64[np.ndarray, "L"]:
        """The mean cosine of the word with itself in two different contexts, for each layer; NaN for one context."""
        n = len(self.sentences)
        if n < 2:
            return np.full(len(self.cosines), np.nan)
        return (self.cosines.sum((1, 2)) - n) / (n * (n - 1))

    @property
    def title(self) -> str:
        n = len(self.sentences)
        return (
            f"{self.word} in {n} context{'s' if n > 1 else ''} through {self.source}: cosine between contexts by layer"
        )

    @property
    def notes(self) -> Sequence[str]:
        return (
            "Baseline: the mean cosine of two occurrences of any words in that layer, first position left out "
            f"({self.baseline}). What the contexts leave in common is the cosine above it; with the first position "
            "counted in, the baseline is the last column.",
        )

    def columns(self) -> dict[str, Sequence[Any]]:
        same = self.self_similarity
        return {
            "layer": list(range(len(self.cosines))),
            "self_cosine": same.tolist(),
            "baseline_cosine": self.anisotropy.tolist(),
            "above_baseline_cosine": (same - self.anisotropy).tolist(),
            "in_sentence_above_baseline_cosine": (self.intra - self.anisotropy).tolist(),
            "baseline_with_first_cosine": self.anisotropy_with_first.tolist(),
        }

    def to_dict(self) -> dict[str, Any]:
        return {
            "word": self.word,
            "pool": self.pool,
            "sentences": list(self.sentences),
            "baseline": self.baseline,
            "cosines": self.cosines.tolist(),
            "self_similarity": self.self_similarity.tolist(),
            "anisotropy": self.anisotropy.tolist(),
            "anisotropy_with_first": self.anisotropy_with_first.tolist(),
            "intra_sentence": self.intra.tolist(),
            "intra_sentence_with_first": self.intra_with_first.tolist(),
        }


def drift(
    model: LanguageModel,
    sentences: Sequence[str],
    word: str,
    *,
    baseline: Sequence[States] | None = None,
    pool: Pool = "mean",
    progress: Progress | None = None,
) -> Drift:
    """How one word's vector differs between sentences, layer by layer.

    `baseline`: states of texts for the anisotropy; by default those of the built-in text. UsageError for a sentence
    without the word.
    """
    vectors, states = word_states(model, sentences, word, pool=pool, progress=progress)
    directions = unit(vectors)
    told = "states given" if baseline is not None else "the built-in text"
    if baseline is None:
        from armillary.lens.texts import paragraphs

        baseline = model.states_of(paragraphs())
    return Drift(
        source=model.table.provenance.source,
        word=word,
        sentences=tuple(sentences),
        cosines=np.einsum("nld,mld->lnm", directions, directions),
        anisotropy=anisotropy(baseline),
        anisotropy_with_first=anisotropy(baseline, first=True),
        intra=intra_sentence(states),
        intra_with_first=intra_sentence(states, first=True),
        baseline=told,
        pool=pool,
    )


def _is_frame(token: Any) -> bool:
    return token.kind.label == "control"
