"""From a code found by descent to full precision: Newton's method on the closest pairs.

At sharpness β the softmax weights of the pairs are, up to O(1/β), the multipliers λ of the constrained problem
"least t with s_ij x_i·x_j ≤ t and ‖x_i‖ = 1": pairs of weight nearly 0 are free, the others touch. So the active set
and its multipliers can be read off the end of the descent, and Newton's method on the first-order conditions

    Σ_j λ_ij s_ij x_j + μ_i x_i = 0,   s_ij x_i·x_j = t on the active set,   ‖x_i‖² = 1,   Σ λ = 1

doubles the digits in every step. Rotations and loose points leave the system singular, so each step is the shortest
one that solves it (least squares).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armillary.origins.packing.energy import LAST_SHARPNESS, unit
from armillary.origins.packing.tighten import Active, tighten
from armillary.shapes import Float64

LARGEST_SYSTEM = 3000  # unknowns; beyond it a dense least-squares solve takes minutes
SMALLEST_WEIGHT = 1e-5  # a share of the largest multiplier below which a pair is taken to be free
STEPS = 30
ROUNDING = 4e-16


@dataclass(frozen=True, eq=False)
class Polished:
    """A code and how well it meets the first-order conditions.

    `rows` (n, d) unit; `largest` its largest cosine (|cos| for lines); `residual` the largest violation of a
    condition over the active set, None where no polish was made; `active` how many pairs touch.
    """

    rows: Float64[np.ndarray, "n d"]
    largest: float
    residual: float | None
    active: int


def largest_cosine(rows: Float64[np.ndarray, "n d"], lines: bool = False) -> float:
    """max_{i<j} u_i·u_j of unit rows, |u_i·u_j| for lines."""
    cosines = rows @ rows.T
    np.fill_diagonal(cosines, 0.0 if lines else -1.0)
    return float(np.abs(cosines).max() if lines else cosines.max())


def polish(rows: Float64[np.ndarray, "n d"], lines: bool = False) -> Polished:
    """The unit rows with their closest pairs made equal to rounding; as they were where nothing improves them."""
    best = Polished(rows, largest_cosine(rows, lines), None, 0)
    if rows.size + len(rows) + 1 > LARGEST_SYSTEM:
        return best
    refined = _newton(rows, active_pairs(rows, lines), lines)
    if refined.residual is not None and refined.largest < best.largest:
        return refined
    squeezed, active = tighten(rows, lines)
    best = Polished(squeezed, largest_cosine(squeezed, lines), None, len(active[0]))
    refined = _newton(squeezed, active, lines)
    return refined if refined.residual is not None and refined.largest <= best.largest + ROUNDING else best


def _newton(rows: np.ndarray, active: Active, lines: bool) -> Polished:
    """Newton's method from these rows on these pairs; `residual` None where it does not converge."""
    first, second, signs, multipliers = active
    largest = largest_cosine(rows, lines)
    if not len(first) or rows.size + len(first) + len(rows) + 1 > LARGEST_SYSTEM:
        return Polished(rows, largest, None, len(first))
    system = _Conditions(first, second, signs, rows.shape)
    state = system.state(rows, largest, multipliers)
    residual = np.inf
    for _ in range(STEPS):
        values, jacobian = system.linearised(state)
        error = float(np.abs(values).max())
        if not np.isfinite(error) or error > 1.0 or (residual < 1e-12 and error >= residual / 2):
            break
        residual = error
        state = state - np.linalg.lstsq(jacobian, values, rcond=1e-11)[0]
    after = unit(state[: rows.size].reshape(rows.shape))
    converged = residual < 1e-10
    return Polished(after, largest_cosine(after, lines), residual if converged else None, len(first))


def active_pairs(rows: Float64[np.ndarray, "n d"], lines: bool = False) -> Active:
    """(i, j, sign, multiplier) of the pairs i < j that touch, read off the softmax weights."""
    first, second = np.triu_indices(len(rows), 1)
    cosines = np.einsum("md,md->m", rows[first], rows[second])
    signs = np.where(lines & (cosines < 0), -1.0, 1.0)
    cosines = cosines * signs
    weights = np.exp(LAST_SHARPNESS * (cosines - cosines.max()))
    kept = weights > SMALLEST_WEIGHT
    return first[kept], second[kept], signs[kept], weights[kept] / weights[kept].sum()


class _Conditions:
    """The first-order conditions as a square system in (x, t, λ, μ)."""

    def __init__(self, first: np.ndarray, second: np.ndarray, signs: np.ndarray, shape: tuple[int, ...]) -> None:
        self.first, self.second, self.signs = first, second, signs
        self.count, self.width = int(shape[0]), int(shape[1])

    def state(self, rows: np.ndarray, largest: float, multipliers: np.ndarray) -> np.ndarray:
        pulls = multipliers * self.signs * np.einsum("md,md->m", rows[self.first], rows[self.second])
        own = -np.bincount(self.first, pulls, self.count) - np.bincount(self.second, pulls, self.count)
        return np.concatenate([rows.ravel(), [largest], multipliers, own])

    def linearised(self, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values and Jacobian; the Jacobian is symmetric, being the second derivative of the Lagrangian."""
        n, d, m = self.count, self.width, len(self.first)
        rows, t = state[: n * d].reshape(n, d), state[n * d]
        multipliers, own = state[n * d + 1 : n * d + 1 + m], state[n * d + 1 + m :]
        pair = np.zeros((m, n, d))  # ∂(s x_i·x_j)/∂x
        pair[np.arange(m), self.first] = self.signs[:, None] * rows[self.second]
        pair[np.arange(m), self.second] = self.signs[:, None] * rows[self.first]
        length = np.zeros((n, n, d))  # ∂(‖x_i‖²/2)/∂x
        length[np.arange(n), np.arange(n)] = rows
        gradient = np.vstack([pair.reshape(m, -1), length.reshape(n, -1)])
        coupling = np.diag(own)
        coupling[self.first, self.second] = coupling[self.second, self.first] = multipliers * self.signs
        top = np.kron(coupling, np.eye(d))
        size = n * d + 1 + m + n
        jacobian = np.zeros((size, size))
        jacobian[: n * d, : n * d] = top
        jacobian[n * d + 1 :, : n * d] = gradient
        jacobian[: n * d, n * d + 1 :] = gradient.T
        jacobian[n * d + 1 : n * d + 1 + m, n * d] = jacobian[n * d, n * d + 1 : n * d + 1 + m] = -1.0
        touching = self.signs * np.einsum("md,md->m", rows[self.first], rows[self.second]) - t
        lengths = (np.einsum("nd,nd->n", rows, rows) - 1.0) / 2.0
        values = np.concatenate(
            [gradient.T @ np.concatenate([multipliers, own]), [1.0 - multipliers.sum()], touching, lengths]
        )
        return values, jacobian
