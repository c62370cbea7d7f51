"""The least coherence and the least maximal cosine that V unit vectors can have: bounds of one line each.

Each is a ratio of whole numbers, divided once, so that every digit of the root is right at any size.
"""

from __future__ import annotations

import math

import numpy as np

from armillary.bounds.arguments import require_code, require_order

SIDELNIKOV_ORDERS = 1_000  # orders tried for the best; for d ≥ 3 and V ≤ 10⁷ the best lies far below for d ≥ 4


def welch(size: int, dimension: int, order: int = 1) -> float:
    """Welch's lower bound on the coherence, in [0, 1]; 0 where it says nothing.

    μ^{2k} ≥ (V/C(d+k−1, k) − 1)/(V − 1). Source: Welch 1974; Datta, Howard & Cochran 2012.
    """
    require_code(size, dimension)
    require_order(order)
    count = math.comb(dimension + order - 1, order)
    return _root(size - count, count * (size - 1), order)


def sidelnikov(size: int, dimension: int, order: int = 1) -> float:
    """Sidelnikov's lower bound on the coherence of real vectors, in [0, 1]; 0 where it says nothing.

    μ^{2k} ≥ (V·Π_{i<k}(2i+1)/(d+2i) − 1)/(V − 1); equal to Welch's for k = 1, stronger for k ≥ 2.
    Source: Sidelnikov 1974.
    """
    require_code(size, dimension)
    require_order(order)
    above = math.prod(range(1, 2 * order, 2))
    below = math.prod(range(dimension, dimension + 2 * order, 2))
    return _root(size * above - below, below * (size - 1), order)


def best_sidelnikov(size: int, dimension: int, orders: int = SIDELNIKOV_ORDERS) -> tuple[float, int]:
    """(bound, order): the largest of Sidelnikov's bounds over the orders 1 … `orders`; (0.0, 1) where V ≤ d.

    In the plane the best order grows as V²; the bound returned is then true, but not the best.
    """
    require_code(size, dimension)
    require_order(orders)
    i = np.arange(orders)
    share = size * np.exp(np.cumsum(np.log((2 * i + 1) / (dimension + 2 * i)))) - 1.0  # numerator by order
    with np.errstate(divide="ignore"):
        logarithm = np.log(np.maximum(share, 0.0) / (size - 1)) / (2 * (i + 1))
    order = int(np.argmax(logarithm)) + 1
    return sidelnikov(size, dimension, order), order


def rankin(size: int, dimension: int) -> float:
    """Rankin's lower bound on the maximal cosine: −1/(V−1) for V ≤ d+1, else 0. Source: Rankin 1955."""
    require_code(size, dimension)
    return -1.0 / (size - 1) if size <= dimension + 1 else 0.0


def orthoplex(size: int, dimension: int) -> float:
    """The orthoplex lower bound on the coherence: 1/√d for V > d(d+1)/2, else 0 (says nothing).

    Source: Conway, Hardin & Sloane 1996.
    """
    require_code(size, dimension)
    return 1.0 / math.sqrt(dimension) if size > dimension * (dimension + 1) // 2 else 0.0


def _root(above: int, below: int, order: int) -> float:
    return (above / below) ** (0.5 / order) if above > 0 else 0.0
