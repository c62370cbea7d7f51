"""Sentence vectors: the mean of a text's states after one layer of a model, the last of an encoder by default."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64

from armillary.errors import UsageError
from armillary.lens.model import LanguageModel, Progress

LONGEST = 128  # tokens of a text that are read
_CHUNK = 64  # texts whose states of all layers are held at a time


def sentence_vectors(
    model: LanguageModel,
    texts: Sequence[str],
    *,
    layer: int | None = None,
    prefix: str = "",
    longest: int = LONGEST,
    progress: Progress | None = None,
) -> Float64[np.ndarray, "n d"]:
    """A vector for each text: the mean of its states, special tokens of an encoder counted in, as such models are trained.

    `layer`: 0 … L, by default the last of an encoder and the middle of a causal model, whose first position is left
    out: it takes up attention that nothing else wants, and its state is that of no text. `prefix` stands before every
    text (E5 wants "query: " or "passage: "). Texts longer than `longest` tokens are cut.
    UsageError for a layer the model does not have, and for an empty text.
    """
    at = layer if layer is not None else model.layers if model.is_encoder else model.layers // 2
    if not 0 <= at <= model.layers:
        raise UsageError(f"expected a layer from 0 to {model.layers}, found {at}")
    first = 0 if model.is_encoder else 1
    encoded = [_cut(model, prefix + text, longest) for text in texts]
    order = sorted(range(len(encoded)), key=lambda i: len(encoded[i]))  # equal lengths meet in one pass
    vectors = np.empty((len(encoded), model.table.shape[1]))
    for start in range(0, len(order), _CHUNK):
        part = order[start : start + _CHUNK]
        for i, states in zip(part, model.states_of([encoded[i] for i in part]), strict=True):
            rows = states.at(at)
            vectors[i] = rows[first:].mean(0, dtype=np.float64) if len(rows) > first else rows[0]
        if progress:
            progress(start + len(part), len(order))
    return vectors


def _cut(model: LanguageModel, text: str, longest: int) -> list[int]:
    """The ids of a text in its frame, of which the text's own ids are cut to fit."""
    ids = model.table.vocabulary.encode(text)
    if not ids:
        raise UsageError("expected a text, found an empty one", "give at least one word")
    room = min(longest, model.context) - len(model.framing.around([]))
    return model.framing.around(ids[:room])
