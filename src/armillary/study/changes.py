"""Measures of two codes of the same rows side by side, and which way is better.

Hubs are counted on a subsample of the same rows before and after; everything else is over all rows kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from armillary import geometry
from armillary.measure import Measure
from armillary.sphere import Code
from armillary.study.stages import Progress, Stages, heard
from armillary.table import Table

HUB_ROWS, SEED = 10_000, 0
READ = 4  # about how often the measures read every row
# which way is better: up, down, or towards 0
BETTER: Mapping[str, str] = {
    "mean_cosine": "zero",
    "mean_square_cosine": "down",
    "participation_ratio": "up",
    "effective_rank": "up",
    "stable_rank": "up",
    "cone_half_angle": "up",
    "rogue_dimensions": "down",
    "partition_isotropy": "up",
    "uniformity": "down",
    "hubness_skewness": "down",
    "antihub_share": "down",
    "largest_hub": "down",
    "weighted_mean_cosine": "zero",
    "weighted_participation_ratio": "up",
}


@dataclass(frozen=True)
class Change:
    """A measure before and after; None where it is not defined. `verdict` is empty where neither way is better."""

    name: str
    title: str
    before: float | None
    after: float | None
    kind: str

    @property
    def verdict(self) -> str:
        way = BETTER.get(self.name)
        if way is None or self.before is None or self.after is None:
            return ""
        a, b = (abs(self.before), abs(self.after)) if way == "zero" else (self.before, self.after)
        gain = (b - a) if way == "up" else (a - b)
        if abs(gain) <= 1e-3 * max(abs(a), abs(b)):
            return "the same"
        return "better" if gain > 0 else "worse"


def changes_between(before: Code, after: Code, progress: Progress | None = None) -> tuple[Change, ...]:
    """Every isotropy measure and the hubs of two codes of the same rows."""
    stages = Stages(progress, 1, 1)
    one, other = (_by_name(code, stages.next()) for code in (before, after))
    names = [*one, *(name for name in other if name not in one)]
    return tuple(_change(name, one.get(name), other.get(name)) for name in names)


def hub_measures(code: Code, progress: Progress | None = None) -> list[Measure]:
    """Hubs of a code, on a seeded subsample of its rows where it has more than 10,000."""
    from armillary.geometry.hubness import hubness
    from armillary.scan import scan

    n = len(code)
    if n > HUB_ROWS:
        at = np.sort(np.random.default_rng(SEED).choice(n, HUB_ROWS, replace=False))
        code = Code.of(Table.from_array(code.take(at)))
    found = hubness(code, scan(code, code.ids, k=10, histogram="none", progress=progress))
    return found if n <= HUB_ROWS else [replace(measure, kind="estimate") for measure in found]


def _by_name(code: Code, progress: Progress) -> dict[str, Measure]:
    stages = Stages(progress, 3, 2, 1)
    code = replace(code, table=heard(code.table, stages.next(), READ))
    first = geometry.first_pass(code)
    clouds = geometry.cloud_measures(code, first, null=False, progress=stages.next())
    hubs = hub_measures(code, stages.next())
    return {measure.name: measure for measure in (*geometry.isotropy_measures(first), *clouds, *hubs)}


def _change(name: str, before: Measure | None, after: Measure | None) -> Change:
    one = before or after
    assert one is not None
    values = [None if m is None else m.value for m in (before, after)]
    return Change(name, one.definition.title, values[0], values[1], one.kind)
