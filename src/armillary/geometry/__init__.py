"""The geometry of a code: measures with their definition, certainty and nulls.

One file per idea. `first_pass` sums what needs no pair; a `Scan` knows all pairs; `compare` draws the nulls that have
no closed form. `DEFINITIONS` holds the definition of every measure, in the order of a report.
"""

from armillary.geometry import angle as _angle
from armillary.geometry import coherence as _coherence
from armillary.geometry import cosines as _cosines
from armillary.geometry import design as _design
from armillary.geometry import duplicates as _duplicates
from armillary.geometry import hubness as _hubness
from armillary.geometry import norms as _norms
from armillary.geometry import spectrum as _spectrum
from armillary.geometry.compose import crowd_measures, isotropy_measures, norm_measures, sphere_measures
from armillary.geometry.design import even_moments
from armillary.geometry.nulls import Comparison, compare, matched_rows
from armillary.geometry.pairs import ClosestPairs, closest_pairs
from armillary.geometry.passes import FirstPass, first_pass
from armillary.geometry.spectrum import Spectrum, spectrum

DEFINITIONS = tuple(
    definition
    for room in (_coherence, _angle, _design, _hubness, _duplicates, _cosines, _spectrum, _norms)
    for definition in room.DEFINITIONS
)

__all__ = [
    "DEFINITIONS",
    "ClosestPairs",
    "Comparison",
    "FirstPass",
    "Spectrum",
    "closest_pairs",
    "compare",
    "crowd_measures",
    "even_moments",
    "first_pass",
    "isotropy_measures",
    "matched_rows",
    "norm_measures",
    "spectrum",
    "sphere_measures",
]
