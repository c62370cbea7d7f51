"""The cone: how the rows lie around their mean direction, and whether frequent tokens lie closer to it than rare ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from armillary.errors import UsageError
from armillary.geometry.passes import FirstPass
from armillary.measure import Definition, Measure, Null, Nulls
from armillary.shapes import Float64
from armillary.sphere import Code

SHARES = (0.5, 0.9, 0.99)
DECILES = 10

CONE_HALF_ANGLE = Definition(
    name="cone_half_angle",
    title="Half-angle of the cone",
    formula="least θ with at least half of the rows within θ of Σu/‖Σu‖",
    meaning="Half of all rows lie within this angle of the mean direction; the detail has 90 and 99 % too. 90° "
    "where directions have no preference.",
    source="Ethayarajh 2019; Cai et al. 2021",
    space="normalised, not centred, all rows of the code",
    unit="°",
    low=0.0,
    high=180.0,
)
DEFINITIONS = (CONE_HALF_ANGLE,)


@dataclass(frozen=True, eq=False)
class Cone:
    """The unit mean `direction` (d), the cosine of each row to it (n), half-angles in degrees by share of rows held.

    `profile`: mean cosine by frequency decile, the rarest first, with the rows in each; empty without frequencies.
    """

    direction: Float64[np.ndarray, "d"]
    cosines: Float64[np.ndarray, "n"]
    half_angles: dict[float, float]
    profile: tuple[tuple[float, int], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        counts, edges = np.histogram(self.cosines, bins=100, range=(-1.0, 1.0))
        return {
            "half_angles": {f"{share:g}": angle for share, angle in self.half_angles.items()},
            "profile": [{"decile": i, "cosine": c, "rows": m} for i, (c, m) in enumerate(self.profile, 1)],
            "histogram": {"edges": edges.tolist(), "counts": counts.tolist()},
        }


def cone(code: Code, first: FirstPass, frequencies: Float64[np.ndarray, "n"] | None = None) -> Cone | None:
    """The cone of a code; None where the directions cancel out. `frequencies` (n, NaN unknown) give the profile."""
    length = float(np.linalg.norm(first.unit_sum))
    if length <= 1e-12 * first.rows:
        return None
    direction = first.unit_sum / length
    cosines, angles = np.empty(first.rows), np.empty(first.rows)
    for start, unit in code.unit_blocks():
        along = unit @ direction
        across = np.linalg.norm(unit - along[:, None] * direction, axis=1)
        cosines[start : start + len(unit)] = np.clip(along, -1.0, 1.0)
        angles[start : start + len(unit)] = np.degrees(np.arctan2(across, along))  # keeps its digits near 0°
    held = np.quantile(angles, SHARES, method="inverted_cdf")
    half_angles = {share: float(angle) for share, angle in zip(SHARES, held, strict=True)}
    return Cone(direction, cosines, half_angles, _profile(cosines, frequencies))


def cone_half_angle(code: Code, first: FirstPass, frequencies: Float64[np.ndarray, "n"] | None = None) -> list[Measure]:
    """The half-angle that holds half of the rows; none where the directions cancel out."""
    found = cone(code, first, frequencies)
    if found is None:
        return []
    expected = {f"{share:g}": _random_half_angle(share, first.dimension) for share in SHARES}
    nulls = Nulls(random=Null(expected["0.5"], "formula, uniform directions around a given one"))
    data = found.to_dict()
    detail = {"half_angles": data["half_angles"], "random": expected, "profile": data["profile"]}
    return [Measure(CONE_HALF_ANGLE, found.half_angles[0.5], first.rows, nulls=nulls, detail=detail)]


def _profile(cosines: np.ndarray, frequencies: np.ndarray | None) -> tuple[tuple[float, int], ...]:
    if frequencies is None:
        return ()
    if frequencies.shape != cosines.shape:
        raise UsageError(f"expected {len(cosines):,} frequencies, one a row, found shape {frequencies.shape}")
    known = np.flatnonzero(np.isfinite(frequencies))
    order = known[np.lexsort((known, frequencies[known]))]
    return tuple((float(cosines[part].mean()), len(part)) for part in np.array_split(order, DECILES) if len(part))


def _random_half_angle(share: float, d: int) -> float:
    """θ in degrees with P(angle ≤ θ) = share for a uniform direction: (1 − cos θ)/2 is Beta((d−1)/2, (d−1)/2)."""
    if d == 1:
        return 0.0 if share <= 0.5 else 180.0
    return math.degrees(math.acos(1.0 - 2.0 * float(special.betaincinv((d - 1) / 2, (d - 1) / 2, share))))
