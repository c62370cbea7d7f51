"""The spectrum of the cloud: in how many directions its rows really vary, and which are more than noise.

All of it comes from the eigenvalues λ of the covariance of the raw rows. The null is a random code of the same size:
its eigenvalues are not equal but fill the Marchenko–Pastur law, so even a perfect ball has a participation ratio of
only about d/(1 + d/n).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary import bounds
from armillary.geometry.passes import FirstPass
from armillary.measure import Definition, Measure, Null, Nulls
from armillary.shapes import Float64

_CENTRED = "raw rows, centred"

PARTICIPATION_RATIO = Definition(
    name="participation_ratio",
    title="Participation ratio (IsoScore)",
    formula="PR = (Σλ)²/Σλ²; IsoScore = (PR − 1)/(d − 1), the same number on the scale 0 … 1",
    meaning="How many dimensions the variance is spread over: d for a ball, 1 for a line.",
    source="Litwin-Kumar et al. 2017; Rudman et al. 2022 (IsoScore)",
    space=_CENTRED,
    unit="dimensions",
    low=1.0,
)
EFFECTIVE_RANK = Definition(
    name="effective_rank",
    title="Effective rank",
    formula="exp H(σ/Σσ), σ = √λ, H the entropy in nats",
    meaning="How many dimensions are in use, with small ones counted for more than the participation ratio does.",
    source="Roy & Vetterli 2007",
    space=_CENTRED,
    unit="dimensions",
    low=1.0,
)
STABLE_RANK = Definition(
    name="stable_rank",
    title="Stable rank",
    formula="‖X‖²_F/‖X‖²₂",
    meaning="The table's squared size over that of its one largest direction. A common mean makes it small; "
    "the detail gives the value with the mean removed.",
    source="Rudelson & Vershynin 2007",
    space="raw rows, not centred",
    unit="dimensions",
    low=1.0,
)
SIGNAL_COMPONENTS = Definition(
    name="signal_components",
    title="Components above the noise edge",
    formula="number of λ > (Σλ/d)(1 + √(d/n))²",
    meaning="How many principal components are larger than independent coordinates of the same total variance could "
    "make (Marchenko–Pastur).",
    source="Marchenko & Pastur 1967",
    space=_CENTRED,
    unit="components",
    low=0.0,
)
DEFINITIONS = (PARTICIPATION_RATIO, EFFECTIVE_RANK, STABLE_RANK, SIGNAL_COMPONENTS)


@dataclass(frozen=True, eq=False)
class Spectrum:
    """What a picture of the spectrum needs: `variances` (r) descending, their `share` of the total, the noise edges."""

    variances: Float64[np.ndarray, "r"]
    noise_edges: tuple[float, float]
    rows: int
    dimension: int

    @property
    def share(self) -> Float64[np.ndarray, "r"]:
        """Cumulative share of the variance in the first 1 … r components."""
        total = np.cumsum(self.variances)
        return total / total[-1]

    def to_dict(self) -> dict[str, Any]:
        return {
            "variances": self.variances.tolist(),
            "cumulative_share": self.share.tolist(),
            "noise_edges": list(self.noise_edges),
            "rows": self.rows,
            "dimension": self.dimension,
        }


def spectrum(first: FirstPass) -> Spectrum | None:
    """The spectrum with the Marchenko–Pastur edges of noise of the same total variance; None if nothing varies."""
    variances, total = first.variances, float(first.variances.sum())
    if total == 0.0:
        return None
    edges = bounds.marchenko_pastur_edges(first.rows, first.dimension, total / first.dimension)
    return Spectrum(variances, edges, first.rows, first.dimension)


def rank_measures(first: FirstPass) -> list[Measure]:
    """Participation ratio, effective rank, stable rank and signal components; the stable rank alone if nothing varies."""
    figure = spectrum(first)
    if figure is None:
        return [stable_rank(first)]
    return [participation_ratio(first), effective_rank(first), stable_rank(first), _signal(figure)]


def participation_ratio(first: FirstPass) -> Measure:
    """(Σλ)²/Σλ² with the IsoScore in its detail (None for d = 1); λ must not all be 0."""
    share = first.variances / first.variances.sum()
    n, d, value = first.rows, first.dimension, 1.0 / float(share @ share)
    nulls = Nulls(
        bound=Null(float(min(d, max(1, n - 1))), "most that n rows in d dimensions can have"),
        random=Null(((n - 1.0) * d + 2.0) / (n + d), "formula for normal rows, ((n−1)d + 2)/(n + d)"),
    )
    return Measure(PARTICIPATION_RATIO, value, n, nulls=nulls, detail={"isoscore": isoscore(value, d)})


def isoscore(participation: float, d: int) -> float | None:
    """(PR − 1)/(d − 1), in [0, 1]; None for d = 1."""
    return (participation - 1.0) / (d - 1.0) if d > 1 else None


def effective_rank(first: FirstPass) -> Measure:
    """exp of the entropy of the singular values of the centred rows; λ must not all be 0."""
    sizes = np.sqrt(first.variances[first.variances > 0])
    share = sizes / sizes.sum()
    n, d = first.rows, first.dimension
    nulls = Nulls(
        bound=Null(float(min(d, max(1, n - 1))), "most that n rows in d dimensions can have"),
        random=Null(_noise_effective_rank(max(1, n - 1), d), "Marchenko–Pastur law"),
    )
    return Measure(EFFECTIVE_RANK, math.exp(-float(share @ np.log(share))), n, nulls=nulls)


def stable_rank(first: FirstPass) -> Measure:
    """‖X‖²_F/‖X‖²₂ of the rows as they are; the detail has the same of the centred rows."""
    n, d = first.rows, first.dimension
    total, largest = float(first.norms @ first.norms) / n, _largest_uncentred(first)
    centred = float(first.variances.sum() / first.variances[0]) if first.variances[0] > 0 else None
    nulls = Nulls(
        bound=Null(float(min(n, d)), "most that n rows in d dimensions can have"),
        random=Null(
            max(1.0, d / bounds.marchenko_pastur_edges(n, d)[1]), "Marchenko–Pastur edge, d/(1 + √(d/n))², at least 1"
        ),
    )
    return Measure(STABLE_RANK, max(1.0, total / largest), n, nulls=nulls, detail={"centred": centred})


def _signal(figure: Spectrum) -> Measure:
    count = int((figure.variances > figure.noise_edges[1]).sum())
    return Measure(SIGNAL_COMPONENTS, float(count), figure.rows, nulls=Nulls(random=Null(0.0, "Marchenko–Pastur edge")))


def _largest_uncentred(first: FirstPass) -> float:
    """The largest eigenvalue of XᵀX/n = covariance + mean·meanᵀ, by the secular equation 1 = Σ z²/(x − λ).

    z are the mean's coordinates on the principal axes; what lies outside them has λ = 0. (Golub 1973)
    """
    variances, axes = first.principal
    z = axes @ first.mean
    weights = np.append(z * z, max(0.0, float(first.mean @ first.mean - z @ z)))
    poles = np.append(variances, 0.0)
    low, high = float(poles[0]), float(poles[0] + weights.sum())
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if float((weights / (middle - poles)).sum()) > 1.0 else (low, middle)
    return high


def _noise_effective_rank(n: int, d: int) -> float:
    """Effective rank of noise, n degrees of freedom: r = min(n, d) values λ by the Marchenko–Pastur law, s = √λ.

    exp(ln(r·E s) − E(s·ln s)/E s), at least 1.
    """
    low, high = bounds.marchenko_pastur_edges(n, d)
    nodes, weights = np.polynomial.legendre.leggauss(128)
    angle = (nodes + 1) * math.pi / 2  # x = middle − half·cos(angle): the roots at the edges become smooth
    x = (low + high) / 2 - (high - low) / 2 * np.cos(angle)
    mass = bounds.marchenko_pastur_density(x, n, d) * np.sin(angle) * weights
    mass, size = mass / mass.sum(), np.sqrt(x)
    mean = float(mass @ size)
    return max(1.0, math.exp(math.log(min(n, d) * mean) - float(mass @ (size * np.log(size))) / mean))
