"""Sentence vectors: the mean of a running model's states over a text, at its last layer or at one in the middle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from armillary.errors import UsageError
from armillary.shapes import Float64

if TYPE_CHECKING:
    from armillary.lens import LanguageModel

TOKENS = 128  # of a text, its frame included; the rest is cut, as MiniLM was trained
TOGETHER = 64  # texts whose states are held at a time


def encoder_of(model: str) -> LanguageModel:
    """The model of a folder, a GGUF file, or a named table such as demo:minilm, ready to run; extra lens."""
    from armillary.catalog import is_named, resolve
    from armillary.lens import open_model

    place = resolve(model) if is_named(model) else Path(model)
    whole = place.parent if place.suffix == ".safetensors" else place
    if not whole.exists():
        raise UsageError(f"expected a model that can run at {model}, found nothing there", "such as demo:minilm")
    return open_model(whole)


def sentence_vectors(
    model: LanguageModel,
    texts: Sequence[str],
    layer: int | None = None,
    *,
    first: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Float64[np.ndarray, "n d"]:
    """Mean over the positions of each text, special tokens included, after `layer` layers (by default all); float64.

    `first=False` leaves the first position out where there are others: in causal models it takes up the attention that
    nothing else wants, and its state, far longer than all others, is that of no text.
    Zeros for a text without tokens. UsageError for a layer that the model does not have.
    """
    layer = model.layers if layer is None else layer
    if not 0 <= layer <= model.layers:
        raise UsageError(f"expected a layer from 0 to {model.layers}, found {layer}")
    frame = len(model.framing.around([]))
    encode = model.table.vocabulary.encode
    ids = [model.framing.around(found[: TOKENS - frame]) if (found := encode(t)) else [] for t in texts]
    vectors = np.zeros((len(texts), model.table.shape[1]))
    order = sorted((i for i in range(len(texts)) if ids[i]), key=lambda i: len(ids[i]))
    for start in range(0, len(order), TOGETHER):
        part = order[start : start + TOGETHER]
        for i, states in zip(part, model.states_of([ids[i] for i in part]), strict=True):
            rows = states.layers[layer]
            vectors[i] = rows[0 if first or len(rows) == 1 else 1 :].mean(axis=0, dtype=np.float64)
        if progress:
            progress(start + len(part), len(order))
    return vectors
