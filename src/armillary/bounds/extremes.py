"""The extremes of a random code: the largest |cosine| and the largest cosine of V independent random directions.

Any two of its N = V(V−1)/2 cosines are independent, so the largest |cosine| μ follows
P(μ ≤ m) ≈ (1 − P(|cos| > m))^N, which for N in the thousands is exp(−N·P(|cos| > m)); the largest signed cosine has
half the tail. Finite-sample form of Cai, Fan & Jiang 2013. Exact for V = 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from armillary.bounds.arguments import require_between, require_code
from armillary.bounds.pair import inverse_log_cap, log_cap

_NODES = 128  # Gauss–Legendre nodes for a mean: the integrand is smooth
_FAR = 1e-15  # share of the law left out at either end of that integral


def coherence_quantile(size: int, dimension: int, share: float = 0.5) -> float:
    """The `share`-quantile, in [0, 1], of the coherence of a random code; the median by default."""
    return math.cos(_line_angle(size, dimension, share))


def maximal_cosine_quantile(size: int, dimension: int, share: float = 0.5) -> float:
    """The `share`-quantile, in [−1, 1], of the largest signed cosine of a random code; the median by default."""
    return math.cos(_angle(size, dimension, share))


def minimum_angle_quantile(size: int, dimension: int, share: float = 0.5) -> float:
    """The `share`-quantile of the smallest angle of a random code, in degrees; the median by default."""
    require_between("a share", share, 0.0, 1.0)
    return math.degrees(_angle(size, dimension, 1.0 - share))


def coherence_mean(size: int, dimension: int) -> float:
    """The mean coherence of a random code."""
    far, near = (_line_angle(size, dimension, share) for share in (_FAR, 1 - _FAR))
    return _mean(size, far, near, lambda angle: log_cap(angle, dimension))


def maximal_cosine_mean(size: int, dimension: int) -> float:
    """The mean of the largest signed cosine of a random code."""
    if dimension == 1:
        require_code(size, dimension)
        return 0.0 if size == 2 else 1.0
    far, near = (_angle(size, dimension, share) for share in (_FAR, 1 - _FAR))
    return _mean(size, far, near, lambda angle: _log_signed_cap(angle, dimension))


def _line_angle(size: int, dimension: int, share: float) -> float:
    """The angle that |cos| of the closest pair of lines has at this quantile, in radians."""
    exceedance = _log_exceedance(size, dimension, share)
    return 0.0 if dimension == 1 else inverse_log_cap(exceedance, dimension)


def _angle(size: int, dimension: int, share: float) -> float:
    """The angle that the closest pair of points has at this quantile of the cosine, in radians."""
    logarithm = _log_exceedance(size, dimension, share)
    near = logarithm <= math.log(0.5) or (dimension == 1 and size > 2)  # of three on a line two agree
    if dimension == 1:
        return 0.0 if near else math.pi
    if near:
        return inverse_log_cap(math.log(2.0) + min(logarithm, math.log(0.5)), dimension)
    return math.pi - inverse_log_cap(math.log(2.0) + math.log1p(-math.exp(logarithm)), dimension)


def _log_exceedance(size: int, dimension: int, share: float) -> float:
    """ln q for the probability q that one cosine exceeds the share-quantile: (1 − q)^N = share."""
    require_code(size, dimension)
    require_between("a share", share, 0.0, 1.0)
    return math.log(-math.expm1(math.log(share) / _pairs(size)))


def _log_signed_cap(angle: float, dimension: int) -> float:
    """ln P(cos > cos θ) for θ in [0, π]."""
    if angle <= math.pi / 2:
        return log_cap(angle, dimension) - math.log(2.0)
    return math.log1p(-0.5 * math.exp(log_cap(math.pi - angle, dimension)))


def _mean(size: int, far: float, near: float, log_exceedance: Callable[[float], float]) -> float:
    """cos(far) + ∫ (1 − F)·sin θ dθ from near to far, with 1 − F = 1 − (1 − q(θ))^N."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    half = (far - near) / 2
    total = 0.0
    for node, weight in zip(nodes.tolist(), weights.tolist(), strict=True):
        angle = near + half * (node + 1)
        exceedance = min(math.exp(log_exceedance(angle)), 1 - 1e-16)
        total -= weight * math.expm1(_pairs(size) * math.log1p(-exceedance)) * math.sin(angle)
    return math.cos(far) + half * total


def _pairs(size: int) -> float:
    return size * (size - 1) / 2
