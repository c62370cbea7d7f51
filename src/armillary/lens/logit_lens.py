"""The logit lens: every layer's state read as though it were the last (nostalgebraist 2020).

logits_l = softcap(W·N(h_l) + b), the statistics of the norm computed anew on h_l. All that follows is of the softmax of
these: the top tokens, rank and probability of an answer, the entropy, and how far the layer is from the final
distribution.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armillary.errors import UsageError
from armillary.lens.model import LanguageModel
from armillary.lens.readout import Readout
from armillary.lens.states import States
from armillary.shapes import Float64, Int64
from armillary.table import Token, Vocabulary

EARLY = (
    "Early layers are read here with the last layer's norm and table, which were not trained on them: a token that "
    "shows there was near by that reading, and one that does not show may yet be computed in another form "
    "(Belrose et al. 2023)."
)
_BLOCK = 1 << 23  # scores held at a time for one layer


@dataclass(frozen=True, eq=False)
class LogitLens:
    """The lens of a text of p tokens over L + 1 layers; row 0 is the table's own row, row L the output.

    `top`, `top_probabilities` (L+1 p k). `answers` (p): the ids that `ranks` and `probabilities` (L+1 p) are about.
    `entropies` and `divergences` (L+1 p) in bits; a divergence is KL(output ‖ layer). `chosen`: whether the answer
    was given, or is the model's own at each position.
    """

    source: str
    tokens: tuple[Token, ...]
    vocabulary: Vocabulary = field(repr=False)
    top: Int64[np.ndarray, "L p k"] = field(repr=False)
    top_probabilities: Float64[np.ndarray, "L p k"] = field(repr=False)
    answers: Int64[np.ndarray, "p"] = field(repr=False)
    ranks: Int64[np.ndarray, "L p"] = field(repr=False)
    probabilities: Float64[np.ndarray, "L p"] = field(repr=False)
    entropies: Float64[np.ndarray, "L p"] = field(repr=False)
    divergences: Float64[np.ndarray, "L p"] = field(repr=False)
    chosen: bool = False

    @property
    def depth(self) -> int:
        """L, the number of layers."""
        return len(self.ranks) - 1

    @property
    def answer(self) -> Token:
        """The answer after the last token."""
        return self.vocabulary[int(self.answers[-1])]

    def named(self, layer: int, position: int) -> list[Token]:
        """The top tokens of one cell, most probable first."""
        return [self.vocabulary[int(i)] for i in self.top[layer, position]]

    def to_dict(self) -> dict[str, Any]:
        """Plain values: layers, and in each the positions in order."""
        return {
            "tokens": [{"id": t.id, "text": t.text} for t in self.tokens],
            "answer": {"id": self.answer.id, "text": self.answer.text, "chosen": self.chosen},
            "depth": self.depth,
            "layers": [self._layer(layer) for layer in range(self.depth + 1)],
            "caution": EARLY,
        }

    def _layer(self, layer: int) -> dict[str, Any]:
        cells = [
            [
                {"id": token.id, "text": token.text, "probability": float(p)}
                for token, p in zip(self.named(layer, i), self.top_probabilities[layer, i], strict=True)
            ]
            for i in range(len(self.tokens))
        ]
        return {
            "layer": layer,
            "top": cells,
            "rank": self.ranks[layer].tolist(),
            "probability": self.probabilities[layer].tolist(),
            "entropy_bits": self.entropies[layer].tolist(),
            "kl_to_output_bits": self.divergences[layer].tolist(),
        }


def logit_lens(model: LanguageModel, prompt: str, *, answer: str | int | None = None, k: int = 5) -> LogitLens:
    """The logit lens of a prompt.

    `answer`: a token (its text, or its id) to follow through the layers; by default the model's own most probable
    one at each position. UsageError for an encoder, an empty prompt, one longer than the context, or an answer that
    is no single token.
    """
    readout = readout_for(model)
    vocabulary = model.table.vocabulary
    followed = None if answer is None else one_token(vocabulary, answer)
    return lens_of(readout, model.states(prompt), vocabulary, answer=followed, k=k)


def lens_of(
    readout: Readout, states: States, vocabulary: Vocabulary, *, answer: int | None = None, k: int = 5
) -> LogitLens:
    """The logit lens of states that are there already."""
    if not 1 <= k <= len(readout.output):
        raise UsageError(f"expected 1 to {len(readout.output):,} top tokens, found {k}")
    p = len(states)
    step = max(1, _BLOCK // len(readout.output))
    parts = [_block(readout, states.layers[:, i : i + step], answer, k) for i in range(0, p, step)]
    top, likely, answers, *rest = (np.concatenate(c, axis=-1) for c in zip(*parts, strict=True))
    ranks, probabilities, entropies, divergences = rest
    swap = lambda a: np.ascontiguousarray(a.swapaxes(1, 2))  # noqa: E731  # (L k p), so that all join on the last axis
    return LogitLens(
        states.source, states.tokens, vocabulary, swap(top), swap(likely), answers, ranks, probabilities, entropies,
        divergences, answer is not None,
    )  # fmt: skip


def _block(readout: Readout, layers: np.ndarray, answer: int | None, k: int) -> tuple[np.ndarray, ...]:
    """Every figure of some positions, layer by layer; the last layer first gives the answer and the reference."""
    final = log_probabilities(readout, layers[-1])
    answers = final.argmax(1) if answer is None else np.full(len(final), answer)
    found = [_figures(log_probabilities(readout, layer), final, answers, k) for layer in layers[:-1]]
    found.append(_figures(final, final, answers, k))
    top, likely, *rest = (np.stack(column) for column in zip(*found, strict=True))
    return (top, likely, answers, *rest)


def _figures(here: np.ndarray, final: np.ndarray, answers: np.ndarray, k: int) -> tuple[np.ndarray, ...]:
    """Of log-probabilities (p V): top ids and probabilities (k p), rank, probability, entropy, divergence (p)."""
    rows = np.arange(len(here))
    top = np.stack([top_ids(row, k) for row in here], axis=1)
    own = here[rows, answers]
    ahead = (here > own[:, None]).sum(1) + np.array([(here[i, :a] == own[i]).sum() for i, a in enumerate(answers)])
    entropy = -(np.exp(here) * here).sum(1) / np.log(2)
    divergence = (np.exp(final) * (final - here)).sum(1) / np.log(2)
    return top, np.exp(here[rows, top]), ahead + 1, np.exp(own), entropy, np.maximum(divergence, 0.0)


def log_probabilities(readout: Readout, states: np.ndarray) -> Float64[np.ndarray, "n V"]:
    """Log of the softmax of the readout's scores, in float64."""
    scores = readout.logits(np.ascontiguousarray(states)).astype(np.float64)
    scores -= scores.max(1, keepdims=True)
    scores -= np.log(np.exp(scores).sum(1, keepdims=True))
    return scores


