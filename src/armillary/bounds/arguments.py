"""What can be asked: the ranges of size, dimension and the other arguments, checked in one place."""

from __future__ import annotations

from armillary.errors import UsageError, check_range

LARGEST_SIZE = 10**9  # beyond any vocabulary; Levenshtein's order grows as V^(1/(d-1)) and is walked step by step
LARGEST_DIMENSION = 10**6


def require_dimension(dimension: int) -> None:
    """UsageError unless 1 ≤ dimension ≤ 10⁶."""
    check_range("a dimension d", dimension, 1, LARGEST_DIMENSION)


def require_code(size: int, dimension: int) -> None:
    """UsageError unless 2 ≤ size ≤ 10⁹ and 1 ≤ dimension ≤ 10⁶."""
    check_range("a number of vectors V", size, 2, LARGEST_SIZE)
    require_dimension(dimension)


def require_order(order: int) -> None:
    """UsageError unless order ≥ 1."""
    if order < 1:
        raise UsageError(f"expected an order of at least 1, found {order}")


def require_between(name: str, value: float, low: float, high: float) -> None:
    """UsageError unless low < value < high."""
    if not low < value < high:
        raise UsageError(f"expected {name} between {low:g} and {high:g}, both left out, found {value:g}")
