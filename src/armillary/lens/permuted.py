"""The permuted sentence: the same words in another order have the same static mean, and other states.

What a bag of rows cannot tell apart, a model does: the control that drift is the work of the layers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.answer import Listing
from armillary.errors import UsageError
from armillary.lens.drift import unit
from armillary.lens.model import LanguageModel
from armillary.shapes import Float64

FIRST, SECOND = "I saw the cat on the mat", "I saw the mat on the cat"


@dataclass(frozen=True, eq=False, repr=False)
class Permuted(Listing):
    """Two sentences of the same tokens.

    `static_difference`: largest difference of a coordinate between the means of their rows; `cosines` (L+1): between
    the means of their states; `moved` (L+1): mean cosine of each token's state with its state in the other sentence.
    """

    sentences: tuple[str, str]
    static_difference: float
    cosines: Float64[np.ndarray, "L"]
    moved: Float64[np.ndarray, "L"]

    @property
    def title(self) -> str:
        return f"{self.sentences[0]} | {self.sentences[1]}"

    @property
    def notes(self) -> Sequence[str]:
        by = f"differ by {self.static_difference:.1e} at most" if self.static_difference else "are equal"
        return (f"The means of their table rows {by}: they are one bag of words.",)

    def columns(self) -> dict[str, Sequence[Any]]:
        return {
            "layer": list(range(len(self.cosines))),
            "cosine_of_means": self.cosines.round(9).tolist(),
            "cosine_of_tokens": self.moved.round(9).tolist(),
        }

    def to_dict(self) -> dict[str, Any]:
        return {
            "sentences": list(self.sentences),
            "static_difference": self.static_difference,
            "cosine_of_means": self.cosines.tolist(),
            "cosine_of_tokens": self.moved.tolist(),
        }


def permuted(model: LanguageModel, first: str = FIRST, second: str = SECOND) -> Permuted:
    """The comparison of two sentences; UsageError unless they hold the same tokens."""
    ids = [model.encode(text) for text in (first, second)]
    if Counter(ids[0]) != Counter(ids[1]):
        raise UsageError("expected two sentences of the same tokens in another order, found other tokens")
    one, other = model.states_of([first, second])
    rows = [model.table.rows(i).astype(np.float64).mean(0) for i in ids]
    places = _partners(*ids)
    means = [unit(s.layers.astype(np.float64).mean(1)) for s in (one, other)]
    moved = unit(one.layers) * unit(other.layers[:, places])
    return Permuted(
        (first, second), float(np.abs(rows[0] - rows[1]).max()), (means[0] * means[1]).sum(-1), moved.sum(-1).mean(1)
    )


def _partners(first: list[int], second: list[int]) -> list[int]:
    """For each token of the first its place in the second: the n-th of a kind belongs to the n-th."""
    waiting: dict[int, list[int]] = {}
    for place, id in enumerate(second):
        waiting.setdefault(id, []).append(place)
    return [waiting[id].pop(0) for id in first]
