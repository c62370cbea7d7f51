"""Linear programmes that squeeze the closest pairs apart, for codes whose active set the softmax weights do not show.

Each step moves every point within its tangent plane by the solution of "least t with s_ij(x_i + δ_i)·(x_j + δ_j) ≤ t
to first order, |δ| ≤ radius", over all pairs that could come to touch. It is slower than Newton's method and needs
no guess: the programme itself tells which pairs touch, and with which multipliers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from armillary.origins.packing.energy import unit
from armillary.shapes import Float64

Active = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # i, j, sign, multiplier, each (m,)

STEPS = 40
REACH = 4.0  # a pair within this many radii of the largest cosine can come to touch in one step


def tighten(
    rows: Float64[np.ndarray, "n d"], lines: bool = False, radius: float = 1e-3
) -> tuple[Float64[np.ndarray, "n d"], Active]:
    """Unit rows with no larger a largest cosine, and (i, j, sign, multiplier) of the pairs that touch."""
    first, second = np.triu_indices(len(rows), 1)
    active: Active = (first[:0], first[:0], np.zeros(0), np.zeros(0))
    largest = np.max(_signed(rows, first, second, lines)[0])
    for _ in range(STEPS):
        found = _step(rows, first, second, lines, radius)
        if found is None:
            break
        moved, active_now = found
        now = np.max(_signed(moved, first, second, lines)[0])
        if now < largest:
            improved, rows, largest, active = largest - now, moved, now, active_now
            if improved < 1e-14:
                break
        else:
            radius /= 4.0
            active = active_now
            if radius < 1e-12:
                break
    return rows, active


def _signed(rows: np.ndarray, first: np.ndarray, second: np.ndarray, lines: bool) -> tuple[np.ndarray, np.ndarray]:
    cosines = np.einsum("md,md->m", rows[first], rows[second])
    signs = np.where(lines & (cosines < 0), -1.0, 1.0)
    return cosines * signs, signs


def _step(
    rows: np.ndarray, first: np.ndarray, second: np.ndarray, lines: bool, radius: float
) -> tuple[np.ndarray, Active] | None:
    """One programme: the moved rows and its active pairs; None where the solver fails."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array, hstack

    cosines, signs = _signed(rows, first, second, lines)
    near = cosines > cosines.max() - REACH * radius
    i, j, s, c = first[near], second[near], signs[near], cosines[near]
    planes = tangent_bases(rows)  # (n, d−1, d)
    width = planes.shape[1]
    ahead = s[:, None] * np.einsum("mkd,md->mk", planes[i], rows[j])  # change of the cosine with δ_i
    behind = s[:, None] * np.einsum("mkd,md->mk", planes[j], rows[i])
    pair = np.arange(len(i)).repeat(width)
    columns = [(k[:, None] * width + np.arange(width)).ravel() for k in (i, j)]
    change = coo_array(
        (np.concatenate([ahead.ravel(), behind.ravel()]), (np.concatenate([pair, pair]), np.concatenate(columns))),
        shape=(len(i), len(rows) * width),
    )
    matrix: Any = hstack([change, coo_array(-np.ones((len(i), 1)))])
    size = len(rows) * width
    # in units of the radius and relative to the largest cosine, so that the solver's tolerances mean the same at the end
    found = linprog(
        np.append(np.zeros(size), 1.0),
        A_ub=matrix.tocsr(),
        b_ub=(c.max() - c) / radius,
        bounds=[(-1.0, 1.0)] * size + [(None, None)],
        method="highs",
    )
    if found.x is None:
        return None
    steps = radius * found.x[:-1].reshape(len(rows), width)
    moved = unit(rows + np.einsum("nk,nkd->nd", steps, planes))
    multipliers = -found.ineqlin.marginals
    touching = multipliers > 1e-9
    return moved, (i[touching], j[touching], s[touching], multipliers[touching] / multipliers[touching].sum())


def tangent_bases(rows: Float64[np.ndarray, "n d"]) -> Float64[np.ndarray, "n d-1 d"]:
    """An orthonormal basis of the tangent plane at each unit row: the Householder reflection of the last axis."""
    dimension = rows.shape[1]
    axis = np.zeros(dimension)
    axis[-1] = 1.0
    mirror = rows + np.where(rows[:, -1:] >= 0, 1.0, -1.0) * axis
    mirror /= np.linalg.norm(mirror, axis=1, keepdims=True)
    reflections = np.eye(dimension) - 2.0 * np.einsum("ni,nj->nij", mirror, mirror)
    return reflections[:, :-1]
