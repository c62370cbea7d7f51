"""The measures of a study, in groups, each made by one function of geometry.

The nulls that have no closed form are drawn once the scan is there, so that what needs no scan answers without one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from armillary import geometry
from armillary.measure import Measure

if TYPE_CHECKING:
    from armillary.geometry import Comparison
    from armillary.scan.result import Scan
    from armillary.sphere import Code
    from armillary.study.study import Progress, Study

Group = Literal["sphere", "crowd", "isotropy", "norms"]
GROUPS: tuple[Group, ...] = ("sphere", "crowd", "isotropy", "norms")


def measures_of(study: Study, group: Group, comparison: Comparison | None) -> tuple[Measure, ...]:
    """The measures of one group, with drawn nulls where a comparison is given."""
    if group == "isotropy":
        return tuple(geometry.isotropy_measures(study.first_pass, comparison))
    if group == "norms":
        return tuple(geometry.norm_measures(study.first_pass))
    if group == "sphere":
        return tuple(geometry.sphere_measures(study.code, study.scan(), comparison))
    return tuple(geometry.crowd_measures(study.code, study.scan(), comparison))


def comparison_of(study: Study, progress: Progress | None) -> Comparison:
    """The drawn nulls: a random and a matched code beside a subsample of the table."""
    from armillary.scan import scan

    def scanner(code: Code, k: int) -> Scan:
        return scan(code, code.ids, k=max(k, 1), histogram="none", progress=progress)  # k is clipped to n − 1 there

    return geometry.compare(study.code, study.first_pass, study.scan(), scanner)
