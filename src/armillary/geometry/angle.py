"""The minimum angle, computed from chords so that angles near 0° and 180° keep their digits."""

from __future__ import annotations

import math

import numpy as np

from armillary import bounds
from armillary.geometry.coherence import pair_detail
from armillary.geometry.duplicates import count_equal
from armillary.measure import Definition, Measure, Null, Nulls
from armillary.scan.result import Pair, Scan
from armillary.sphere import Code

_FORMULA = "2·atan2(‖u_i − u_j‖, ‖u_i + u_j‖) of the closest pair"

MINIMUM_ANGLE = Definition(
    "minimum_angle",
    "Minimum angle",
    _FORMULA,
    "The smallest angle between any two rows. 0° where two rows point the same way.",
    "Rankin 1955; Kahan 2006 (the formula)",
    "normalised, not centred, all rows of the code",
    unit="°",
    low=0.0,
    high=180.0,
)
MINIMUM_ANGLE_DISTINCT = Definition(
    "minimum_angle_distinct",
    "Minimum angle over distinct rows",
    _FORMULA,
    "The minimum angle with byte-equal rows counted once.",
    "Rankin 1955; Kahan 2006 (the formula)",
    "normalised, not centred, distinct rows of the code",
    unit="°",
    low=0.0,
    high=180.0,
)
DEFINITIONS = (MINIMUM_ANGLE, MINIMUM_ANGLE_DISTINCT)


def minimum_angle(code: Code, scan: Scan) -> list[Measure]:
    """The minimum angle in degrees, as is and over distinct rows; none for a single row."""
    distinct = len(code) - count_equal(code)
    pairs = ((MINIMUM_ANGLE, scan.closest, len(code)), (MINIMUM_ANGLE_DISTINCT, scan.closest_distinct, distinct))
    return [_measure(definition, code, pair, n) for definition, pair, n in pairs if pair is not None and n >= 2]


def angle(x: np.ndarray, y: np.ndarray) -> float:
    """The angle between two rows in degrees, in [0, 180], to a few last bits at either end."""
    u, v = (row.astype(np.float64) / np.linalg.norm(row.astype(np.float64)) for row in (x, y))
    return math.degrees(2.0 * math.atan2(float(np.linalg.norm(u - v)), float(np.linalg.norm(u + v))))


def _measure(definition: Definition, code: Code, pair: Pair, n: int) -> Measure:
    d = code.shape[1]
    most = math.degrees(math.acos(max(bounds.rankin(n, d), bounds.levenshtein(n, d))))
    nulls = Nulls(
        bound=Null(most, "largest possible, by Rankin and Levenshtein"),
        random=Null(bounds.minimum_angle_quantile(n, d), "median by the law of the extremes"),
    )
    rows = code.table.rows([pair.i, pair.j])
    return Measure(definition, angle(rows[0], rows[1]), n, nulls=nulls, detail=pair_detail(code, pair))
