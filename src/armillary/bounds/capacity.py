"""How many nearly orthogonal directions fit: capacity at a coherence, and the dimension that keeps distances.

Capacities grow as e^{dε²/2}, past what a float holds; they are given as natural logarithms.
"""

from __future__ import annotations

import math

from armillary.bounds.arguments import require_between, require_dimension
from armillary.bounds.pair import log_tail
from armillary.errors import UsageError


def log_capacity(dimension: int, coherence: float) -> float:
    """ln V of the random code in d dimensions whose median coherence is ε in (0, 1).

    N = ln ½ / ln(1 − P(|cos| > ε)) pairs, V = (1 + √(1+8N))/2.
    """
    require_dimension(dimension)
    require_between("a coherence", coherence, 0.0, 1.0)
    logarithm = log_tail(coherence, dimension)
    if logarithm > -30.0:
        beyond = math.exp(logarithm)
        pairs = math.log(0.5) / math.log1p(-beyond) if beyond < 1.0 else 0.0
        return math.log((1.0 + math.sqrt(1.0 + 8.0 * pairs)) / 2.0)
    log_pairs = math.log(math.log(2.0)) - logarithm  # ln(1−q) is −q, to the last digit
    root = 0.5 * (math.log(8.0) + log_pairs)
    return root - math.log(2.0) + math.exp(-root)


def log_capacity_lower(dimension: int, coherence: float) -> float:
    """ln of the number of vectors that surely fit with coherence ε in (0, 1), by drawing them: dε²/4 (the union bound).

    Where it is below ln d it says little: d vectors at right angles fit whatever ε.
    """
    require_dimension(dimension)
    require_between("a coherence", coherence, 0.0, 1.0)
    return dimension * coherence * coherence / 4.0


def johnson_lindenstrauss(points: int, distortion: float) -> float:
    """4 ln n/(ε²/2 − ε³/3), the formula before rounding, for a distortion ε in (0, 1).

    A random projection to that many dimensions keeps all squared distances within 1 ± ε with positive probability.
    Source: Johnson & Lindenstrauss 1984; Dasgupta & Gupta 2003.
    """
    require_between("a distortion", distortion, 0.0, 1.0)
    if points < 1:
        raise UsageError(f"expected at least one point, found {points}")
    return 4.0 * math.log(points) / (distortion**2 / 2.0 - distortion**3 / 3.0)


def johnson_lindenstrauss_dimension(points: int, distortion: float) -> int:
    """The least whole dimension of that formula; scikit-learn's function truncates and is one lower."""
    return math.ceil(johnson_lindenstrauss(points, distortion))
