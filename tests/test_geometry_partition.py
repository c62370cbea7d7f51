"""Partition isotropy and uniformity: closed forms, sums over all pairs, a published value."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.special import logsumexp

import codes
from armillary import bounds
from armillary.errors import UsageError
from armillary.geometry import alignment, first_pass, partition_isotropy, uniformity
from armillary.sphere import Code
from armillary.table import Table

KNOWN = Path(__file__).parent / "known"


def code(rows: np.ndarray) -> Code:
    return Code.of(Table.from_array(rows))


def naive_isotropy(rows: np.ndarray) -> float:
    x = rows.astype(np.float64)
    axes = np.linalg.eigh(x.T @ x)[1].T
    logs = logsumexp(np.concatenate([x @ axes.T, -(x @ axes.T)], 1), axis=0)
    return math.exp(logs.min() - logs.max())


@pytest.mark.parametrize("shape", [(500, 12), (5000, 3), (12, 12)], ids=str)
def test_partition_agrees_with_the_definition(shape):
    rows = codes.lopsided(*shape, seed=1)
    c = code(rows)
    assert partition_isotropy(c, first_pass(c)).value == pytest.approx(naive_isotropy(rows), rel=1e-9)


def test_partition_of_one_long_row_and_of_opposites():
    """One row r·e₁ in three dimensions: Z = e^r, e^−r, and 1 in the directions that nothing reaches."""
    c = code(np.array([[5.0, 0.0, 0.0]]))
    assert partition_isotropy(c, first_pass(c)).value == pytest.approx(math.exp(-10), rel=1e-12)
    c = code(codes.cross_polytope(4))
    assert partition_isotropy(c, first_pass(c)).value == pytest.approx(1.0, abs=1e-12)


def test_fewer_rows_than_dimensions_reach_only_some_directions():
    rows = np.array([[2.0, 0, 0, 0], [2.0, 1.0, 0, 0]])
    c = code(rows)
    assert partition_isotropy(c, first_pass(c)).value == pytest.approx(naive_isotropy(rows), rel=1e-9)


def test_very_long_rows_do_not_overflow():
    c = code(codes.lopsided(50, 4, seed=2) * 1e6)
    found = partition_isotropy(c, first_pass(c))
    assert found.value == 0.0
    assert found.detail["log_max"] > 1e5


def test_random_rows_lie_near_another_draw():
    """5,000 uniform directions of length 3 in 30 dimensions: ln Z spreads by about .05, in every draw alike."""
    u = codes.random_rows(5_000, 30, seed=3)
    c = code(3 * u / np.linalg.norm(u, axis=1, keepdims=True))
    found = partition_isotropy(c, first_pass(c))
    assert found.nulls.random is not None
    assert -math.log(found.value) == pytest.approx(-math.log(found.nulls.random.value), rel=0.3)
    # the Marchenko–Pastur edges alone make r²/2·(λ₊ − λ₋), λ± = (1 ± √(d/n))²/d
    assert -math.log(found.value) > 9 / 2 * 4 * math.sqrt(30 / 5000) / 30 * 0.8


@pytest.mark.parametrize("shape", [(300, 8), (3000, 5)], ids=str)
def test_uniformity_agrees_with_all_pairs(shape):
    rows = codes.lopsided(*shape, seed=4)
    u = rows.astype(np.float64)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    cosines = (u @ u.T)[np.triu_indices(len(u), 1)]
    (found,) = uniformity(code(rows))
    assert found.kind == "exact"
    assert found.value == pytest.approx(math.log(np.exp(4 * cosines - 4).mean()), abs=1e-12)


def test_uniformity_of_known_codes():
    """An orthogonal frame has distance √2 throughout, a cross-polytope also 2 once a row."""
    assert uniformity(code(codes.one_hot(7)))[0].value == pytest.approx(-4, abs=1e-14)
    rest = (10 * math.exp(-4) + math.exp(-8)) / 11
    assert uniformity(code(codes.cross_polytope(6)))[0].value == pytest.approx(math.log(rest), abs=1e-14)
    assert uniformity(code(np.ones((5, 3))))[0].value == pytest.approx(0, abs=1e-14)
    assert uniformity(code(np.ones((1, 3)))) == []


@pytest.mark.parametrize("d", [2, 3, 384])
def test_uniform_directions_meet_the_closed_form(d):
    """Published values, and a sample of random pairs within four of its standard errors."""
    known = json.loads((KNOWN / "random_code.json").read_text())["uniformity"][str(d)]
    assert bounds.uniformity(d) == pytest.approx(known, abs=5e-6)
    (found,) = uniformity(code(codes.random_rows(9000, d, seed=d)), pairs=100_000)
    assert found.kind == "estimate" and found.error is not None
    # the rows themselves are a sample: their own mean is off by about as much again at d = 2
    assert abs(found.value - known) < 4 * found.error + 2 / math.sqrt(9000) * (d < 4) * 0.2
    assert found.nulls.random is not None and found.nulls.random.value == pytest.approx(known, abs=5e-6)


def test_sampled_uniformity_meets_the_exact_one_within_its_error():
    c = code(codes.lopsided(2000, 10, seed=5))
    (exact,), (sampled,) = uniformity(c), uniformity(c, exact_rows=10, pairs=200_000)
    assert sampled.error is not None and sampled.error < 0.01
    assert abs(sampled.value - exact.value) < 4 * sampled.error


def test_alignment_of_given_pairs():
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [-3.0, 0.0]])
    c = code(rows)
    assert alignment(c, np.array([[1, 2], [1, 3]])).value == pytest.approx((2 + 4) / 2, abs=1e-14)
    everything = np.array([[1, 2], [1, 3], [2, 3]])
    found = alignment(c, everything, first_pass(c))
    assert found.nulls.random is not None
    assert found.value == pytest.approx(found.nulls.random.value, abs=1e-12)
    for wrong in (np.zeros((0, 2), int), np.array([[0, 1]]), np.array([[1, 9]])):
        with pytest.raises(UsageError, match="rows that have a direction"):
            alignment(c, wrong)


@pytest.mark.parametrize("shape", [(400, 6)], ids=str)
def test_rotation_changes_neither(shape):
    rows = codes.lopsided(*shape, seed=6)
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((shape[1],) * 2))[0]
    a, b = code(rows), code((rows.astype(np.float64) @ turn).astype(np.float32))
    assert partition_isotropy(b, first_pass(b)).value == pytest.approx(
        partition_isotropy(a, first_pass(a)).value, rel=1e-4
    )
    assert uniformity(b)[0].value == pytest.approx(uniformity(a)[0].value, abs=1e-6)


@pytest.mark.real
def test_glove_has_the_published_isotropy():
    from armillary.study import open

    facts = json.loads((KNOWN / "glove50.json").read_text())["partition_isotropy"]
    c = open("demo:glove").code
    found = partition_isotropy(c, first_pass(c))
    assert found.value == pytest.approx(facts["both signs of every eigenvector"], abs=5e-4)
    assert found.detail["mean_norm"] == pytest.approx(4.47, abs=5e-3)
