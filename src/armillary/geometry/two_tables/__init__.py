"""Two tables side by side, joined by what their tokens are, never by where they stand."""

from armillary.geometry.two_tables.align import DEFINITIONS as _ALIGNED
from armillary.geometry.two_tables.compare import compare_tables
from armillary.geometry.two_tables.join import Join, join
from armillary.geometry.two_tables.overlap import NEIGHBOR_OVERLAP, neighbor_overlap
from armillary.geometry.two_tables.result import Moved, TableComparison
from armillary.geometry.two_tables.similarity import LINEAR_CKA
from armillary.measure import Definition as _Definition

DEFINITIONS: tuple[_Definition, ...] = (*_ALIGNED, LINEAR_CKA, NEIGHBOR_OVERLAP)

__all__ = [
    "DEFINITIONS",
    "Join",
    "Moved",
    "TableComparison",
    "compare_tables",
    "join",
    "neighbor_overlap",
]
