"""Two random directions: the law of one cosine between independent uniform unit vectors in d dimensions.

The density of the angle is ∝ sin^{d−2} θ; (1 + cos)/2 is Beta((d−1)/2, (d−1)/2). Tails are kept as logarithms, since
at d = 4096 a cosine of ½ has probability 10^−257 and at d = 8192 none that a float can hold.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from armillary.bounds.arguments import require_dimension, require_order
from armillary.errors import UsageError

_DEEP = 1e-250  # below it the incomplete beta function loses digits, and the series has all of them
_TERMS = 12


def mean_cosine(dimension: int) -> float:
    """Mean cosine of two random directions: 0."""
    require_dimension(dimension)
    return 0.0


def mean_square_cosine(dimension: int) -> float:
    """Mean squared cosine of two random directions: 1/d, exactly."""
    return design_moment(dimension, 1)


def cosine_sd(dimension: int) -> float:
    """Standard deviation of the cosine of two random directions: 1/√d, exactly."""
    require_dimension(dimension)
    return 1.0 / math.sqrt(dimension)


def mean_absolute_cosine(dimension: int) -> float:
    """Mean |cosine| of two random directions: Γ(d/2)/(√π·Γ((d+1)/2)), about √(2/(πd))."""
    require_dimension(dimension)
    return float(special.beta(dimension / 2, 0.5)) / math.pi


def design_moment(dimension: int, order: int) -> float:
    """Mean of cos^{2k} of two random directions: Π_{i<k}(2i+1)/(d+2i).

    The mean over all ordered pairs of a spherical design of strength ≥ 2k, each row with itself included, is equal
    to it; of any other set it is larger. Source: Delsarte, Goethals & Seidel 1977.
    """
    require_dimension(dimension)
    require_order(order)
    return math.prod((2 * i + 1) / (dimension + 2 * i) for i in range(order))


def interference(active: int, dimension: int) -> float:
    """Variance of the sum of k random unit vectors as read on another random direction: k/d."""
    require_dimension(dimension)
    return active / dimension


def uniformity(dimension: int) -> float:
    """ln E exp(−2‖u−v‖²) of two random directions: −4 + ln ₀F₁(; d/2; 4). Source: Wang & Isola 2020."""
    require_dimension(dimension)
    return float(-4.0 + np.log(special.hyp0f1(dimension / 2, 4.0)))


def tail(cosine: float, dimension: int) -> float:
    """P(|cos| > m) = I_{1−m²}((d−1)/2, ½) for m in [0, 1]."""
    return math.exp(log_tail(cosine, dimension))


def log_tail(cosine: float, dimension: int) -> float:
    """ln P(|cos| > m) of two random directions, for m in [0, 1]; −∞ at m = 1 and d ≥ 2."""
    m = min(max(cosine, 0.0), 1.0)
    return _log_tail((1.0 - m) * (1.0 + m), m, dimension)


def log_cap(angle: float, dimension: int) -> float:
    """ln P(|cos| > cos θ), θ in [0, π/2] in radians: `log_tail` where cosines near 1 would lose the angle's digits."""
    return _log_tail(math.sin(angle) ** 2, math.cos(angle), dimension)


def inverse_log_cap(logarithm: float, dimension: int) -> float:
    """The angle θ in [0, π/2], in radians, with `log_cap` = `logarithm` ≤ 0, by bisection to the last bit."""
    if logarithm > 0.0:
        raise UsageError(f"expected the logarithm of a probability, at most 0, found {logarithm:g}")
    low, high = 0.0, math.pi / 2
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if log_cap(middle, dimension) < logarithm else (low, middle)
    return low


def bin_shares(edges: ArrayLike, dimension: int) -> NDArray[np.float64]:
    """P(a ≤ cos < b) of two random directions for the bins between ascending `edges` in [−1, 1]."""
    require_dimension(dimension)
    points = np.asarray(edges, np.float64)
    if dimension == 1:  # the cosine is −1 or 1
        return np.diff(np.where(points >= 1.0, 1.0, np.where(points > -1.0, 0.5, 0.0)))
    half = (dimension - 1) / 2.0
    return np.diff(special.betainc(half, half, (1.0 + points) / 2.0))


def _log_tail(x: float, m: float, dimension: int) -> float:
    """ln I_x(a, ½), a = (d−1)/2, at x = 1−m².

    Where it is too small for the incomplete beta function: I_x(a, ½) = x^a/(a·B(a, ½)·m) · ₂F₁(½, 1; a+1; −x/m²),
    an alternating series whose terms shrink as j/(a·m²) there, so that twelve leave an error below 10⁻²⁰.
    """
    require_dimension(dimension)
    if dimension == 1:  # both directions are ±1
        return 0.0
    a = (dimension - 1) / 2
    probability = float(special.betainc(a, 0.5, x))
    if probability > 0.5:
        return math.log1p(-float(special.betainc(0.5, a, m * m)))
    if probability > _DEEP or x == 0.0:
        return math.log(probability) if probability else -math.inf
    term = total = 1.0
    for j in range(_TERMS):
        term *= -(j + 0.5) / (a + 1 + j) * x / (m * m)
        total += term
    return a * math.log(x) - math.log(a * m) - float(special.betaln(a, 0.5)) + math.log(total)
