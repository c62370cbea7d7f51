"""Levenshtein's bound: the most unit vectors with a given maximal cosine, and the least maximal cosine for V vectors.

The bound is one curve of many pieces. Piece 2k−1 runs between the largest zeros t^{1,1}_{k−1} and t^{1,0}_k of Jacobi
polynomials, piece 2k from there to t^{1,1}_k. At a joint the curve takes a whole number, the least size of a spherical
design (Delsarte, Goethals & Seidel 1977), so the piece that holds V is found by counting, without a zero:

    at t^{1,1}_k   2·C(d+k−1, k)              at t^{1,0}_k   C(d+k−1, k) + C(d+k−2, k−1)

Inside a piece the curve rises, and is read by the three-term recurrence of Gegenbauer polynomials: there P_k is in the
last trough before its largest zero, so no denominator vanishes and the recurrence is stable.

Source: Levenshtein 1979, 1998 (Universal bounds for codes and designs).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from armillary.bounds.arguments import require_between, require_code, require_dimension


def levenshtein(size: int, dimension: int) -> float:
    """The least maximal (signed) cosine of V unit vectors, in [−1, 1]: L(d, s) = V solved for s.

    At V = 2, d+1 and 2d it meets the antipodal pair, the simplex and the cross-polytope; exact on every sharp code.
    """
    require_code(size, dimension)
    return _least_cosine(size, dimension)


def levenshtein_lines(size: int, dimension: int) -> float:
    """The least coherence of V unit vectors by Levenshtein's bound, in [0, 1].

    V lines are 2V points, each with its opposite. 0 for V ≤ d.
    """
    require_code(size, dimension)
    return max(0.0, _least_cosine(2 * size, dimension)) if size > dimension else 0.0


def levenshtein_size(dimension: int, cosine: float) -> float:
    """L(d, s): no code in d dimensions with maximal cosine s in (−1, 1) has more than this many vectors; d ≥ 2."""
    require_dimension(dimension)
    require_between("a maximal cosine", cosine, -1.0, 1.0)
    if dimension == 1:
        return 2.0
    piece = 1
    while _ends(piece, dimension)[1] < cosine:
        piece += 1
    return _value(piece, dimension, cosine)


def _least_cosine(size: int, dimension: int) -> float:
    if dimension == 1:
        return -1.0 if size == 2 else 1.0
    if dimension == 2:  # polygons are sharp
        return math.cos(2.0 * math.pi / size)
    piece = _piece_of_size(size, dimension)
    low, high = _ends(piece, dimension)
    return _bisect(lambda s: _value(piece, dimension, s) < size, low, high)


def _piece_of_size(size: int, dimension: int) -> int:
    """The first piece whose upper joint reaches V."""
    k = 1
    while True:
        near, last = math.comb(dimension + k - 1, k), math.comb(dimension + k - 2, k - 1)
        if size <= near + last:
            return 2 * k - 1
        if size <= 2 * near:
            return 2 * k
        k += 1


def _ends(piece: int, dimension: int) -> tuple[float, float]:
    """Where a piece starts and stops on the axis of cosines."""
    k = (piece + 1) // 2
    middle = _largest_zero(k, 1, 0, dimension)
    if piece % 2:
        return _largest_zero(k - 1, 1, 1, dimension), middle
    return middle, _largest_zero(k, 1, 1, dimension)


def _largest_zero(degree: int, a: int, b: int, dimension: int) -> float:
    """t^{a,b}: the largest zero of the Jacobi polynomial P^{(a+(d−3)/2, b+(d−3)/2)}; −1 for degree 0.

    The largest eigenvalue of its tridiagonal Jacobi matrix (Golub & Welsch 1969).
    """
    if degree == 0:
        return -1.0
    from scipy.linalg import eigvalsh_tridiagonal

    alpha, beta = a + (dimension - 3) / 2, b + (dimension - 3) / 2
    total = 2 * np.arange(degree) + alpha + beta
    diagonal = (beta - alpha) * (beta + alpha) / (total * (total + 2)) if a != b else np.zeros(degree)
    j, c = np.arange(1, degree), total[1:]
    off = np.sqrt(4 * j * (j + alpha) * (j + beta) * (j + alpha + beta) / (c * c * (c + 1) * (c - 1)))
    return float(eigvalsh_tridiagonal(diagonal, off, select="i", select_range=(degree - 1, degree - 1))[0])


def _value(piece: int, n: int, s: float) -> float:
    """L_{piece}(n, s)."""
    k = (piece + 1) // 2
    before, here, after = _gegenbauer(k, n, s)
    if piece % 2:
        return math.comb(k + n - 3, k - 1) * ((2 * k + n - 3) / (n - 1) - (before - here) / ((1 - s) * here))
    fall = (1 + s) * (here - after) / ((1 - s) * (here + after))
    return math.comb(k + n - 2, k) * ((2 * k + n - 1) / (n - 1) - fall)


def _gegenbauer(k: int, n: int, s: float) -> tuple[float, float, float]:
    """P_{k−1}(s), P_k(s), P_{k+1}(s) of R^n, with P(1) = 1: (j+n−2)·P_{j+1} = (2j+n−2)·s·P_j − j·P_{j−1}."""
    before, here, after = 0.0, 1.0, s
    for j in range(1, k + 1):
        before, here, after = here, after, ((2 * j + n - 2) * s * after - j * here) / (j + n - 2)
    return before, here, after


def _bisect(below: Callable[[float], bool], low: float, high: float) -> float:
    """The point between low and high where `below` turns false, to the last bit."""
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if below(middle) else (low, middle)
    return high
