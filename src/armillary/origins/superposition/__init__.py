"""Superposition: more features than dimensions, as a toy model trains them and as frames are built by hand."""

from armillary.origins.superposition.codes import Interference, random_interference
from armillary.origins.superposition.frames import FRAMES
from armillary.origins.superposition.groups import Groups, groups
from armillary.origins.superposition.measures import cosines, dimensionality, dimensions_per_feature, interference
from armillary.origins.superposition.phase import PhaseDiagram, boundary, constructed_losses, phase_diagram
from armillary.origins.superposition.toy import ToyModels, train

__all__ = [
    "FRAMES",
    "Groups",
    "Interference",
    "PhaseDiagram",
    "ToyModels",
    "boundary",
    "constructed_losses",
    "cosines",
    "dimensionality",
    "dimensions_per_feature",
    "groups",
    "interference",
    "phase_diagram",
    "random_interference",
    "train",
]
