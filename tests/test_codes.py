"""The codes the tests build on are what they say: counts, norms and cosines, by plain products."""

from __future__ import annotations

import numpy as np
import pytest

import codes


def cosines(rows: np.ndarray, of: slice = slice(None)) -> np.ndarray:
    x = rows.astype(np.float64)
    norms = np.sqrt((x * x).sum(1))
    return x[of] @ x.T / np.outer(norms[of], norms)


@pytest.mark.parametrize(
    ("rows", "count", "off_diagonal"),
    [
        (codes.one_hot(5), 5, [0]),
        (codes.cross_polytope(5), 10, [-1, 0]),
        (codes.simplex(5), 6, [-1 / 5]),
        (codes.e8(), 240, [-1, -0.5, 0, 0.5]),
        (codes.icosahedron(), 6, [-(5**-0.5), 5**-0.5]),
        (codes.steiner(), 16, [-1 / 3, 1 / 3]),
        (codes.threes(), 28, [-1 / 3, 1 / 3]),
    ],
    ids=["one-hot", "cross-polytope", "simplex", "E8", "icosahedron", "Steiner", "threes"],
)
def test_cosines(rows, count, off_diagonal):
    assert len(np.unique(rows, axis=0)) == len(rows) == count
    found = np.unique(cosines(rows)[~np.eye(count, dtype=bool)].round(6))
    assert found == pytest.approx(off_diagonal, abs=1e-6)


def test_leech():
    rows = codes.leech()
    assert rows.shape == (196_560, 24)
    assert len(set(map(bytes, rows.astype(np.int8)))) == 196_560
    assert np.unique((rows * rows).sum(1)).tolist() == [32]
    values, counts = np.unique(cosines(rows, slice(0, 200_000, 50_000)).round(12), return_counts=True)
    assert values.tolist() == [-1, -0.5, -0.25, 0, 0.25, 0.5, 1]
    assert (counts / 4).tolist() == [1, 4600, 47104, 93150, 47104, 4600, 1]
