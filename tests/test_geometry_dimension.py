"""Intrinsic dimension: manifolds whose dimension is known, the bias in many dimensions, duplicates, and a slow oracle."""

from __future__ import annotations

import numpy as np
import pytest

import codes
from armillary.geometry import intrinsic_dimension
from armillary.geometry.dimension import mle_dimension, two_nn
from armillary.geometry.distances import distinct_sample, nearest_distances
from armillary.measure import Measure
from armillary.sphere import Code
from armillary.table import Table


def code(rows: np.ndarray) -> Code:
    return Code.of(Table.from_array(rows))


def estimates(x: np.ndarray, **arguments) -> tuple[Measure, Measure]:
    first, second = intrinsic_dimension(code(x), **arguments)
    return first, second


def torus(n: int, d: int, seed: int) -> np.ndarray:
    """n points on a product of d circles in 2d dimensions, turned and moved: a manifold without an edge."""
    random = np.random.default_rng(seed)
    angle = 2 * np.pi * random.random((n, d))
    turn = np.linalg.qr(random.standard_normal((2 * d, 2 * d)))[0]
    return (np.concatenate([np.cos(angle), np.sin(angle)], 1) @ turn + 3.0).astype(np.float32)


@pytest.mark.parametrize("d", [1, 2])
def test_products_of_circles_have_their_dimension(d):
    for measure in estimates(torus(4000, d, seed=d), null=False):
        assert measure.error is not None
        assert abs(measure.value - d) < 4 * measure.error, measure


def test_a_flat_cloud_in_many_dimensions_is_what_it_is_in_few():
    """Five-dimensional normal rows, turned into forty, have the value that other five-dimensional rows have."""
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((40, 40)))[0][:5]
    rows = (codes.random_rows(3000, 5, seed=8).astype(np.float64) @ turn).astype(np.float32)
    for inside, alone in zip(estimates(rows, null=False), estimates(codes.random_rows(3000, 5, seed=9)), strict=True):
        assert inside.error is not None
        assert abs(inside.value - alone.value) < 4 * inside.error * 2**0.5
        assert inside.value == pytest.approx(5, rel=0.1)


def test_a_swiss_roll_is_a_surface():
    random = np.random.default_rng(1)
    angle, height = 1.5 * np.pi * (1 + 2 * random.random(4000)), 21 * random.random(4000)
    rows = np.stack([angle * np.cos(angle), height, angle * np.sin(angle)], 1)
    for measure in estimates(rows, null=False):
        assert measure.value == pytest.approx(2.0, abs=0.1)


def test_the_bias_in_many_dimensions_is_shown():
    """2,000 normal rows in 100 dimensions look like far fewer, and the null beside the value says so."""
    for measure in estimates(codes.random_rows(2000, 100, seed=3), seed=5):
        null = measure.nulls.random
        assert null is not None
        assert measure.value < 70
        assert measure.error is not None
        assert abs(measure.value - null.value) < 4 * measure.error * 2**0.5


def test_estimators_at_the_law_they_assume():
    """r₂/r₁ of a Poisson cloud is Pareto with exponent d: quantiles in their place give d back."""
    d, n = 7.0, 5000
    f = np.arange(1, n + 1) / (n + 1)
    ratio = (1 - f) ** (-1 / d)
    distances = np.stack([np.ones(n), ratio], 1)
    assert two_nn(distances) == pytest.approx(d, rel=2e-3)  # i/n in the fit against i/(n+1) here
    assert mle_dimension(np.exp(np.tile([0.0, 0.0, 1 / d * 2], (3, 1)))) == pytest.approx(d / 2, rel=1e-12)


def test_nearest_distances_agree_with_all_distances():
    x = codes.lopsided(700, 9, seed=4)
    wide = x.astype(np.float64)
    every = np.linalg.norm(wide[:, None] - wide[None], axis=2)
    expected = np.sort(every, axis=1)[:, 1:6]
    # the rows are centred in float64 before they are compared, so the last bits differ
    assert nearest_distances(x, 5) == pytest.approx(expected, rel=1e-12)


def test_equal_rows_are_counted_once_and_signs_of_zero_do_not_matter():
    rows = codes.lopsided(300, 6, seed=5)
    rows[0, 0] = 0.0
    twin = rows.copy()
    twin[0, 0] = -0.0
    once, twice = estimates(rows, null=False), estimates(np.concatenate([rows, twin]), null=False)
    assert len(distinct_sample(code(np.concatenate([rows, twin])), 1000, 0)) == 300
    assert [m.value for m in twice] == [m.value for m in once]
    assert once[0].detail["distinct_sampled"] == twice[0].detail["distinct_sampled"] == 300


def test_scale_and_place_do_not_matter_and_large_rows_do_not_overflow():
    rows = codes.lopsided(400, 6, seed=6)
    base = [m.value for m in estimates(rows, null=False)]
    for factor in (2.0**-100, 2.0**60, 2.0**100):  # squares of the largest are beyond float32
        assert [m.value for m in estimates(rows * np.float32(factor), null=False)] == pytest.approx(base, rel=1e-12)


def test_too_few_distinct_rows_have_no_dimension():
    assert intrinsic_dimension(code(np.tile(codes.lopsided(20, 4), (9, 1)))) == []


def test_a_sample_is_a_sample_and_says_so():
    a = estimates(codes.lopsided(3000, 5, seed=7), rows=1000, seed=1, null=False)[0]
    b = estimates(codes.lopsided(3000, 5, seed=7), rows=1000, seed=1, null=False)[0]
    assert (a.value, a.n, a.kind) == (b.value, 1000, "estimate")
