"""The cloud and the weighted twins: a weight is a number of copies."""

from __future__ import annotations

import numpy as np
import pytest

import codes
from armillary.errors import UsageError
from armillary.geometry import first_pass, isotropy_measures, weighted_measures
from armillary.sphere import Code, cloud
from armillary.table import Table


def code(rows: np.ndarray) -> Code:
    return Code.of(Table.from_array(rows))


ROWS = codes.lopsided(200, 7, seed=1)
COUNTS = np.random.default_rng(2).integers(0, 6, 200)


def test_weights_are_copies_for_the_cloud():
    weighted, copied = cloud(code(ROWS), COUNTS.astype(float)), cloud(code(np.repeat(ROWS, COUNTS, axis=0)))
    assert weighted.mean == pytest.approx(copied.mean, rel=1e-12)
    assert weighted.covariance == pytest.approx(copied.covariance, abs=1e-14)
    assert weighted.known == (COUNTS > 0).sum()


def test_equal_weights_are_no_weights():
    plain, equal = cloud(code(ROWS)), cloud(code(ROWS), np.full(200, 3.0))
    assert equal.covariance == pytest.approx(plain.covariance, abs=1e-14)
    found = {m.name: m.value for m in weighted_measures(code(ROWS), np.full(200, 3.0))}
    bare = {m.name: m.value for m in isotropy_measures(first_pass(code(ROWS)))}
    assert found["weighted_mean_cosine"] == pytest.approx(bare["mean_cosine"], abs=1e-14)
    assert found["weighted_participation_ratio"] == pytest.approx(bare["participation_ratio"], rel=1e-12)


def test_weighted_mean_cosine_is_the_mean_over_drawn_pairs():
    p = COUNTS / COUNTS.sum()
    u = ROWS.astype(np.float64)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    both = np.outer(p, p)
    np.fill_diagonal(both, 0)
    expected = (both * (u @ u.T)).sum() / both.sum()
    found = weighted_measures(code(ROWS), p)[0]
    assert found.value == pytest.approx(expected, abs=1e-14)
    assert found.detail["rows_with_a_frequency"] == (COUNTS > 0).sum()


def test_the_cloud_agrees_with_numpy_and_keeps_its_digits_far_away():
    far = ROWS + np.float32(1e4)
    for rows in (ROWS, far):
        found = cloud(code(rows))
        assert found.covariance == pytest.approx(np.cov(rows.astype(np.float64).T, bias=True), abs=1e-12)
    variances, axes = cloud(code(ROWS)).principal
    assert axes @ axes.T == pytest.approx(np.eye(7), abs=1e-13)
    assert (axes.T * variances) @ axes == pytest.approx(cloud(code(ROWS)).covariance, abs=1e-14)


@pytest.mark.parametrize(
    ("rows", "rank"),
    [
        (codes.lopsided(50, 6), 6),
        (codes.lopsided(4, 6), 3),
        (np.concatenate([codes.lopsided(50, 4), np.ones((50, 2))], 1), 4),
        (np.repeat(codes.lopsided(50, 3), 2, axis=1), 3),
        (np.ones((9, 3)), 0),
        (np.ones((1, 3)), 0),
    ],
    ids=["full", "few rows", "constant columns", "equal columns", "equal rows", "one row"],
)
def test_rank(rows, rank):
    assert cloud(code(rows)).rank == rank


@pytest.mark.parametrize("weights", [np.zeros(200), np.full(200, -1.0), np.full(200, np.inf), np.ones(3)])
def test_weights_that_cannot_be(weights):
    with pytest.raises(UsageError, match="weights"):
        cloud(code(ROWS), weights)


def test_unknown_frequencies_count_as_nothing():
    weights = np.where(COUNTS > 2, COUNTS.astype(float), np.nan)
    kept = ROWS[COUNTS > 2]
    assert cloud(code(ROWS), weights).mean == pytest.approx(
        np.average(kept.astype(np.float64), axis=0, weights=COUNTS[COUNTS > 2]), rel=1e-12
    )