def top_ids(values: np.ndarray, k: int) -> Int64[np.ndarray, "k"]:
    """The k ids with the largest values, ties by id."""
    edge = np.partition(values, len(values) - k)[len(values) - k]
    candidates = np.flatnonzero(values >= edge)  # ties at the edge included
    return candidates[np.lexsort((candidates, -values[candidates]))][:k]


def readout_for(model: LanguageModel) -> Readout:
    """The model's readout; UsageError for an encoder."""
    if model.readout is None:
        raise UsageError(
            f"expected a model that predicts a next token, found {model.table.provenance.source}, an encoder",
            "armillary drift shows what an encoder does to a word",
        )
    return model.readout


def one_token(vocabulary: Vocabulary, answer: str | int) -> int:
    """The id of an answer: an id, or a text that is one token, leading space first; UsageError for another."""
    if isinstance(answer, int):
        if not 0 <= answer < len(vocabulary):
            raise UsageError(
                f"expected an id from 0 to {len(vocabulary) - 1:,}, found {answer:,}",
                "armillary tokens MODEL lists the ids",
            )
        return answer
    found = vocabulary.find(answer)
    if not found:
        near = ", ".join(vocabulary.near(answer))
        raise UsageError(
            f"expected an answer that is one token, found {answer!r}, which is none", near and f"did you mean {near}?"
        )
    return found[0]
