"""Four word models side by side on the same corpus: neighbours of a few words, and agreement with people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.answer import Listing
from armillary.origins.word2vec.model import WordModel
from armillary.words.evaluation import spearman

WORDS = ("king", "water", "music", "doctor")


@dataclass(frozen=True, repr=False)
class Comparison(Listing):
    """Per model: Spearman on a set of word pairs with its coverage, and the nearest words of a few."""

    models: tuple[WordModel, ...]
    set_name: str
    scores: tuple[float | None, ...]
    covered: tuple[int, ...]
    neighbors: tuple[dict[str, list[str]], ...]

    @property
    def title(self) -> str:
        return f"{self.models[0].source}, {len(self.models[0].words):,} words, the same windows"

    def columns(self) -> dict[str, list[Any]]:
        asked = list(self.neighbors[0])
        return {
            "model": [m.kind for m in self.models],
            self.set_name or "score": list(self.scores),
            "pairs": list(self.covered),
            **{word: [" ".join(found[word][:3]) for found in self.neighbors] for word in asked},
        }

    def to_dict(self) -> dict[str, Any]:
        return {
            "set": self.set_name,
            "models": [
                {**m.to_dict(), "spearman": s, "covered": c, "neighbors": n}
                for m, s, c, n in zip(self.models, self.scores, self.covered, self.neighbors, strict=True)
            ],
        }


def compare(
    models: Sequence[WordModel],
    pairs: Sequence[tuple[str, str, float]] = (),
    set_name: str = "",
    words: Sequence[str] = WORDS,
) -> Comparison:
    """Score every model on `pairs` (none: no score) and list the ten nearest of those `words` that they have."""
    scores: list[float | None] = []
    covered: list[int] = []
    for model in models:
        score, count = spearman_on(model, pairs)
        scores.append(score)
        covered.append(count)
    index = {word: i for i, word in enumerate(models[0].words)}
    asked = [w for w in words if w in index] or list(models[0].words[:3])
    near = tuple({w: nearest(m, index[w]) for w in asked} for m in models)
    return Comparison(tuple(models), set_name, tuple(scores), tuple(covered), near)


def spearman_on(model: WordModel, pairs: Sequence[tuple[str, str, float]]) -> tuple[float | None, int]:
    """Spearman of the cosines with the scores over the pairs the model has, and how many; None below three."""
    index = {word: i for i, word in enumerate(model.words)}
    known = [(index[a.lower()], index[b.lower()], s) for a, b, s in pairs if a.lower() in index and b.lower() in index]
    if len(known) < 3:
        return None, len(known)
    unit = _unit(model)
    first, second = (np.array([k[side] for k in known]) for side in (0, 1))
    cosines = np.einsum("nd,nd->n", unit[first], unit[second], dtype=np.float64)
    return spearman(cosines, np.array([k[2] for k in known], np.float64)), len(known)


def nearest(model: WordModel, id: int, k: int = 10) -> list[str]:
    """The k words of largest cosine, by (cosine descending, id ascending), the word itself left out by id."""
    unit = _unit(model)
    cosines = unit @ unit[id]
    order = np.lexsort((np.arange(len(cosines)), -cosines))
    return [model.words[i] for i in order[: k + 1].tolist() if i != id][:k]


def first_order(model: WordModel, id: int, k: int = 10) -> list[str]:
    """The k words whose contexts this word predicts best: largest w·c."""
    products = model.contexts @ model.vectors[id]
    order = np.lexsort((np.arange(len(products)), -products))
    return [model.words[i] for i in order[:k].tolist()]


def _unit(model: WordModel) -> np.ndarray:
    return model.vectors / np.maximum(np.linalg.norm(model.vectors, axis=1, keepdims=True), 1e-30)


def word_pairs() -> tuple[str, list[tuple[str, str, float]]]:
    """("MEN", its pairs with people's scores) where the data set `evaluation` was fetched; ("", []) where it was not."""
    from armillary.catalog import data_path, is_present
    from armillary.words.evaluation_sets import SETS, read_similarity

    if not is_present("evaluation"):
        return "", []
    men = next(known for known in SETS if known.name == "MEN")
    return men.name, read_similarity(data_path(f"evaluation/{men.file}"))
