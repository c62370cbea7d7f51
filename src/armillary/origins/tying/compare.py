"""Whose side does a tied table take? It against the untied input and the untied output, after the best rotation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NEIGHBORS = 10


@dataclass(frozen=True)
class Likeness:
    """Of two tables with the same rows: mean cosine after Procrustes, linear CKA of the centred rows, and the mean overlap of the ten nearest."""

    procrustes: float
    cka: float
    overlap: float


def likeness(a: np.ndarray, b: np.ndarray) -> Likeness:
    """Compare rows of a with rows of b: unit rows for Procrustes and neighbours, raw centred rows for CKA (Kornblith 2019)."""
    from scipy.linalg import orthogonal_procrustes

    a, b = a.astype(np.float64), b.astype(np.float64)
    u, v = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (a, b))
    rotation, _ = orthogonal_procrustes(u, v)
    return Likeness(float(np.mean(np.sum((u @ rotation) * v, axis=1))), _cka(a, b), _overlap(u, v))


def _cka(a: np.ndarray, b: np.ndarray) -> float:
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    return float(np.sum((a.T @ b) ** 2) / (np.linalg.norm(a.T @ a) * np.linalg.norm(b.T @ b)))


def _overlap(u: np.ndarray, v: np.ndarray) -> float:
    near = [_nearest(x) for x in (u, v)]
    shared = [len(np.intersect1d(p, q)) for p, q in zip(*near, strict=True)]
    return float(np.mean(shared)) / near[0].shape[1]


def _nearest(unit: np.ndarray) -> np.ndarray:
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -np.inf)
    return np.argsort(-cosines, axis=1, kind="stable")[:, : min(NEIGHBORS, len(unit) - 1)]
