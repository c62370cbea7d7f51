"""Skip-gram and CBOW with negative sampling, trained by gensim."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from armillary.errors import MissingExtra
from armillary.origins.word2vec.corpus import Corpus
from armillary.origins.word2vec.model import Snapshot, WordModel
from armillary.origins.word2vec.settings import Kind, Settings

Progress = Callable[[int, int], None]


def train_gensim(
    corpus: Corpus, kind: Kind, settings: Settings, snapshots: bool = False, progress: Progress | None = None
) -> WordModel:
    """The word and context vectors of gensim's Word2Vec on this corpus (Mikolov 2013); MissingExtra without gensim.

    Interrupting ends the reading of the text, and what was learned so far is kept.
    """
    model = _new(corpus, kind, settings)
    text = _Text(corpus, settings.epochs, progress)
    watch = _watcher(model, text, snapshots)
    began = time.perf_counter()
    try:
        model.train(
            text,
            total_examples=len(corpus.starts) - 1,
            epochs=settings.epochs,
            compute_loss=True,
            callbacks=[watch],
            report_delay=1e9,
        )
    except KeyboardInterrupt:
        text.stopped = True
    seconds = time.perf_counter() - began
    order = [model.wv.key_to_index[word] for word in corpus.words]
    return WordModel(
        kind=kind,
        source=corpus.source,
        words=corpus.words,
        counts=corpus.counts,
        vectors=model.wv.vectors[order].copy(),
        contexts=model.syn1neg[order].copy(),
        settings=settings,
        losses=tuple(watch.losses),
        snapshots=tuple(Snapshot(epoch, vectors[order]) for epoch, vectors in watch.kept),
        seconds=seconds,
        throughput=text.words / seconds if seconds else 0.0,
        interrupted=text.stopped,
    )


def _new(corpus: Corpus, kind: Kind, settings: Settings) -> Any:
    try:
        from gensim.models import Word2Vec
    except ImportError as error:
        raise MissingExtra(f"training {kind}", "train") from error

    class Model(Word2Vec):
        """Sums the loss job by job: gensim's sum over an epoch is a float32, which rounds away what a pair adds."""

        loss = 0.0

        def _do_train_job(self, sentences: Any, alpha: Any, inits: Any) -> Any:
            self.running_training_loss = 0.0
            tally = super()._do_train_job(sentences, alpha, inits)
            self.loss += float(self.running_training_loss)
            return tally

    model = Model(
        vector_size=settings.dimension,
        window=settings.window,
        min_count=1,  # the corpus holds the vocabulary only
        sg=int(kind == "skip-gram"),
        negative=settings.negative,
        ns_exponent=settings.smoothing,
        sample=settings.subsample,
        alpha=settings.learning_rate,
        workers=settings.workers,
        seed=settings.seed % (2**32 - 1) + 1,  # gensim takes 0 for "draw one", and no more than 32 bits
    )
    model.build_vocab_from_freq(dict(zip(corpus.words, corpus.counts.tolist(), strict=True)))
    model.corpus_total_words = len(corpus)
    return model


class _Text:
    """The sentences once per epoch; counts what was handed out, and ends early when stopped.

    gensim reads it in a thread of its own, so an interrupt that the progress raises is kept here, not thrown there.
    """

    def __init__(self, corpus: Corpus, epochs: int, progress: Progress | None) -> None:
        self.corpus, self.progress = corpus, progress
        self.words, self.total, self.stopped = 0, len(corpus) * epochs, False

    def __iter__(self) -> Iterator[list[str]]:
        for number, sentence in enumerate(self.corpus.sentences()):
            if self.stopped:
                return
            self.words += len(sentence)
            if number % 1024 == 0:
                self._tell()
            yield sentence

    def _tell(self) -> None:
        try:
            if self.progress:
                self.progress(self.words, self.total)
        except KeyboardInterrupt:
            self.stopped = True


def _watcher(model: Any, text: _Text, snapshots: bool) -> Any:
    from gensim.models.callbacks import CallbackAny2Vec

    class Watch(CallbackAny2Vec):
        """Loss by epoch, and the vectors from epoch 0."""

        def __init__(self) -> None:
            self.losses: list[float] = []
            self.kept: list[tuple[int, np.ndarray]] = []
            self._keep(model)

        def on_epoch_begin(self, model: Any) -> None:
            model.loss = 0.0

        def on_epoch_end(self, model: Any) -> None:
            if text.stopped:
                return
            self.losses.append(model.loss / model.corpus_total_words)
            self._keep(model)

        def _keep(self, model: Any) -> None:
            if snapshots:
                self.kept.append((len(self.losses), model.wv.vectors.copy()))

    return Watch()
