"""One pass over a code: the sums that most measures need, and the principal axes made from them.

Everything is summed in float64. Raw rows are shifted by the first row before they are squared, so that a cloud far
from the origin keeps the digits of its covariance, and a table of equal rows has none at all. With fewer rows than
dimensions the rows themselves are kept instead of a d×d matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np

from armillary.shapes import Float64
from armillary.sphere import Code

_Block = TypeVar("_Block")


@dataclass(frozen=True, eq=False)
class FirstPass:
    """Sums over the n rows x_i of a code and their directions u_i = x_i/‖x_i‖, in d dimensions.

    `norms` (n): ‖x_i‖. `mean` (d): of the raw rows. `unit_sum` (d): Σu. `unit_squares` (d): Σu², by coordinate. `potential`: ‖UᵀU‖²_F = Σ_ij (u_i·u_j)², all
    ordered pairs, each row with itself included. `spread`: the covariance of the raw rows (d, d), divided by n, or
    for n < d the centred rows (n, d).
    """

    norms: Float64[np.ndarray, "n"]
    mean: Float64[np.ndarray, "d"]
    unit_sum: Float64[np.ndarray, "d"]
    unit_squares: Float64[np.ndarray, "d"]
    potential: float
    spread: Float64[np.ndarray, "m d"] = field(repr=False)

    @property
    def rows(self) -> int:
        """n"""
        return len(self.norms)

    @property
    def dimension(self) -> int:
        """d"""
        return len(self.mean)

    @cached_property
    def principal(self) -> tuple[Float64[np.ndarray, "r"], Float64[np.ndarray, "r d"]]:
        """Eigenvalues of the covariance, descending, and their unit axes as rows; r = min(n, d), the rest are 0."""
        if self.rows < self.dimension:
            _, singular, axes = np.linalg.svd(self.spread, full_matrices=False)
            return singular**2 / self.rows, axes
        variances, axes = np.linalg.eigh(self.spread)
        return np.maximum(variances[::-1], 0.0), axes.T[::-1]

    @property
    def variances(self) -> Float64[np.ndarray, "r"]:
        """Eigenvalues of the covariance of the raw rows (centred, divided by n), descending, at least 0."""
        return self.principal[0]


def first_pass(code: Code, progress: Callable[[int, int], None] | None = None) -> FirstPass:
    """The sums of a code, in one pass over its rows; progress(rows done, rows)."""
    n, d = code.shape
    origin = code.block(0, 1)[0].astype(np.float64)
    norms, shifted, unit, squares = np.empty(n), np.zeros(d), np.zeros(d), np.zeros(d)
    covariance, gram = (np.zeros((d, d)), np.zeros((d, d))) if n >= d else (None, None)
    for start, lengths, directions, centred in _ahead(_directions(code, origin)):
        norms[start : start + len(lengths)] = lengths
        unit += directions.sum(0)
        squares += np.einsum("nd,nd->d", directions, directions)
        shifted += centred.sum(0)
        if covariance is not None and gram is not None:
            gram += directions.T @ directions
            covariance += centred.T @ centred
        if progress:
            progress(start + len(lengths), n)
    offset = shifted / n
    if covariance is None or gram is None:
        rows = code.block(0, n).astype(np.float64)
        gram, spread = rows / norms[:, None], rows - origin - offset
        gram = gram @ gram.T
    else:
        spread = covariance / n - np.outer(offset, offset)
    return FirstPass(norms, origin + offset, unit, squares, float(np.vdot(gram, gram)), spread)


def _directions(
    code: Code, origin: Float64[np.ndarray, "d"]
) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
    """(first position, norms, unit rows, rows − origin) of each block."""
    for start, block, squared in code.blocks():
        lengths = np.sqrt(squared)
        yield start, lengths, block / lengths[:, None], block - origin


def _ahead(blocks: Iterator[_Block]) -> Iterator[_Block]:
    """The same blocks; the next is decoded by a thread of its own while the last is summed."""
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(next, blocks, None)
        while (block := waiting.result()) is not None:
            waiting = pool.submit(next, blocks, None)
            yield block
