"""Bounds: published figures, codes that meet them exactly, and the same formulas in high precision."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest

from armillary import bounds
from armillary.errors import UsageError

KNOWN = Path(__file__).parent / "known"


def known(name: str) -> dict:
    return json.loads((KNOWN / f"{name}.json").read_text())


def closed(text: str) -> float:
    """A cosine written as in known/: 1/4, 1/sqrt(5)."""
    below = text.removeprefix("1/")
    return 1.0 / (math.sqrt(float(below[5:-1])) if below.startswith("sqrt") else float(below))


@pytest.mark.parametrize("row", known("bounds")["welch"], ids=str)
def test_welch_as_published(row):
    value = bounds.welch(row["V"], row["d"])
    assert value == pytest.approx(row["mu"], abs=5.1e-6)
    if "deg" in row:
        assert math.degrees(math.acos(value)) == pytest.approx(row["deg"], abs=5.1e-3)
        assert bounds.plan(row["V"], row["d"]).welch_angle == pytest.approx(row["deg"], abs=5.1e-3)


@pytest.mark.parametrize("row", known("bounds")["welch_order_2"], ids=str)
def test_welch_of_order_two_as_published(row):
    assert bounds.welch(row["V"], row["d"], order=2) == pytest.approx(row["mu"], abs=5.1e-6)


@pytest.mark.parametrize("row", known("bounds")["sidelnikov_orders_2_3"], ids=str)
def test_sidelnikov_as_published(row):
    assert [bounds.sidelnikov(row["V"], row["d"], k) for k in (2, 3)] == pytest.approx(row["mu"], abs=5.1e-6)
    best, order = bounds.best_sidelnikov(row["V"], row["d"])
    assert best == max(bounds.sidelnikov(row["V"], row["d"], k) for k in range(1, 12))
    assert best == bounds.sidelnikov(row["V"], row["d"], order)


@pytest.mark.parametrize(("size", "dimension", "cosine", "name"), known("frames")["frames"])
def test_tight_frames_meet_welch(size, dimension, cosine, name):
    assert bounds.welch(size, dimension) == pytest.approx(closed(cosine), rel=1e-15)


def test_sidelnikov_of_order_one_is_welch():
    assert bounds.welch(8, 8) == 0.0
    assert bounds.sidelnikov(98_280, 24) == bounds.welch(98_280, 24)


def test_rankin_and_orthoplex():
    assert bounds.rankin(9, 8) == -1 / 8
    assert bounds.rankin(10, 8) == 0.0
    assert bounds.orthoplex(6, 3) == 0.0
    assert bounds.orthoplex(7, 3) == 1 / math.sqrt(3)


@pytest.mark.parametrize(("dimension", "size", "cosine"), known("levenshtein")["sharp"])
def test_levenshtein_meets_the_sharp_codes(dimension, size, cosine):
    assert bounds.levenshtein(size, dimension) == pytest.approx(closed(cosine), abs=1e-14)
    assert bounds.levenshtein_size(dimension, closed(cosine)) == pytest.approx(size, rel=1e-11)


@pytest.mark.parametrize(("dimension", "size"), known("levenshtein")["kissing_bound_s_half"].items())
def test_levenshtein_at_sixty_degrees(dimension, size):
    assert bounds.levenshtein_size(int(dimension), 0.5) == pytest.approx(size, rel=3e-6)


def test_levenshtein_where_it_is_not_sharp():
    ((dimension, _, bound, size),) = known("levenshtein")["not_sharp"]
    assert bounds.levenshtein_size(dimension, math.cos(math.radians(36))) == pytest.approx(bound, abs=5e-4)
    assert size < bound


@pytest.mark.parametrize("dimension", [3, 4, 7, 64, 640, 4096, 8192])
def test_levenshtein_meets_simplex_and_cross_polytope(dimension):
    assert bounds.levenshtein(2, dimension) == pytest.approx(-1.0, rel=1e-15)
    assert bounds.levenshtein(dimension, dimension) == pytest.approx(-1 / (dimension - 1), rel=1e-13)
    assert bounds.levenshtein(dimension + 1, dimension) == pytest.approx(-1 / dimension, rel=1e-13)
    assert bounds.levenshtein(2 * dimension, dimension) == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("size", [3, 5, 6, 100])
def test_levenshtein_in_the_plane_is_the_polygon(size):
    assert bounds.levenshtein(size, 2) == pytest.approx(math.cos(2 * math.pi / size), abs=1e-15)
    assert bounds.levenshtein_lines(size, 2) == pytest.approx(math.cos(math.pi / size), abs=1e-15)


@pytest.mark.parametrize(
    ("size", "dimension"), [(10**7, 3), (10**7, 8), (262_144, 64), (100_000, 256), (10**7, 640), (10**7, 8192)]
)
def test_levenshtein_agrees_with_fifty_digits(size, dimension):
    cosine = bounds.levenshtein(size, dimension)
    exact = _levenshtein_size_in_fifty_digits(dimension, cosine)
    # near s = 1 the size grows as (1−s)^{-(d−1)/2}: a last bit of s is that many of the size
    slope = 1e-14 * dimension / (1 - cosine) + 1e-12 * dimension
    assert float(exact) == pytest.approx(size, rel=slope)


def _levenshtein_size_in_fifty_digits(n: int, s: float) -> mpmath.mpf:
    """L(n, s), its piece found by Sturm's rule: P_j − P_{j+1} and P_j − P_{j+2} are positive up to their last zero."""
    with mpmath.workdps(50):
        x, p, k = mpmath.mpf(s), [mpmath.mpf(1), mpmath.mpf(s)], 0
        while True:
            j = len(p) - 1
            p.append(((2 * j + n - 2) * x * p[j] - j * p[j - 1]) / (j + n - 2))
            if p[k] <= p[k + 2]:
                break
            k += 1
        before, here, after = p[k - 1], p[k], p[k + 1]
        if here <= after:
            inner = mpmath.mpf(2 * k + n - 3) / (n - 1) - (before - here) / ((1 - x) * here)
            return mpmath.binomial(k + n - 3, k - 1) * inner
        fall = (1 + x) * (here - after) / ((1 - x) * (here + after))
        return mpmath.binomial(k + n - 2, k) * (mpmath.mpf(2 * k + n - 1) / (n - 1) - fall)


