"""The measures by the section of a report they stand in: the sphere, the crowd, isotropy, the cloud, norms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armillary.geometry.angle import minimum_angle
from armillary.geometry.coherence import coherence
from armillary.geometry.cone import cone_half_angle
from armillary.geometry.cosines import mean_cosine, mean_square_cosine
from armillary.geometry.dimension import intrinsic_dimension
from armillary.geometry.duplicates import equal_rows, near_duplicates
from armillary.geometry.hubness import hubness
from armillary.geometry.norms import norm_shell
from armillary.geometry.nulls import Comparison
from armillary.geometry.partition import partition_isotropy
from armillary.geometry.passes import FirstPass
from armillary.geometry.rogue import rogue_dimensions
from armillary.geometry.spectrum import rank_measures
from armillary.geometry.uniformity import uniformity
from armillary.geometry.weighted import weighted_measures
from armillary.measure import Measure
from armillary.scan.result import Scan
from armillary.shapes import Float64
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


def cloud_measures(
    code: Code,
    first: FirstPass,
    frequencies: Float64[np.ndarray, "n"] | None = None,
    *,
    null: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> list[Measure]:
    """What isotropy needs more than sums for: cone, rogue dimensions, partition isotropy, uniformity, dimension.

    Token frequencies (n, NaN unknown) add the profile of the cone and the weighted twins; `null=False` leaves out the
    drawn null of the intrinsic dimension; `progress` is of that dimension, the longest step. Needs no scan.
    """
    return [
        *cone_half_angle(code, first, frequencies),
        *rogue_dimensions(first),
        partition_isotropy(code, first),
        *uniformity(code),
        *intrinsic_dimension(code, null=null, progress=progress),
        *(weighted_measures(code, frequencies) if frequencies is not None else []),
    ]


def norm_measures(first: FirstPass) -> list[Measure]:
    """The norm shell; needs no scan."""
    return norm_shell(first)


def _attached(measures: list[Measure], comparison: Comparison | None) -> list[Measure]:
    return comparison.attach(measures) if comparison else measures
