"""How often words occur together: the same windows and the same subsampling as word2vec, counted.

word2vec draws a window of 1 … w for each word, so a context at distance δ is used (w − δ + 1)/w of the time; here it
is counted with that weight. Frequent words are dropped at random before windows are laid, so windows reach further.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from armillary.origins.word2vec.corpus import Corpus
from armillary.origins.word2vec.settings import Settings
from armillary.shapes import Float64

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def cooccurrence(corpus: Corpus, settings: Settings, progress: Callable[[int, int], None] | None = None) -> csr_array:
    """#(w, c) as a symmetric sparse matrix (V, V) of float64, summed over one subsampled pass per epoch."""
    from scipy.sparse import coo_array, csr_array

    size = len(corpus.words)
    total = csr_array((size, size), dtype=np.float64)
    generator = np.random.default_rng(settings.seed)
    keep = kept_share(corpus, settings.subsample)
    passes = settings.epochs if settings.subsample else 1
    for done in range(passes):
        drawn = generator.random(len(corpus.ids)) < keep[corpus.ids]
        ids, sentence = corpus.ids[drawn], corpus.sentence_of[drawn]
        for distance in range(1, settings.window + 1):
            near, far = ids[:-distance], ids[distance:]
            same = sentence[:-distance] == sentence[distance:]
            weight = np.full(int(same.sum()), (settings.window - distance + 1) / settings.window)
            total = total + coo_array((weight, (near[same], far[same])), shape=(size, size)).tocsr()
            if progress:
                progress(done * settings.window + distance, passes * settings.window)
    return (total + total.T).tocsr()


def kept_share(corpus: Corpus, subsample: float) -> Float64[np.ndarray, "v"]:
    """The share of a word's occurrences that subsampling keeps: min(1, √(t/f) + t/f), f its frequency (word2vec)."""
    if not subsample:
        return np.ones(len(corpus.words))
    ratio = subsample * corpus.counts.sum() / corpus.counts
    return np.minimum(1.0, np.sqrt(ratio) + ratio)