@pytest.mark.parametrize(("size", "dimension"), [(500, 16), (10_000, 64), (100_000, 4096), (262_144, 640)])
def test_a_code_of_one_more_vector_has_no_smaller_bound(size, dimension):
    for bound in (bounds.welch, bounds.levenshtein, bounds.levenshtein_lines):
        assert bound(size, dimension) < bound(size + 1, dimension)


@pytest.mark.parametrize(("angle", "rates"), known("bounds")["kabatiansky_levenshtein_rate"].items())
def test_rates_as_published(angle, rates):
    found = bounds.kabatiansky_levenshtein_rate(float(angle)), bounds.shannon_wyner_rate(float(angle))
    assert found == pytest.approx(rates, abs=5.1e-7)


def test_johnson_lindenstrauss_is_one_above_the_truncated_figures():
    sizes = {"1e6": 10**6, "32000": 32_000, "262144": 262_144}
    for key, truncated in known("bounds")["jl_min_dim"].items():
        n, eps = key.split(", eps ")
        assert math.floor(bounds.johnson_lindenstrauss(sizes[n], float(eps))) == truncated
        assert bounds.johnson_lindenstrauss_dimension(sizes[n], float(eps)) == truncated + 1


@pytest.mark.parametrize(("dimension", "mean"), known("random_code")["mean_abs_cos"].items())
def test_mean_absolute_cosine(dimension, mean):
    assert bounds.mean_absolute_cosine(int(dimension)) == pytest.approx(mean, abs=5.1e-8)


