"""Words a second of `armillary train` beside gensim called by hand, on the glosses of WordNet: the same settings and seed.

One epoch each, turn about; CPU time of all threads, which other work on the machine disturbs less than the clock.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from gensim.models import Word2Vec

from armillary.origins import word2vec

SETTINGS = word2vec.Settings(epochs=1)
ROUNDS = 3


def by_hand(sentences: list[list[str]]) -> Callable[[], object]:
    """gensim with the sentences in memory, its vocabulary built beforehand."""
    model = Word2Vec(
        vector_size=SETTINGS.dimension, window=SETTINGS.window, min_count=1, sg=1, negative=SETTINGS.negative,
        sample=SETTINGS.subsample, workers=1, seed=1,
    )  # fmt: skip
    model.build_vocab(sentences)
    return lambda: model.train(sentences, total_examples=len(sentences), epochs=1)


def seconds(run: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    began = time.process_time()
    run()
    return time.process_time() - began


def main() -> None:
    corpus = word2vec.open_corpus("wordnet")
    sentences = list(corpus.sentences())
    pairs = [
        (seconds(by_hand(sentences)), seconds(lambda: word2vec.train(corpus, "skip-gram", SETTINGS)))
        for _ in range(ROUNDS)
    ]
    theirs, ours = (len(corpus) / statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"skip-gram, {len(corpus):,} words, one epoch, one thread, median of {ROUNDS}")
    print(f"  gensim by hand  {theirs:12,.0f} words a CPU second")
    print(f"  armillary       {ours:12,.0f} words a CPU second")
    print(f"  ratio           {ratio:12.2f}")


if __name__ == "__main__":
    main()
