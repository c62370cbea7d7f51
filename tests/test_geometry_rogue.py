"""Rogue dimensions and the cone: closed forms, and sums over all pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import codes
from armillary.errors import UsageError
from armillary.geometry import cone, cosine_contributions, first_pass, isotropy_measures, rogue_dimensions
from armillary.geometry.cone import cone_half_angle
from armillary.sphere import Code
from armillary.table import Table


def code(rows: np.ndarray) -> Code:
    return Code.of(Table.from_array(rows))


def unit(rows: np.ndarray) -> np.ndarray:
    x = rows.astype(np.float64)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@pytest.mark.parametrize("shape", [(200, 12), (12, 30)], ids=str)
def test_contributions_are_means_over_pairs_and_sum_to_the_mean_cosine(shape):
    rows = codes.lopsided(*shape, seed=1)
    u, first = unit(rows), first_pass(code(rows))
    i, j = np.triu_indices(len(u), 1)
    parts = cosine_contributions(first)
    assert parts == pytest.approx((u[i] * u[j]).mean(0), abs=1e-14)
    assert parts.sum() == pytest.approx(isotropy_measures(first)[0].value, abs=1e-14)


def test_one_coordinate_that_makes_every_cosine():
    rows = codes.random_rows(3000, 40, seed=2)
    rows[:, 17] += 30
    (found,) = rogue_dimensions(first_pass(code(rows)))
    assert found.detail["coordinates"][0] == 17
    assert found.value > 0.999
    assert found.nulls.bound is not None and found.nulls.bound.value == 1 / 40


def test_equal_coordinates_have_equal_shares():
    (found,) = rogue_dimensions(first_pass(code(np.ones((50, 8)) + 0.0)))
    assert found.value == pytest.approx(1 / 8, rel=1e-12)
    assert [found.detail["share"][k] for k in ("1", "3", "5")] == pytest.approx([1 / 8, 3 / 8, 5 / 8], rel=1e-12)
    assert found.detail["coordinates"] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("rows", [codes.cross_polytope(6), codes.random_rows(500, 9), np.ones((1, 4))])
def test_no_shares_where_the_mean_cosine_is_chance(rows):
    assert rogue_dimensions(first_pass(code(rows))) == []


def test_cone_of_rows_at_known_angles():
    """Rows in opposite pairs around the first axis at 10°, 20°, … 100°: the mean direction is that axis."""
    angles = np.radians(np.repeat(np.arange(10, 101, 10), 2))
    sign = np.tile([1, -1], 10)
    rows = np.stack([np.cos(angles), sign * np.sin(angles), np.zeros(20)], 1)
    found = cone(code(rows), first_pass(code(rows)))
    assert found is not None
    assert np.abs(found.direction) == pytest.approx([1, 0, 0], abs=1e-7)  # float32 rows
    assert found.half_angles == pytest.approx({0.5: 50, 0.9: 90, 0.99: 100}, abs=1e-4)
    assert found.cosines == pytest.approx(np.cos(angles), abs=1e-7)


def test_cone_by_frequency():
    rows = np.array([[1.0, 0.0], [0.6, 0.8], [0.6, -0.8], [1.0, 0.0]])
    frequencies = np.array([0.4, 0.1, np.nan, 0.4])
    found = cone(code(rows), first_pass(code(rows)), frequencies)
    assert found is not None
    assert [m for _, m in found.profile] == [1, 1, 1]
    assert [c for c, _ in found.profile] == pytest.approx([0.6, 1.0, 1.0], abs=1e-7)
    with pytest.raises(UsageError, match="one a row"):
        cone(code(rows), first_pass(code(rows)), frequencies[:2])


def test_uniform_directions_lie_at_the_formula_and_opposites_have_no_cone():
    rows = codes.random_rows(40_000, 6, seed=3)
    (found,) = cone_half_angle(code(rows), first_pass(code(rows)))
    for share, angle in found.detail["half_angles"].items():
        # the mean direction of a sample leans towards it by about √(2/(πn)) of a radian, here .23°
        assert angle == pytest.approx(found.detail["random"][share], abs=0.6)
    assert found.detail["random"]["0.5"] == pytest.approx(90)
    assert cone(code(codes.cross_polytope(4)), first_pass(code(codes.cross_polytope(4)))) is None


def test_half_angle_in_the_plane_is_a_share_of_the_circle():
    (found,) = cone_half_angle(code(np.array([[1.0, 0.0]])), first_pass(code(np.array([[1.0, 0.0]]))))
    assert found.detail["random"] == pytest.approx({"0.5": 90.0, "0.9": 162.0, "0.99": 178.2})
    assert math.isclose(found.value, 0.0)
