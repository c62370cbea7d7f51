"""How fast the size of the best code with a given angle grows with the dimension: log₂ V / d as d → ∞."""

from __future__ import annotations

import math

from armillary.bounds.arguments import require_between


def kabatiansky_levenshtein_rate(angle: float) -> float:
    """Upper bound on the rate, bits a dimension, for a minimum angle θ in (0°, 90°) in degrees.

    (1+sin θ)/(2 sin θ)·log₂((1+sin θ)/(2 sin θ)) − (1−sin θ)/(2 sin θ)·log₂((1−sin θ)/(2 sin θ)), the direct form.
    Source: Kabatiansky & Levenshtein 1978.
    """
    require_between("an angle in degrees", angle, 0.0, 90.0)
    sine = math.sin(math.radians(angle))
    more, less = (1 + sine) / (2 * sine), (1 - sine) / (2 * sine)
    return more * math.log2(more) - (less * math.log2(less) if less > 0 else 0.0)


def shannon_wyner_rate(angle: float) -> float:
    """Lower bound on the rate, bits a dimension, for a minimum angle θ in (0°, 90°) in degrees: −log₂ sin θ.

    What a greedy choice of vectors reaches. Source: Chabauty 1953; Shannon 1959; Wyner 1965.
    """
    require_between("an angle in degrees", angle, 0.0, 90.0)
    return -math.log2(math.sin(math.radians(angle)))
