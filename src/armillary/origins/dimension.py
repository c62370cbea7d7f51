"""The width that published models chose, and where a given one sits among them.

From published configurations (`models.json`, with its source): d against parameters as a power law, d against
128 × layers, the table's share of the parameters, and the cost of a layer against d². Regression says what was
chosen, not what is best.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from armillary.answer import Answer, number, percent
from armillary.bounds.arguments import LARGEST_DIMENSION, LARGEST_SIZE
from armillary.errors import UsageError, check_range

WIDTH_PER_LAYER = 128.0
LARGEST_DEPTH = 10**5


@dataclass(frozen=True)
class Model:
    """One published model. `table_params` counts one table; an untied model has two."""

    model: str
    vocab: int
    dim: int
    layers: int
    tied: bool
    table_params: int
    total_params: int
    approximate: bool = False

    @property
    def tables(self) -> int:
        """Parameters of its input and output tables together."""
        return self.table_params * (1 if self.tied else 2)

    @property
    def table_share(self) -> float:
        """Share of all parameters that stand in tables."""
        return self.tables / self.total_params

    @property
    def per_layer(self) -> float:
        """Parameters outside the tables, per layer."""
        return (self.total_params - self.tables) / self.layers


@cache
def models() -> tuple[Model, ...]:
    """The published models, in the order of the file."""
    document = json.loads(files("armillary.origins").joinpath("models.json").read_text("utf-8"))
    return tuple(Model(**row) for row in document["models"])


@dataclass(frozen=True)
class PowerLaw:
    """y = c·xᵃ by least squares of log y on log x: exponent with its 95 % interval, log c, and sd of the residuals."""

    exponent: float
    low: float
    high: float
    intercept: float
    spread: float
    n: int

    def at(self, x: float) -> float:
        """The fitted value."""
        return math.exp(self.intercept + self.exponent * math.log(x))


def power_law(x: np.ndarray, y: np.ndarray) -> PowerLaw:
    """The fit over three points or more, with Student's interval for the exponent."""
    from scipy.special import stdtrit

    u, v = np.log(np.asarray(x, np.float64)), np.log(np.asarray(y, np.float64))
    du = u - u.mean()
    exponent = float(du @ v / (du @ du))
    intercept = float(v.mean() - exponent * u.mean())
    residuals = v - intercept - exponent * u
    spread = math.sqrt(float(residuals @ residuals) / (len(u) - 2))
    half = float(stdtrit(len(u) - 2, 0.975)) * spread / math.sqrt(float(du @ du))
    return PowerLaw(exponent, exponent - half, exponent + half, intercept, spread, len(u))


@dataclass(frozen=True, repr=False)
class DimensionChoice(Answer):
    """What the published models chose.

    `width`: d on all parameters; `body`: d on the parameters outside the tables; `layer`: parameters of a layer on d
    (2 if ∝ d²); `share`: the tables' share on all parameters. `ratio_mean`, `ratio_sd` of log₂(d/(128·L)).
    """

    width: PowerLaw
    body: PowerLaw
    layer: PowerLaw
    share: PowerLaw
    ratio_mean: float
    ratio_sd: float
    tied: int
    n: int

    def growth(self, factor: float = 100.0) -> tuple[float, float, float]:
        """By what d grows when parameters grow by `factor`: fitted, low and high."""
        law = self.width
        return factor**law.exponent, factor**law.low, factor**law.high

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "growth_per_100": self.growth()}

    def __str__(self) -> str:
        grown, low, high = self.growth()
        return "\n".join(
            (
                f"{self.n:,} published models: d grows as parameters to the power {number(self.width.exponent)} "
                f"({number(self.width.low)} to {number(self.width.high)}), so {number(grown)}-fold per 100-fold "
                f"({number(low)} to {number(high)}).",
                f"d is {number(128 * 2**self.ratio_mean)} per layer in the geometric mean; one sd is a factor of "
                f"{number(2**self.ratio_sd)}.",
                f"A layer's parameters grow as d to the power {number(self.layer.exponent)} ({number(self.layer.low)} to "
                f"{number(self.layer.high)}).",
                f"The tables' share falls as parameters to the power {number(self.share.exponent)}; "
                f"{self.tied:,} of {self.n:,} models tie them.",
            )
        )


def dimension_choice(of: tuple[Model, ...] | None = None) -> DimensionChoice:
    """The fits over the published models, or over `of`; UsageError below three models."""
    chosen = models() if of is None else of
    if len(chosen) < 3:
        raise UsageError(f"expected three models or more, found {len(chosen)}")
    total = np.array([m.total_params for m in chosen], float)
    width = np.array([m.dim for m in chosen], float)
    tables = np.array([m.tables for m in chosen], float)
    ratio = np.log2(width / (WIDTH_PER_LAYER * np.array([m.layers for m in chosen])))
    return DimensionChoice(
        width=power_law(total, width),
        body=power_law(total - tables, width),
        layer=power_law(width, np.array([m.per_layer for m in chosen])),
        share=power_law(total, tables / total),
        ratio_mean=float(ratio.mean()),
        ratio_sd=float(ratio.std(ddof=1)),
        tied=sum(m.tied for m in chosen),
        n=len(chosen),
    )


@dataclass(frozen=True, repr=False)
class Placed(Answer):
    """Where V, d, L sit: d over what its parameters predict, d/(128·L), the table's share, and the nearest models."""

    vocab: int
    dim: int
    layers: int
    parameters: int
    predicted: float
    deviation: float
    per_layer: float
    table_share: float
    nearest: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"{self.vocab:,} × {self.dim:,}, {self.layers:,} layers, {self.parameters:,} parameters: published models of "
            f"that size have d near {number(self.predicted)}; this is {number(self.deviation, 2)} standard deviations "
            f"from it. d is {number(self.per_layer)} per layer; the tables hold {percent(self.table_share)} of the "
            f"parameters. Nearest: {', '.join(self.nearest)}."
        )


def place(vocab: int, dim: int, layers: int, tied: bool = True, parameters: int | None = None) -> Placed:
    """Where a model sits among the published ones; without `parameters` a layer is taken to cost 12·d².

    UsageError unless 1 ≤ V ≤ 10⁹, 1 ≤ d ≤ 10⁶ and 1 ≤ L ≤ 10⁵.
    """
    check_range("V", vocab, 1, LARGEST_SIZE)
    check_range("d", dim, 1, LARGEST_DIMENSION)
    check_range("layers L", layers, 1, LARGEST_DEPTH)
    tables = vocab * dim * (1 if tied else 2)
    total = tables + 12 * layers * dim * dim if parameters is None else parameters
    law = dimension_choice().width
    predicted = law.at(total)
    far = {
        m.model: math.hypot(math.log(m.dim / dim), math.log(m.layers / layers), math.log(m.vocab / vocab))
        for m in models()
    }
    return Placed(
        vocab,
        dim,
        layers,
        total,
        predicted,
        math.log(dim / predicted) / law.spread,
        dim / layers,
        tables / total,
        tuple(sorted(far, key=lambda name: (far[name], name))[:3]),
    )
