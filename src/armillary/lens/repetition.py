"""Whether a model can say a token at all: asked to repeat it, how probable is the token (Land & Bartolo 2024).

The token is shown several times and is due next; it is put in by its id, so that no tokenizer can replace it. Several
wordings are tried, and the best of them counts: a token that no wording brings back is one the model cannot produce.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armillary.lens.logit_lens import log_probabilities, readout_for
from armillary.lens.model import LanguageModel, Progress
from armillary.shapes import Float64, Int64


class Wording(NamedTuple):
    """`before`, then `times` times the token and `between`; the token is due next."""

    before: str
    between: str
    times: int


# chosen on ordinary tokens of a small model: the token is due with a median probability of 0.2 to 0.7 in each
WORDINGS = (
    Wording("A list with the same word on every line:\n", "\n", 4),
    Wording("The same word again and again:", ",", 6),
    Wording("Repeat after me. He said:", ". She said:", 3),
)
FAILS_BELOW = 0.01  # probability, the limit of Land & Bartolo
_TOGETHER = 32


@dataclass(frozen=True, eq=False)
class Repetition:
    """For n tokens and each wording: the probability of the token where it is due, and its rank."""

    ids: Int64[np.ndarray, "n"]
    probabilities: Float64[np.ndarray, "n w"]
    ranks: Int64[np.ndarray, "n w"]

    @property
    def best(self) -> Float64[np.ndarray, "n"]:
        """The probability under the wording that does best."""
        return self.probabilities.max(axis=1)

    @property
    def fails(self) -> np.ndarray:
        """Which tokens no wording brings back with a probability of 1 % or more."""
        return self.best < FAILS_BELOW


def repeat(model: LanguageModel, ids: Sequence[int], progress: Progress | None = None) -> Repetition:
    """Ask a causal model to repeat each of these tokens; progress(prompts done, prompts). UsageError for an encoder."""
    readout, vocabulary = readout_for(model), model.table.vocabulary
    spelled = [(vocabulary.encode(w.before), vocabulary.encode(w.between), w.times) for w in WORDINGS]
    shape = (len(ids), len(WORDINGS))
    probabilities, ranks = np.zeros(shape), np.zeros(shape, np.int64)
    for wording, (before, between, times) in enumerate(spelled):
        for start in range(0, len(ids), _TOGETHER):
            some = list(ids[start : start + _TOGETHER])
            prompts = [[*model.framing.before, *before, *([id, *between] * times)] for id in some]
            last = np.stack([states.at(model.layers)[-1] for states in model.states_of(prompts)])
            logs = log_probabilities(readout, last)
            own = logs[np.arange(len(some)), some]
            place = slice(start, start + len(some))
            probabilities[place, wording] = np.exp(own)
            ranks[place, wording] = (logs > own[:, None]).sum(axis=1) + 1
            if progress:
                progress(wording * len(ids) + start + len(some), shape[0] * shape[1])
    return Repetition(np.array(ids, np.int64), probabilities, ranks)
