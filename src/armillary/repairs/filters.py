"""Repairs as filters: the gain that each gives to every principal component of the table, on one axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.repairs.repair import Repair
from armillary.shapes import Float64
from armillary.sphere import Cloud


@dataclass(frozen=True, eq=False)
class Filters:
    """`gains`: by repair, how long a unit vector along each component (d) comes out, the largest one set to 1."""

    variances: Float64[np.ndarray, "d"]
    gains: Mapping[str, Float64[np.ndarray, "d"]]

    def to_dict(self) -> dict[str, Any]:
        return {
            "variances": self.variances.tolist(),
            "gains": {name: gain.tolist() for name, gain in self.gains.items()},
        }


def filters(cloud: Cloud, repairs: Sequence[Repair]) -> Filters:
    """The gains ‖e_j·matrix‖ of repairs of this width on the axes e_j of a cloud, each divided by its largest."""
    variances, axes = cloud.principal
    gains: dict[str, np.ndarray] = {}
    for repair in repairs:
        gain = np.linalg.norm(axes @ repair.matrix, axis=1)
        gains[repair.method] = gain / (gain.max(initial=0.0) or 1.0)
    return Filters(variances, gains)
