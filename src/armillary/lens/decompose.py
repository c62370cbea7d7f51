"""A logit taken apart: ‖h‖·‖w‖·cos + bias, and whether dot, cosine and Euclid would choose the same token.

Prediction is the search for the row of the output table whose product with the normalised last state is largest. If
all rows were of one length and there were no bias, the three would agree: how far they do is measured here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.answer import Listing
from armillary.lens.logit_lens import log_probabilities, top_ids
from armillary.lens.readout import Readout
from armillary.table import Token, Vocabulary


@dataclass(frozen=True, eq=False, repr=False)
class Decomposition(Listing):
    """The candidates of one state with the parts of their logits.

    `state_norm`: ‖N(h)‖. `nearest`: the first token by dot product with bias (what the model does), by dot product
    alone, by cosine and by Euclidean distance. `ranks_by_cosine` and `ranks_by_distance`: of each candidate.
    """

    tokens: tuple[Token, ...]
    logits: tuple[float, ...]
    probabilities: tuple[float, ...]
    row_norms: tuple[float, ...]
    cosines: tuple[float, ...]
    biases: tuple[float, ...]
    ranks_by_cosine: tuple[int, ...]
    ranks_by_distance: tuple[int, ...]
    state_norm: float
    nearest: dict[str, Token]
    softcap: float | None

    @property
    def title(self) -> str:
        return f"logit = ‖h‖ · ‖w‖ · cos + bias, with ‖h‖ = {self.state_norm:.4g} for every candidate"

    @property
    def agree(self) -> bool:
        """Whether dot, cosine and Euclid choose the token that the model does."""
        return len({token.id for token in self.nearest.values()}) == 1

    @property
    def notes(self) -> Sequence[str]:
        said = {name: token.text for name, token in self.nearest.items()}
        if self.agree:
            first = (
                "Dot product, cosine and Euclidean distance choose the same token: it is also the nearest direction."
            )
        else:
            first = (
                f"By the model's score {said['score']} is first, by dot product {said['dot']}, by cosine "
                f"{said['cosine']}, by Euclidean distance {said['euclidean']}."
            )
        cap = () if self.softcap is None else (f"Logits are shown before the softcap of {self.softcap:g}.",)
        return (first, *cap)

    def columns(self) -> dict[str, Sequence[Any]]:
        return {
            "token": [token.text for token in self.tokens],
            "id": [token.id for token in self.tokens],
            "probability": self.probabilities,
            "logit": self.logits,
            "row_norm": self.row_norms,
            "cosine": self.cosines,
            "bias": self.biases,
            "rank_by_cosine": self.ranks_by_cosine,
            "rank_by_distance": self.ranks_by_distance,
        }

    def to_dict(self) -> dict[str, Any]:
        nearest = {name: {"id": token.id, "text": token.text} for name, token in self.nearest.items()}
        return {
            "state_norm": self.state_norm,
            "agree": self.agree,
            "nearest": nearest,
            "softcap": self.softcap,
            "candidates": {name: list(values) for name, values in self.columns().items()},
        }


def decompose(readout: Readout, state: np.ndarray, vocabulary: Vocabulary, k: int = 10) -> Decomposition:
    """The k most probable tokens of one state (d) of the residual stream, with the parts of their logits.

    h is the state after the final norm, w the raw row of the output table; products in float64.
    """
    normed = readout.norm(state[None])[0].astype(np.float64)
    likely = log_probabilities(readout, state[None])[0]
    dots = readout.output @ normed.astype(np.float32)
    lengths = np.sqrt(np.einsum("vd,vd->v", readout.output, readout.output, dtype=np.float64))
    bias = np.zeros(len(dots)) if readout.bias is None else readout.bias.astype(np.float64)
    size = float(np.linalg.norm(normed))
    with np.errstate(invalid="ignore", divide="ignore"):
        cosines = np.where(lengths > 0, dots / (lengths * size), -np.inf)
    distances = -(lengths**2 - 2.0 * dots)  # −‖h − w‖² up to a constant
    ids = top_ids(likely, k)
    exact = readout.output[ids].astype(np.float64) @ normed
    firsts = {"score": likely, "dot": dots, "cosine": cosines, "euclidean": distances}
    return Decomposition(
        tokens=tuple(vocabulary[int(i)] for i in ids),
        logits=tuple(((exact + bias[ids]) * readout.multiplier).tolist()),
        probabilities=tuple(np.exp(likely[ids]).tolist()),
        row_norms=tuple(lengths[ids].tolist()),
        cosines=tuple((exact / (lengths[ids] * size)).tolist()),
        biases=tuple(bias[ids].tolist()),
        ranks_by_cosine=tuple(int((cosines > cosines[i]).sum()) + 1 for i in ids),
        ranks_by_distance=tuple(int((distances > distances[i]).sum()) + 1 for i in ids),
        state_norm=size,
        nearest={name: vocabulary[int(top_ids(values, 1)[0])] for name, values in firsts.items()},
        softcap=readout.softcap,
    )
