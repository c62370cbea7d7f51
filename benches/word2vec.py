"""Words a second of `armillary train` beside gensim called by hand, on the glosses of WordNet: the same settings and seed."""

from __future__ import annotations

import time

from gensim.models import Word2Vec

from armillary.origins import word2vec

SETTINGS = word2vec.Settings(epochs=2)


def by_hand(corpus: word2vec.Corpus) -> float:
    """Words a second of gensim with sentences in memory."""
    sentences = list(corpus.sentences())
    model = Word2Vec(
        vector_size=SETTINGS.dimension, window=SETTINGS.window, min_count=1, sg=1, negative=SETTINGS.negative,
        sample=SETTINGS.subsample, workers=1, seed=1,
    )  # fmt: skip
    model.build_vocab(sentences)
    began = time.perf_counter()
    model.train(sentences, total_examples=len(sentences), epochs=SETTINGS.epochs)
    return SETTINGS.epochs * len(corpus) / (time.perf_counter() - began)


def main() -> None:
    corpus = word2vec.open_corpus("wordnet")
    theirs = by_hand(corpus)
    ours = word2vec.train(corpus, "skip-gram", SETTINGS).throughput
    print(f"skip-gram, {len(corpus):,} words × {SETTINGS.epochs} epochs, one thread")
    print(f"  gensim by hand  {theirs:12,.0f} words a second")
    print(f"  armillary       {ours:12,.0f} words a second")
    print(f"  ratio           {ours / theirs:12.2f}")


if __name__ == "__main__":
    main()
