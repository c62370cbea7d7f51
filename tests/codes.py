"""Spherical codes whose geometry is known exactly, as float32 rows with whole-number (or simple) coordinates."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import numpy as np


def one_hot(d: int) -> np.ndarray:
    """d orthogonal rows."""
    return np.eye(d, dtype=np.float32)


def cross_polytope(d: int) -> np.ndarray:
    """2d rows ±e_i: cosines −1 and 0."""
    return np.concatenate([np.eye(d), -np.eye(d)]).astype(np.float32)


def simplex(d: int) -> np.ndarray:
    """d+1 rows in d+1 coordinates that span d dimensions: every cosine is −1/d. (d+1)·e_i − 1."""
    return ((d + 1) * np.eye(d + 1) - 1).astype(np.float32)


def e8() -> np.ndarray:
    """The 240 minimal vectors of E8, doubled to whole numbers: a 7-design with cosines ±1, ±1/2, 0."""
    pairs = [_placed(8, at, signs, 2) for at in combinations(range(8), 2) for signs in product((1, -1), repeat=2)]
    halves = [s for s in product((1, -1), repeat=8) if np.prod(s) == 1]
    return np.array(pairs + halves, np.float32)


@cache
def leech() -> np.ndarray:
    """The 196,560 minimal vectors of the Leech lattice, times √8: an 11-design, 4,600 neighbours each at cosine 1/2.

    Conway's coordinates from the Golay code: (±2⁸ 0¹⁶) on octads with an even number of minuses, (∓3 ±1²³) with the
    upper signs on a codeword, (±4² 0²²).
    """
    words = golay()
    octads = words[words.sum(1) == 8]
    even = np.array([s for s in product((1, -1), repeat=8) if np.prod(s) == 1], np.int8)
    twos = np.zeros((len(octads), len(even), 24), np.int8)
    for n, octad in enumerate(octads):
        twos[n][:, octad == 1] = 2 * even
    signs = 1 - 2 * words.astype(np.int8)  # (4096, 24)
    threes = np.repeat(signs[:, None, :], 24, axis=1)
    threes[:, np.arange(24), np.arange(24)] *= -3
    fours = [_placed(24, at, s, 4) for at in combinations(range(24), 2) for s in product((1, -1), repeat=2)]
    return np.concatenate([twos.reshape(-1, 24), threes.reshape(-1, 24), np.array(fours)]).astype(np.float32)


def golay() -> np.ndarray:
    """The 4,096 words of the extended binary Golay code, from the quadratic residues modulo 23."""
    residues = {q * q % 23 for q in range(1, 23)}
    row = np.array([q in residues for q in range(23)], np.int64)
    shifts = np.array([np.roll(row, q) for q in range(23)])
    basis: list[np.ndarray] = []
    for candidate in shifts:
        word = np.append(candidate, candidate.sum() % 2)
        for b in basis:
            if word[np.argmax(b)]:
                word = (word + b) % 2
        if word.any():
            basis.append(word)
    coefficients = np.array(list(product((0, 1), repeat=len(basis))), np.int64)
    return coefficients @ np.array(basis) % 2


def icosahedron() -> np.ndarray:
    """Six lines in three dimensions (an equiangular tight frame); |cosine| 1/√5 up to the rounding of the ratio."""
    golden = (1 + 5**0.5) / 2
    return np.array([np.roll([0, 1, s * golden], q) for q in range(3) for s in (1, -1)], np.float32)


def steiner() -> np.ndarray:
    """Sixteen lines in six dimensions (an equiangular tight frame), |cosine| 1/3.

    Rows are the six blocks of two among four points; each point contributes a Hadamard matrix of order 4.
    """
    hadamard = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])
    blocks = list(combinations(range(4), 2))
    rows = []
    for point in range(4):
        mine = [b for b, block in enumerate(blocks) if point in block]
        for column in range(4):
            row = np.zeros(6)
            row[mine] = hadamard[1:, column]
            rows.append(row)
    return np.array(rows, np.float32)


def threes() -> np.ndarray:
    """The 28 permutations of (3, 3, −1⁶): lines that span seven dimensions, an equiangular tight frame, |cosine| 1/3."""
    return np.array([[3 if q in at else -1 for q in range(8)] for at in combinations(range(8), 2)], np.float32)


def polygon(n: int) -> np.ndarray:
    """n directions evenly around the circle."""
    angle = 2 * np.pi * np.arange(n) / n
    return np.stack([np.cos(angle), np.sin(angle)], 1).astype(np.float32)


def random_rows(n: int, d: int, seed: int = 0) -> np.ndarray:
    """n independent standard normal rows."""
    return np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)


def lopsided(n: int, d: int, seed: int = 0) -> np.ndarray:
    """n normal rows with a mean and a falling spectrum, as a real table has."""
    random = np.random.default_rng(seed)
    scale = 1.0 / np.sqrt(1.0 + np.arange(d))
    return (random.standard_normal((n, d)) * scale + 0.3 * scale[::-1]).astype(np.float32)


def _placed(d: int, at: tuple[int, ...], signs: tuple[int, ...], value: int) -> np.ndarray:
    row = np.zeros(d)
    row[list(at)] = value * np.array(signs)
    return row
