"""Best known packings, as data: what a search is held against. Nobody has proved most of them best.

Minimum angles in degrees of N points on the 2- and 3-sphere: Sloane's and Cohn's tables of spherical codes (proved
best for N ≤ 14 and N = 24 on the 2-sphere; those for the 3-sphere from many starts, the 24-cell and the 600-cell
exact). Coherences of lines: equiangular tight frames (Fickus & Mixon 2015), which meet Welch's bound and so are best.
"""

from __future__ import annotations

import math

SPHERES: dict[int, dict[int, float]] = {
    3: {
        4: 109.4712206,
        5: 90.0,
        6: 90.0,
        7: 77.8695421,
        8: 74.8584922,
        9: 70.5287794,
        10: 66.146822,
        11: 63.4349488,
        12: 63.4349488,
        13: 57.1367031,
        14: 55.67057,
        16: 52.2443957,
        18: 49.5566548,
        20: 47.4310362,
        23: 43.7099642,
        24: 43.6907671,
        26: 41.0376616,
        27: 40.6776007,
        28: 39.3551436,
        30: 38.5971159,
    },
    4: {10: 80.4059318, 12: 75.5224878, 16: 67.1930021, 20: 64.2618766, 24: 60.0, 120: 36.0},
}
LINES: dict[tuple[int, int], float] = {(6, 3): 1 / math.sqrt(5), (16, 6): 1 / 3, (28, 7): 1 / 3}


def best_known_cosine(size: int, dimension: int, lines: bool = False) -> float | None:
    """The least largest cosine (|cos| for lines) known for this size; None where the tables do not list it."""
    if lines:
        return LINES.get((size, dimension))
    angle = SPHERES.get(dimension, {}).get(size)
    return None if angle is None else math.cos(math.radians(angle))
