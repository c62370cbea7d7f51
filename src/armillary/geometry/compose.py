"""The measures by the section of a report they stand in: the sphere, the crowd, isotropy, norms."""

from __future__ import annotations

from armillary.geometry.angle import minimum_angle
from armillary.geometry.coherence import coherence
from armillary.geometry.cosines import mean_cosine, mean_square_cosine
from armillary.geometry.duplicates import equal_rows, near_duplicates
from armillary.geometry.hubness import hubness
from armillary.geometry.norms import norm_shell
from armillary.geometry.nulls import Comparison
from armillary.geometry.passes import FirstPass
from armillary.geometry.spectrum import rank_measures
from armillary.measure import Measure
from armillary.scan.result import Scan
from armillary.sphere import Code


def sphere_measures(code: Code, scan: Scan, comparison: Comparison | None = None) -> list[Measure]:
    """Coherence, extreme cosines, gap to the bound and minimum angle; drawn nulls where a comparison is given."""
    return _attached([*coherence(code, scan), *minimum_angle(code, scan)], comparison)


def crowd_measures(code: Code, scan: Scan, comparison: Comparison | None = None) -> list[Measure]:
    """Hubness and duplicates; drawn nulls where a comparison is given."""
    return _attached([*hubness(code, scan), equal_rows(code), near_duplicates(scan)], comparison)


def isotropy_measures(first: FirstPass, comparison: Comparison | None = None) -> list[Measure]:
    """Mean and mean squared cosine, and the ranks of the spectrum; needs no scan."""
    return _attached([*mean_cosine(first), *mean_square_cosine(first), *rank_measures(first)], comparison)


def norm_measures(first: FirstPass) -> list[Measure]:
    """The norm shell; needs no scan."""
    return norm_shell(first)


def _attached(measures: list[Measure], comparison: Comparison | None) -> list[Measure]:
    return comparison.attach(measures) if comparison else measures
