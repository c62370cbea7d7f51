"""Rows as small whole numbers with a proved error: the certificate of the integer rungs.

Let u be a row over its norm and y = u·Q the row quantised, Q a fixed orthogonal matrix as float64 holds it. Then
y_i ≈ a·p with p whole numbers for row i of a tile, y_j ≈ b·q for column j, and the sum S = p·q of whole numbers is exact.

**Theorem.** |a·b·S − c| ≤ α_i + β_j for the cosine c as defined, with

    α = ε_i·(N + E) + κ/2,   β = ε_j·N + κ/2,   ‖y_i − a·p‖ ≤ ε_i,   ‖y_j − b·q‖ ≤ ε_j ≤ E,   ‖y‖ ≤ N.

Proof. Write a·p = y_i + e, b·q = y_j + f. Then a·b·S − y_i·y_j = e·y_j + y_i·f + e·f, of size at most
ε_i·N + N·ε_j + ε_i·E (Cauchy–Schwarz). The rest is κ, the sum of these:

1. Let ω ≥ ‖QᵀQ − I‖₂ and y = uQ + g with ‖g‖ ≤ ρ. Then |uQ·vQ − u·v| ≤ ω, ‖uQ‖ ≤ √(1 + ω) ≤ 1 + ω, so N = 1 + ω + ρ
   and |y_i·y_j − u_i·u_j| ≤ ω + 2ρ·N + ρ².
2. ρ: the row normalised in float64 lies within δ = `unit_bound(d, 2⁻⁵³)` of u, which Q stretches by at most 1 + ω;
   coordinate c of the product errs by at most γ_d·Σ|û_q·Q_qc| ≤ γ_d·(1 + δ)·‖Q e_c‖, and √d of them (underflow included)
   by ρ = δ·(1 + ω) + √d·(γ_d·(1 + δ)·(1 + ω) + 2d·2⁻¹⁰²²).
3. ω: the Gram matrix of Q is computed in float64, where an entry errs by at most γ_d·‖Q e_a‖·‖Q e_b‖; with column norms
   at most 2 (checked by its diagonal), ω = ‖fl(QᵀQ) − I‖_F·(1 + γ_{d²+2}) + d·4γ_d.
4. c lies within `cosine_bound` of u_i·u_j.
5. κ₃, the float32 arithmetic of the test (`microkernel`): the conversion of S, a product and a fused product and sum
   make v, and it meets floor, keep and slack in at most three more operations. All those numbers are at most
   M = 4(N + E)² + 4 in size, so that six roundings lose at most κ₃ = 6·2⁻²⁴·M, and 2⁻¹²⁰ where they underflow.

ε is computed in float64 from y and a·p, whose product is exact (24 bits by 8): a difference, a square, d sums and a root
err by a factor of at most 1 + γ_{d+4}; `_EPSILON` covers that for d up to 2¹⁶, and the rounding to float32.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit, types

from armillary.scan.bound import FLOAT32_ROUNDOFF, FLOAT64_ROUNDOFF, cosine_bound, gamma, unit_bound
from armillary.scan.crew import Crew
from armillary.scan.kernels import aligned
from armillary.scan.rows import Distinct
from armillary.shapes import Float32, Float64, Int8, Int32, UInt8

_EPSILON = 1.0 + 2.0**-22
LONGEST = 1 << 16
"""The most coordinates: 255·127·2¹⁶ < 2³¹, so that no sum of the integer rungs can overflow."""
_BLOCK = 1024
_f4, _f8, _i4, _i8 = types.float32, types.float64, types.int32, types.int64


@dataclass(frozen=True)
class Range:
    """The whole numbers of an integer rung: p in −top … top, stored as p + top + 1 (uint8); q in −127 … 127 (int8).

    `reach`: where an int16 holds the products of `group` steps, two of each, Σ|q| over those is held to `reach`, so
    that the rung can show (2·top + 1)·reach ≤ 32767; 0 where sums are int32 at once.
    """

    top: int
    group: int = 1
    reach: int = 0


@dataclass(frozen=True, eq=False)
class Quantised:
    """A table as whole numbers, twice: as rows and, in panels of columns, as what rows are multiplied with.

    Shapes: rows (m padded, 4·steps), panels (p, steps·columns·4), start (p·columns): −(top + 1)·Σq, where sums begin;
    row and column terms (2, m padded): scale and ε, as the theorem above has them.
    """

    rows: UInt8[np.ndarray, "m k"]
    panels: Int8[np.ndarray, "p s"]
    start: Int32[np.ndarray, "c"]
    row: Float32[np.ndarray, "2 m"]
    column: Float32[np.ndarray, "2 c"]


def rotation(n: int, d: int, seed: int = 0) -> Float64[np.ndarray, "d d"] | None:
    """A random orthogonal matrix, or None where rotating n rows would cost more than it saves.

    It spreads coordinates of outlying size over all, so that one scale a row fits them. No rotation is right as well:
    then Q = I.
    """
    if d < 2 or 16 * d > n:
        return None
    q, r = np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))
    return q * np.sign(np.diag(r))


def distortion(q: np.ndarray | None, d: int) -> tuple[float, float]:
    """(ω, ρ) of the proof."""
    delta = unit_bound(d, FLOAT64_ROUNDOFF)
    if q is None:
        return 0.0, delta
    own = gamma(d, FLOAT64_ROUNDOFF)
    gram = q.T @ q
    assert gram.diagonal().max() <= 3.9  # column norms are at most 2, whatever the rounding
    omega = float(np.linalg.norm(gram - np.eye(d))) * (1 + gamma(d * d + 2, FLOAT64_ROUNDOFF)) + d * 4 * own
    return omega, delta * (1 + omega) + d**0.5 * (own * (1 + delta) * (1 + omega) + 2 * d * 2.0**-1022)


def slacks(
    row: np.ndarray, column: np.ndarray, distortion: tuple[float, float], d: int
) -> tuple[np.ndarray, np.ndarray]:
    """(α, β) as float32, rounded up, from the ε of the rows and of the columns they meet, as in the proof."""
    omega, rho = distortion
    n, largest = 1 + omega + rho, float(max(row.max(), column.max()))
    size = 4 * (n + largest) ** 2 + 4
    kappa = omega + 2 * rho * n + rho * rho + cosine_bound(d) + 6 * FLOAT32_ROUNDOFF * size + 2.0**-120
    return _up(row.astype(np.float64) * (n + largest) + kappa / 2), _up(column.astype(np.float64) * n + kappa / 2)


def quantise(rows: Distinct, spec: Range, q: np.ndarray | None, columns: int, height: int, crew: Crew) -> Quantised:
    """The rows, rotated by q, in the numbers of a rung: in panels of `columns`, padded to tiles of `height` rows."""
    m, d = len(rows), rows.x.shape[1]
    steps, panels = -(-d // 4), -(-m // columns)
    out = Quantised(
        np.zeros((m + height, 4 * steps), np.uint8),
        aligned((panels, steps * columns * 4), np.int8),
        np.zeros(panels * columns, np.int32),
        np.zeros((2, m + height), np.float32),
        np.zeros((2, panels * columns), np.float32),
    )

    def work(a: int, _worker: int) -> None:
        unit = rows.unit(a, min(a + _BLOCK, m), np.float64)
        y = unit if q is None else unit @ q
        _quantise(y, a, spec.top, spec.group, spec.reach, columns, out.rows, out.panels, out.start, out.row, out.column)

    crew.each(work, range(0, m, _BLOCK))
    return out


def _up(values: np.ndarray) -> Float32[np.ndarray, "m"]:
    """To float32, upwards."""
    return np.nextafter(values.astype(np.float32), np.float32(np.inf))


@njit(types.UniTuple(_f8, 2)(types.Array(_f8, 1, "C"), _i8, _i8), nogil=True, cache=True)
def _extent(y, group, steps):
    """The largest |y_q|, and the largest Σ|y_q| over what one int16 sums: two of every four, `group` steps."""
    largest = reach = 0.0
    for s in range(0, steps, group):
        even = odd = 0.0
        for q in range(4 * s, min(4 * (s + group), y.shape[0]), 4):
            even += abs(y[q]) + abs(y[q + 1])
            odd += abs(y[q + 2]) + abs(y[q + 3])
            largest = max(largest, abs(y[q]), abs(y[q + 1]), abs(y[q + 2]), abs(y[q + 3]))
        reach = max(reach, even, odd)
    return largest, reach


@njit(_f8(types.Array(_f8, 1, "C"), _f4, types.Array(_f8, 1, "C")), nogil=True, cache=True)
def _round(y, scale, out):
    """y/scale to whole numbers in `out`; returns the ε of what that loses, rounded up."""
    total = 0.0
    for q in range(y.shape[0]):
        out[q] = np.rint(y[q] / scale)
        lost = y[q] - scale * out[q]
        total += lost * lost
    return np.sqrt(total) * _EPSILON + 2.0**-120


@njit(
    types.void(
        *(types.Array(_f8, 2, "C"), _i8, _i8, _i8, _i8, _i8),
        *(types.Array(types.uint8, 2, "C"), types.Array(types.int8, 2, "C"), types.Array(_i4, 1, "C")),
        *(types.Array(_f4, 2, "C"), types.Array(_f4, 2, "C")),
    ),
    nogil=True,
    cache=True,
)
def _quantise(block, first, top, group, reach, columns, rows, panels, start, row, column):
    """Rows `first` … of the table from their float64 coordinates; terms get (scale, ε).

    A scale is at least max|y|/top (for columns max|y|/127), so that no number leaves its range, and at least
    max Σ|y|/(reach − group) over what one int16 sums: rounding 2·group numbers adds at most `group` to Σ|y|/scale.
    """
    d, steps = block.shape[1], rows.shape[1] // 4
    y, whole = np.zeros(4 * steps), np.zeros(4 * steps)
    for r in range(block.shape[0]):
        i = first + r
        for q in range(d):  # a slice would compile the message for shapes that differ, a fifth of all compiling
            y[q] = block[r, q]
        largest, extent = _extent(y, group, steps)
        scale = np.float32(largest / top * _EPSILON)
        row[0, i], row[1, i] = scale, _round(y, scale, whole)
        for q in range(4 * steps):
            rows[i, q] = np.uint8(np.int64(whole[q]) + top + 1)
        wide = largest / 127
        if reach:
            wide = max(wide, extent / (reach - group))
        scale = np.float32(wide * _EPSILON)
        column[0, i], column[1, i] = scale, _round(y, scale, whole)
        panel, place, total = panels[i // columns], 4 * (i % columns), 0
        for q in range(4 * steps):
            value = np.int64(whole[q])
            total += value
            panel[q // 4 * 4 * columns + place + q % 4] = value
        start[i] = -(top + 1) * total
