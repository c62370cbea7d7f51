"""The cone by layer: the geometry of a text's states after every layer, beside that of the same tokens shuffled.

Each layer is a table whose rows are positions, measured as any table is. The null is the same text with its words in
random order: what it shares with the text is the work of tokens and positions, what it does not is the work of context.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from armillary.answer import Listing
from armillary.errors import UsageError
from armillary.geometry import first_pass
from armillary.geometry.cosines import mean_cosine
from armillary.geometry.dimension import intrinsic_dimension
from armillary.geometry.rogue import rogue_dimensions
from armillary.geometry.spectrum import participation_ratio
from armillary.lens.drift import unit
from armillary.lens.model import LanguageModel, Progress
from armillary.lens.states import States, table_of
from armillary.measure import Measure
from armillary.shapes import Int64
from armillary.sphere import Code
from armillary.table import Table

_K = 10
# what stands beside the same of the shuffled text -> its name in the table
_COLUMNS = {
    "mean_cosine": "cosine",
    "rogue_share": "rogue",
    "participation_ratio": "PR",
    "intrinsic": "intrinsic",
    "overlap": "overlap",
}


@dataclass(frozen=True)
class LayerGeometry:
    """One layer: `mean_cosine` of all pairs, `participation_ratio`, mean and largest norm.

    `overlap`: mean share of the k nearest positions that the layer before has too; None for layer 0. `rogue_share`:
    of the mean cosine in the one coordinate `rogue_coordinate`; None where that mean is chance. `intrinsic`: dimension
    by maximum likelihood over the 20 nearest; None for 20 distinct states or fewer. `intrinsic_random`: that of as many
    normal rows of the same width.
    """

    layer: int
    mean_cosine: float
    participation_ratio: float
    mean_norm: float
    largest_norm: float
    overlap: float | None
    rogue_share: float | None
    rogue_coordinate: int | None
    intrinsic: float | None
    intrinsic_random: float | None

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
            "Rogue: share of the mean cosine that one coordinate makes. Intrinsic: dimension by the 20 nearest (maximum "
            "likelihood, equal states once), beside as many normal rows of the same width.",
        )

    def columns(self) -> dict[str, Sequence[Any]]:
        found: dict[str, Sequence[Any]] = {"layer": [layer.layer for layer in self.layers]}
        for name, label in _COLUMNS.items():
            found[label] = [getattr(layer, name) for layer in self.layers]
            found[f"{label}, shuffled"] = [getattr(layer, name) for layer in self.shuffled]
        found["intrinsic, normal"] = [layer.intrinsic_random for layer in self.layers]
        found["norm"] = [layer.mean_norm for layer in self.layers]
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
    code = Code.of(Table.from_array(rows))
    sums = first_pass(code)
    ratio = participation_ratio(sums).value if sums.variances.sum() > 0 else 1.0
    rogue = next(iter(rogue_dimensions(sums)), None)
    dimension = _dimension(rows)
    return LayerGeometry(
        layer=layer,
        mean_cosine=mean_cosine(sums)[0].value,
        participation_ratio=ratio,
        mean_norm=float(sums.norms.mean()),
        largest_norm=float(sums.norms.max()),
        overlap=shared,
        rogue_share=rogue and rogue.value,
        rogue_coordinate=rogue and rogue.detail["coordinates"][0],
        intrinsic=dimension and dimension.value,
        intrinsic_random=dimension and _normal_dimension(dimension.n, rows.shape[1]),
    )


def _dimension(rows: np.ndarray) -> Measure | None:
    found = intrinsic_dimension(Code.of(Table.from_array(rows)), null=False)
    return next((measure for measure in found if measure.name == "mle_dimension"), None)


@cache
def _normal_dimension(n: int, d: int) -> float:
    """The dimension that the same estimator finds in n normal rows: one draw for all layers with as many states."""
    found = _dimension(np.random.default_rng(0).standard_normal((n, d), np.float32))
    assert found is not None  # as many distinct rows as the states had
    return found.value


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