@pytest.mark.parametrize(("size", "dimension", "mean", "quantiles"), known("random_code")["max_abs_cos"])
def test_coherence_of_a_random_code(size, dimension, mean, quantiles):
    # the table gives four decimals, so half a unit of the last is all that is forgiven
    assert bounds.coherence_mean(size, dimension) == pytest.approx(mean, abs=5.1e-5)
    found = [bounds.coherence_quantile(size, dimension, share) for share in (0.05, 0.5, 0.95)]
    assert found == pytest.approx(quantiles, abs=5.1e-5)


@pytest.mark.parametrize("dimension", [2, 3, 384])
def test_uniformity(dimension):
    assert bounds.uniformity(dimension) == pytest.approx(known("random_code")["uniformity"][str(dimension)], abs=5.1e-6)


def test_extremes_of_real_random_codes():
    """400 drawn codes of 60 vectors in 8 dimensions: the mean extreme within four standard errors of the law's.

    The law treats the 1,770 cosines, which are independent in pairs, as independent; at this size that moves the
    mean by less than a fifth of the standard error (the law of the extremes is exact as V grows).
    """
    random = np.random.default_rng(0)
    signed, absolute = [], []
    upper = np.triu_indices(60, 1)
    for _ in range(400):
        u = random.standard_normal((60, 8))
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        cosines = (u @ u.T)[upper]
        signed.append(cosines.max())
        absolute.append(np.abs(cosines).max())
    for drawn, law in (
        (signed, bounds.maximal_cosine_mean(60, 8)),
        (absolute, bounds.coherence_mean(60, 8)),
    ):
        assert np.mean(drawn) == pytest.approx(law, abs=4 * np.std(drawn) / 20)


def test_two_random_directions_exactly():
    """In three dimensions a cosine is uniform on [−1, 1], so every quantile and mean of one pair is a line."""
    for share in (0.1, 0.5, 0.9):
        assert bounds.coherence_quantile(2, 3, share) == pytest.approx(share, abs=1e-14)
        assert bounds.maximal_cosine_quantile(2, 3, share) == pytest.approx(2 * share - 1, abs=1e-14)
        assert bounds.minimum_angle_quantile(2, 3, share) == pytest.approx(
            math.degrees(math.acos(1 - 2 * share)), rel=1e-13
        )
    assert bounds.coherence_mean(2, 3) == pytest.approx(0.5, abs=1e-12)
    assert bounds.maximal_cosine_mean(2, 3) == pytest.approx(0.0, abs=1e-12)


def test_smallest_angle_keeps_its_digits_where_cosines_have_none():
    # in the plane P(angle < θ) = θ/π, so N·θ/π = ln 2 at the median up to 1/N
    pairs = 10**7 * (10**7 - 1) / 2
    assert bounds.minimum_angle_quantile(10**7, 2) == pytest.approx(180 * math.log(2) / pairs, rel=1e-10)


@pytest.mark.parametrize(
    ("cosine", "dimension"), [(0.01, 8), (0.5, 2), (0.5, 64), (0.9, 640), (0.1, 4096), (0.5, 8192), (0.3, 20_000)]
)
def test_tails_agree_with_fifty_digits(cosine, dimension):
    with mpmath.workdps(50):
        m = mpmath.mpf(cosine)
        exact = mpmath.log(
            mpmath.betainc(mpmath.mpf(dimension - 1) / 2, mpmath.mpf(1) / 2, 0, 1 - m * m, regularized=True)
        )
    assert bounds.log_tail(cosine, dimension) == pytest.approx(float(exact), rel=2e-13, abs=1e-13)
    assert math.cos(bounds.inverse_log_cap(float(exact), dimension)) == pytest.approx(cosine, rel=1e-11)


def test_capacity_inverts_the_median():
    for dimension, coherence in ((64, 0.5), (640, 0.2), (4096, 0.1)):
        size = math.exp(bounds.log_capacity(dimension, coherence))
        assert bounds.coherence_quantile(round(size), dimension) == pytest.approx(coherence, rel=1e-4)
        assert bounds.log_capacity_lower(dimension, coherence) == pytest.approx(dimension * coherence**2 / 4, rel=1e-15)
        assert bounds.log_capacity_lower(dimension, coherence) < bounds.log_capacity(dimension, coherence)


