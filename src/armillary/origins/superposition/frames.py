"""Frames built by hand: the arrangements that trained features fall into, exactly.

Each is an m×n matrix of unit columns. The share of a dimension per feature is n columns in m dimensions of a tight
frame, D = m/n.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armillary.shapes import Float64


def polygon(corners: int) -> Float64[np.ndarray, "2 n"]:
    """A regular polygon in the plane: D = 2/n for n ≥ 3."""
    angles = 2.0 * np.pi * np.arange(corners) / corners
    return np.stack([np.cos(angles), np.sin(angles)])


def antipodal_pair() -> Float64[np.ndarray, "1 2"]:
    """Two features on one line: D = 1/2."""
    return np.array([[1.0, -1.0]])


def tetrahedron() -> Float64[np.ndarray, "3 4"]:
    """Four features in space: D = 3/4."""
    return np.array([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]]) / np.sqrt(3.0)


def square_antiprism() -> Float64[np.ndarray, "3 8"]:
    """Eight features in space, two squares turned by 45° at heights ±1/√3 (there the frame is tight): D = 3/8."""
    angles = np.pi / 4.0 * np.array([0, 2, 4, 6, 1, 3, 5, 7])
    height = np.repeat([1.0, -1.0], 4) / np.sqrt(3.0)
    radius = np.sqrt(2.0 / 3.0)
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), height])


FRAMES: dict[str, Callable[[], np.ndarray]] = {
    "antipodal pair": antipodal_pair,
    "triangle": lambda: polygon(3),
    "square": lambda: polygon(4),
    "pentagon": lambda: polygon(5),
    "hexagon": lambda: polygon(6),
    "heptagon": lambda: polygon(7),
    "tetrahedron": tetrahedron,
    "square antiprism at height 1/sqrt(3)": square_antiprism,
}
