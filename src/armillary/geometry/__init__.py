"""The geometry of a code: measures with their definition, certainty and nulls.

One file per idea. `first_pass` sums what needs no pair; a `Scan` knows all pairs; `compare` draws the nulls that have
no closed form. `DEFINITIONS` holds the definition of every measure, in the order of a report.
"""

from armillary.geometry import angle as _angle
from armillary.geometry import coherence as _coherence
from armillary.geometry import cone as _cone
from armillary.geometry import cosines as _cosines
from armillary.geometry import design as _design
from armillary.geometry import dimension as _dimension
from armillary.geometry import duplicates as _duplicates
from armillary.geometry import health as _health
from armillary.geometry import hubness as _hubness
from armillary.geometry import norms as _norms
from armillary.geometry import partition as _partition
from armillary.geometry import rogue as _rogue
from armillary.geometry import spectrum as _spectrum
from armillary.geometry import two_tables as _two_tables
from armillary.geometry import uniformity as _uniformity
from armillary.geometry import weighted as _weighted
from armillary.geometry.compose import (
    cloud_measures,
    crowd_measures,
    isotropy_measures,
    norm_measures,
    sphere_measures,
)
from armillary.geometry.cone import Cone, cone
from armillary.geometry.design import even_moments
from armillary.geometry.dimension import intrinsic_dimension
from armillary.geometry.nulls import Comparison, compare, matched_rows
from armillary.geometry.pairs import ClosestPairs, closest_pairs
from armillary.geometry.partition import partition_isotropy
from armillary.geometry.passes import FirstPass, first_pass
from armillary.geometry.rogue import cosine_contributions, rogue_dimensions
from armillary.geometry.spectrum import Spectrum, spectrum
from armillary.geometry.uniformity import alignment, uniformity
from armillary.geometry.weighted import weighted_measures
from armillary.measure import Definition as _Definition

DEFINITIONS: tuple[_Definition, ...] = tuple(
    definition
    for room in (
        *(_coherence, _angle, _design, _hubness, _duplicates, _cosines, _cone, _rogue, _partition, _uniformity),
        *(_spectrum, _dimension, _weighted, _norms, _health, _two_tables),
    )
    for definition in room.DEFINITIONS
)

__all__ = [
    "DEFINITIONS",
    "ClosestPairs",
    "Comparison",
    "Cone",
    "FirstPass",
    "Spectrum",
    "alignment",
    "closest_pairs",
    "cloud_measures",
    "compare",
    "cone",
    "cosine_contributions",
    "crowd_measures",
    "even_moments",
    "first_pass",
    "intrinsic_dimension",
    "isotropy_measures",
    "matched_rows",
    "norm_measures",
    "partition_isotropy",
    "rogue_dimensions",
    "spectrum",
    "sphere_measures",
    "uniformity",
    "weighted_measures",
]