def test_design_moments_are_exact_fractions():
    for dimension, order in ((8, 3), (24, 5), (3, 2)):
        exact = math.prod(Fraction(2 * i + 1, dimension + 2 * i) for i in range(order))
        assert bounds.design_moment(dimension, order) == pytest.approx(float(exact), rel=1e-15)
    e8, leech = known("frames")["designs"].values()
    name = "mean cos^2k, all ordered pairs"
    assert [bounds.design_moment(8, k) for k in (1, 2, 3)] == pytest.approx(e8[name], rel=1e-14)
    assert [bounds.design_moment(24, k) for k in range(1, 6)] == pytest.approx(
        leech[name], rel=3e-6
    )  # six digits are given
    assert bounds.design_moment(8, 4) == pytest.approx(e8["k=4 differs"][1], rel=1e-14)
    assert bounds.design_moment(24, 6) == pytest.approx(leech["k=6 differs"][1], rel=2e-6)


def test_simple_laws():
    assert bounds.mean_cosine(640) == 0.0
    assert bounds.mean_square_cosine(640) == 1 / 640
    assert bounds.cosine_sd(4096) == 1 / 64
    assert bounds.interference(10, 640) == 10 / 640
    assert bounds.tail(0.25, 3) == pytest.approx(0.75, rel=1e-14)  # |cos| is uniform on the two-sphere


def test_marchenko_pastur_integrates_to_one_and_keeps_the_mean():
    low, high = bounds.marchenko_pastur_edges(4000, 1000, variance=2.0)
    assert (low, high) == pytest.approx((0.5, 4.5), rel=1e-14)
    nodes, weights = np.polynomial.legendre.leggauss(64)
    angle = (nodes + 1) * math.pi / 2  # x = middle − half·cos(angle) takes the roots at the edges away
    x = (low + high) / 2 - (high - low) / 2 * np.cos(angle)
    mass = (
        bounds.marchenko_pastur_density(x, 4000, 1000, 2.0) * np.sin(angle) * (high - low) / 2 * weights * math.pi / 2
    )
    assert mass.sum() == pytest.approx(1.0, rel=1e-12)
    assert (mass * x).sum() == pytest.approx(2.0, rel=1e-12)
    assert bounds.marchenko_pastur_density([low - 0.01, high + 0.01], 4000, 1000, 2.0).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("size", "dimension"), [(2, 1), (5, 1), (5, 2), (10**7, 8192), (10, 8192), (10**9, 3)])
def test_a_plan_at_the_edges_is_finite_and_in_order(size, dimension):
    plan = bounds.plan(size, dimension)
    numbers = [v for v in plan.to_dict().values() if isinstance(v, float)]
    assert all(map(math.isfinite, numbers))
    assert (
        plan.coherence_bound <= plan.random_coherence.q05 <= plan.random_coherence.median <= plan.random_coherence.q95
    )
    assert plan.random_cosine.median <= plan.random_coherence.median
    assert plan.cosine_bound <= plan.random_cosine.q95
    json.dumps(plan.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: bounds.plan(1, 8),
        lambda: bounds.plan(10, 0),
        lambda: bounds.plan(10**9 + 1, 8),
        lambda: bounds.welch(10, 8, order=0),
        lambda: bounds.coherence_quantile(10, 8, 1.0),
        lambda: bounds.log_capacity(8, 0.0),
        lambda: bounds.johnson_lindenstrauss(10, 1.5),
        lambda: bounds.levenshtein_size(8, 1.0),
        lambda: bounds.marchenko_pastur_edges(0, 8),
    ],
)
def test_what_cannot_be_meant_is_refused(ask):
    with pytest.raises(UsageError, match=r"expected .*found"):
        ask()
