"""One call for four word models on the same corpus."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from armillary.errors import UsageError
from armillary.origins.word2vec.corpus import Corpus
from armillary.origins.word2vec.counting import cooccurrence
from armillary.origins.word2vec.gensim_model import train_gensim
from armillary.origins.word2vec.model import WordModel
from armillary.origins.word2vec.pmi import factorise, pmi, positive
from armillary.origins.word2vec.settings import KINDS, Kind, Settings

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def train(
    corpus: Corpus,
    kind: Kind = "skip-gram",
    settings: Settings | None = None,
    snapshots: bool = False,
    counts: csr_array | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> WordModel:
    """Word vectors of one kind: skip-gram, cbow, ppmi or shifted-pmi. `counts` are reused where they are there already.

    UsageError for another kind, and for a count model where the dimension is not below the vocabulary or nothing is left.
    """
    settings = settings or Settings()
    if kind not in KINDS:
        raise UsageError(f"expected a kind of {', '.join(KINDS)}, found {kind!r}")
    if kind in ("skip-gram", "cbow"):
        return train_gensim(corpus, kind, settings, snapshots, progress)
    began = time.perf_counter()
    counts = cooccurrence(corpus, settings) if counts is None else counts
    shift = float(np.log(settings.negative)) if kind == "shifted-pmi" else 0.0
    matrix = positive(pmi(counts, settings.smoothing), shift)
    if not matrix.nnz:
        raise UsageError(
            f"expected a pair with PMI above log {settings.negative if shift else 1}, found none in {corpus.source}",
            "lower --negative, or give a longer text",
        )
    vectors, contexts = factorise(matrix, settings.dimension, settings.seed)
    seconds = time.perf_counter() - began
    return WordModel(
        kind=kind,
        source=corpus.source,
        words=corpus.words,
        counts=corpus.counts,
        vectors=vectors.astype(np.float32),
        contexts=contexts.astype(np.float32),
        settings=settings,
        seconds=seconds,
        throughput=len(corpus) / seconds,
    )
