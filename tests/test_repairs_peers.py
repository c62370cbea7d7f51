"""Other people's IsoScore, all-but-the-top and whitening on the same input: where they agree, and why where they do not.

Packages where there are any; else the recipe as it is widely passed on, written again step by step.
"""

from __future__ import annotations

import numpy as np
import pytest

import codes
from armillary.geometry import first_pass, isotropy_measures
from armillary.repairs import fit
from armillary.sphere import Code
from armillary.table import Table

N, D = 400, 12
ROWS = codes.lopsided(N, D, seed=1)
X = ROWS.astype(np.float64)


def code(rows: np.ndarray = ROWS) -> Code:
    return Code.of(Table.from_array(rows))


def isoscore(rows: np.ndarray) -> float:
    found = {m.name: m for m in isotropy_measures(first_pass(code(rows)))}
    return found["participation_ratio"].detail["isoscore"]


def same_up_to_signs(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Theirs with each column turned to our sign: an axis has none."""
    return theirs * np.sign((ours * theirs).sum(0))


@pytest.mark.parametrize(
    "rows", [ROWS, codes.random_rows(300, 5, 2), codes.simplex(6)], ids=["lopsided", "ball", "simplex"]
)
def test_isoscore_of_its_authors(rows):
    """Their package takes √d in float32, so seven digits are all it has; its n − 1 cancels."""
    from IsoScore.IsoScore import IsoScore

    assert isoscore(rows) == pytest.approx(float(IsoScore(rows.astype(np.float64))), rel=1e-6)


def test_isoscore_of_a_line_is_zero_and_of_a_ball_one():
    line = np.outer(np.arange(1.0, 9.0), np.ones(4))
    assert isoscore(line) == pytest.approx(0.0, abs=1e-12)
    assert isoscore(codes.cross_polytope(5)) == pytest.approx(1.0, rel=1e-12)


def test_whitening_of_scikit_learn():
    """PCA(whiten=True) divides the covariance by n − 1, we by n: one factor for all."""
    from sklearn.decomposition import PCA

    theirs = PCA(whiten=True).fit_transform(X) * np.sqrt(N / (N - 1))
    ours = fit(code(), "whiten").apply(ROWS)
    assert ours == pytest.approx(same_up_to_signs(ours, theirs), abs=1e-9)


def test_whitening_as_it_is_passed_on_for_sentence_vectors():
    """Su et al. 2021: W = U·Λ^(−½) of numpy's covariance, first k columns; the same factor, and the same cosines."""
    u, s, _ = np.linalg.svd(np.cov(X.T))
    theirs = ((X - X.mean(0)) @ (u / np.sqrt(s)))[:, :5]
    ours = fit(code(), "whiten", k=5).apply(ROWS)
    assert ours == pytest.approx(same_up_to_signs(ours, theirs) * np.sqrt(N / (N - 1)), abs=1e-9)
    a, b = (z / np.linalg.norm(z, axis=1, keepdims=True) for z in (ours, theirs))
    np.testing.assert_allclose(a @ a.T, b @ b.T, rtol=0, atol=1e-9)


def test_all_but_the_top_with_components_of_scikit_learn():
    """The centred rows projected: what the text of Mu & Viswanath says, and the published scores confirm."""
    from sklearn.decomposition import PCA

    centred = X - X.mean(0)
    top = PCA(n_components=3).fit(centred).components_
    assert fit(code(), "all-but-the-top", components=3).apply(ROWS) == pytest.approx(
        centred - centred @ top.T @ top, abs=1e-9
    )


def test_all_but_the_top_as_it_is_passed_on():
    """The recipe most passed on takes the projection of the rows before centring off the centred ones: `uncentred`.

    The two differ by one vector for all rows, E Eᵀ mean, so that its result has a mean and other cosines.
    """
    from sklearn.decomposition import PCA

    mean = X.mean(0)
    top = PCA(n_components=2).fit(X - mean).components_
    theirs = (X - mean) - X @ top.T @ top
    ours = fit(code(), "all-but-the-top", components=2)
    assert fit(code(), "all-but-the-top", components=2, uncentred=True).apply(ROWS) == pytest.approx(theirs, abs=1e-9)
    assert ours.apply(ROWS) - theirs == pytest.approx(np.tile(top.T @ top @ mean, (N, 1)), abs=1e-9)
    assert np.linalg.norm(theirs.mean(0)) > 0.1


def test_removing_singular_vectors_is_another_repair():
    """SIF's last step (Arora et al. 2017), also called all-but-the-top: singular vectors of rows that keep their mean."""
    from sklearn.decomposition import TruncatedSVD

    v = TruncatedSVD(2, algorithm="arpack").fit(X).components_
    theirs, ours = X - X @ v.T @ v, fit(code(), "all-but-the-top", components=2).apply(ROWS)
    assert np.linalg.norm(theirs.mean(0)) > 0.01 and np.abs(theirs - ours).max() > 0.1
