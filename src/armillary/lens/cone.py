"""The cone by layer: the geometry of a text's states after every layer, beside that of the same tokens shuffled.

Each layer is a table whose rows are positions, measured as any table is. The null is the same text with its words in
random order: what it shares with the text is the work of tokens and positions, what it does not is the work of context.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float64, Int64

from armillary.answer import Listing
from armillary.errors import UsageError
from armillary.geometry import first_pass
from armillary.geometry.cosines import mean_cosine
from armillary.geometry.spectrum import participation_ratio
from armillary.lens.drift import unit
from armillary.lens.model import LanguageModel, Progress
from armillary.lens.states import States, table_of
from armillary.sphere import Code

_K = 10


@dataclass(frozen=True)
class LayerGeometry:
    """One layer: `mean_cosine` of all pairs, `participation_ratio`, mean and largest norm.

    `overlap`: mean share of the k nearest positions that the layer before has too; None for layer 0.
    """

    layer: int
    mean_cosine: float
    participation_ratio: float
    mean_norm: float
    largest_norm: float
    overlap: float | None

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True, eq=False, repr=False)
class ConeByLayer(Listing):
    """The geometry of every layer for a text and for the same text shuffled.

    `positions`: rows measured, the first of each paragraph left out unless `first`.
    """

    source: str
    layers: tuple[LayerGeometry, ...]
    shuffled: tuple[LayerGeometry, ...]
    positions: int
    k: int
    first: bool
    text: str

    @property
    def title(self) -> str:
        return f"The cone by layer in {self.source}, over {self.positions:,} positions of {self.text}"

    @property
    def notes(self) -> Sequence[str]:
        counted = "counted in" if self.first else "left out"
        return (
            "Null: the same text with its words shuffled. A random code has a mean cosine of 0.",
            f"The first position of each paragraph is {counted}. Overlap: share of the {self.k} nearest positions (cosine) "
            f"kept from the layer before; chance is {self.k / max(1, self.positions - 1):.2g}.",
        )

    def columns(self) -> dict[str, Sequence[Any]]:
        names = {
            "mean_cosine": "mean_cosine",
            "participation_ratio": "dimensions (PR)",
            "mean_norm": "mean norm",
            "overlap": "overlap",
        }
        found: dict[str, Sequence[Any]] = {"layer": [layer.layer for layer in self.layers]}
        for name, label in names.items():
            found[label] = [getattr(layer, name) for layer in self.layers]
            found[f"{label}, shuffled"] = [getattr(layer, name) for layer in self.shuffled]
        return found

    def to_dict(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "positions": self.positions,
            "k": self.k,
            "first_position": self.first,
            "layers": [layer.to_dict() for layer in self.layers],
            "shuffled": [layer.to_dict() for layer in self.shuffled],
        }


def cone_by_layer(
    model: LanguageModel,
    texts: Sequence[str],
    *,
    k: int = _K,
    first: bool = False,
    seed: int = 0,
    text: str = "the built-in text",
    progress: Progress | None = None,
) -> ConeByLayer:
    """The cone by layer over texts, each read on its own; progress(texts done, texts), both readings counted.

    UsageError if fewer than k + 2 positions are left.
    """
    both = [*texts, *shuffled(texts, seed)]
    states = model.states_of(both, progress)
    real, null = (geometry_by_layer(half, k=k, first=first) for half in (states[: len(texts)], states[len(texts) :]))
    positions = len(_kept(states[: len(texts)], 0, first))
    return ConeByLayer(model.table.provenance.source, real, null, positions, k, first, text)


def geometry_by_layer(states: Sequence[States], *, k: int = _K, first: bool = False) -> tuple[LayerGeometry, ...]:
    """The geometry of every layer of some states."""
    found: list[LayerGeometry] = []
    before: Int64[np.ndarray, "n k"] | None = None
    for layer in range(states[0].depth + 1):
        rows = _kept(states, layer, first)
        if len(rows) < k + 2:
            raise UsageError(
                f"expected at least {k + 2} positions, found {len(rows)}", "give a longer text, or a smaller k"
            )
        nearest = neighbors(rows, k)
        found.append(_measured(layer, rows, None if before is None else overlap(before, nearest)))
        before = nearest
    return tuple(found)


def _measured(layer: int, rows: np.ndarray, shared: float | None) -> LayerGeometry:
    from armillary.table import Table

    sums = first_pass(Code.of(Table.from_array(rows)))
    ratio = participation_ratio(sums).value if sums.variances.sum() > 0 else 1.0
    return LayerGeometry(
        layer, mean_cosine(sums)[0].value, ratio, float(sums.norms.mean()), float(sums.norms.max()), shared
    )


def _kept(states: Sequence[States], layer: int, first: bool) -> np.ndarray:
    rows = table_of(states, layer).vectors
    starts = np.cumsum([0, *(len(text) for text in states)])[:-1]
    keep = np.ones(rows.shape[0], bool)
    keep[starts] = first
    return rows.take(np.flatnonzero(keep))


def neighbors(rows: np.ndarray, k: int) -> Int64[np.ndarray, "n k"]:
    """The k nearest other rows of each by cosine, ties by position."""
    directions = unit(rows)
    cosines = directions @ directions.T
    np.fill_diagonal(cosines, -np.inf)
    return np.argsort(-cosines, axis=1, kind="stable")[:, :k]


def overlap(before: Int64[np.ndarray, "n k"], after: Int64[np.ndarray, "n k"]) -> float:
    """Mean share of each row's k neighbours that both lists have."""
    return float(np.mean([len(np.intersect1d(a, b)) / len(a) for a, b in zip(before, after, strict=True)]))


def shuffled(texts: Sequence[str], seed: int = 0) -> list[str]:
    """The words of all texts in random order, cut into texts of as many words as before."""
    words = [word for text in texts for word in text.split()]
    order = np.random.default_rng(seed).permutation(len(words))
    mixed = iter([words[i] for i in order])
    return [" ".join(next(mixed) for _ in text.split()) for text in texts]


def separation_of_cones(cone: ConeByLayer) -> Float64[np.ndarray, "L"]:
    """Mean cosine of the text minus that of the shuffled text, for each layer."""
    return np.array([a.mean_cosine - b.mean_cosine for a, b in zip(cone.layers, cone.shuffled, strict=True)])
