"""Noise turning into structure: word2vec on a public corpus, its words on one plane epoch by epoch, and its check against PMI.

The plane is that of the last epoch, and every earlier one is shown on it, so that what moves is the words and not the
view. A job of a minute or less; nothing is kept on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.errors import UsageError

if TYPE_CHECKING:
    from armillary.origins.word2vec import WordModel

CORPORA: Mapping[str, str] = {"en": "wordnet", "zh": "chinese"}
KINDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "en": {
        "animal": ("dog", "cat", "horse", "bird", "fish", "wolf", "sheep", "snake"),
        "food": ("bread", "meat", "fruit", "rice", "cheese", "soup", "sugar", "wine"),
        "body": ("head", "hand", "leg", "eye", "bone", "tooth", "skin", "heart"),
        "colour": ("red", "green", "blue", "yellow", "white", "black", "brown", "purple"),
    },
    "zh": {
        "国家": ("美国", "日本", "法国", "英国", "德国", "印度", "韩国", "俄罗斯"),
        "省市": ("北京", "上海", "广东", "山东", "四川", "江苏", "浙江", "河南"),
        "经济": ("企业", "市场", "银行", "投资", "贸易", "资金", "金融", "价格"),
        "体育": ("比赛", "冠军", "足球", "教练", "决赛", "选手", "球队", "运动员"),
    },
}
DIMENSION, EPOCHS, WINDOW, MINIMUM = 60, 6, 4, 10
POINTS = 400  # pairs drawn for the picture of w·c against PMI − log k


def snapshots_of(language: str, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Train and tell. UsageError for another language; the errors of the corpus and of gensim where one is missing.

    Whatever `progress` raises ends the training and is raised again.
    """
    from armillary.origins.word2vec import Settings, check_pmi, cooccurrence, open_corpus, train

    if language not in CORPORA:
        raise UsageError(f"expected a language of {', '.join(CORPORA)}, found {language!r}")
    corpus = open_corpus(CORPORA[language], MINIMUM)
    settings = Settings(dimension=DIMENSION, window=WINDOW, epochs=EPOCHS, minimum_count=MINIMUM)
    stopped: list[BaseException] = []
    model = train(corpus, "skip-gram", settings, snapshots=True, progress=_stoppable(progress, stopped))
    if stopped:
        raise stopped[0]
    counts = cooccurrence(corpus, settings)
    return {
        **_film(model, KINDS[language]),
        "corpus": corpus.to_dict(),
        "settings": settings.to_dict(),
        "losses": list(model.losses),
        "check": check_pmi(model, counts).to_dict(),
        "pairs": _pairs(model, counts),
    }


def _stoppable(
    progress: Callable[[int, int], None] | None, stopped: list[BaseException]
) -> Callable[[int, int], None] | None:
    """gensim calls from a thread of its own and knows one way to be stopped; what stopped it is kept."""
    if progress is None:
        return None

    def told(done: int, total: int) -> None:
        try:
            progress(done, total)
        except BaseException as reason:
            stopped.append(reason)
            raise KeyboardInterrupt from None

    return told


def _film(model: WordModel, kinds: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """The words of each kind on the plane of the last epoch, and how their cosines part, for every epoch."""
    place = {word: i for i, word in enumerate(model.words)}
    words = [(word, kind) for kind, members in kinds.items() for word in members if word in place]
    at = [place[word] for word, _ in words]
    labels = np.array([kind for _, kind in words])
    frames = [snapshot.vectors[at].astype(np.float64) for snapshot in model.snapshots]
    last = frames[-1] - frames[-1].mean(0)
    _, spread, axes = np.linalg.svd(last, full_matrices=False)
    plane = axes[:2] * np.where(axes[:2][[0, 1], np.abs(axes[:2]).argmax(1)] < 0, -1.0, 1.0)[:, None]
    flat = [(frame - frames[-1].mean(0)) @ plane.T for frame in frames]
    scale = float(np.abs(flat[-1]).max())
    return {
        "words": [word for word, _ in words],
        "kinds": labels.tolist(),
        "epochs": [snapshot.epoch for snapshot in model.snapshots],
        "xy": [np.round(xy / scale, 4).tolist() for xy in flat],
        "explained": (spread[:2] ** 2 / np.sum(spread**2)).tolist(),
        "within": [_mean_cosine(frame, labels, True) for frame in frames],
        "between": [_mean_cosine(frame, labels, False) for frame in frames],
    }


def _mean_cosine(rows: np.ndarray, labels: np.ndarray, same: bool) -> float:
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    i, j = np.triu_indices(len(rows), 1)
    chosen = (labels[i] == labels[j]) == same
    return float(np.einsum("nd,nd->n", unit[i[chosen]], unit[j[chosen]]).mean())


def _pairs(model: WordModel, counts: Any) -> list[list[float]]:
    """[PMI − log k, w·c] of a seeded sample of pairs that stand together five times or more."""
    from armillary.origins.word2vec.pmi import pmi, rows_of

    target = pmi(counts, model.settings.smoothing)
    often = np.flatnonzero(counts.data >= 5.0)
    chosen = np.sort(np.random.default_rng(0).choice(often, min(POINTS, len(often)), replace=False))
    rows, columns = rows_of(counts)[chosen], counts.indices[chosen]
    products = np.einsum("nd,nd->n", model.vectors[rows], model.contexts[columns], dtype=np.float64)
    expected = target.data[chosen] - np.log(model.settings.negative)
    return np.round(np.stack([expected, products], axis=1), 4).tolist()
