"""Mean cosines, spectrum and norms: closed forms, naive pair sums, invariances, hostile tables."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import codes
from armillary.geometry import FirstPass, first_pass, isotropy_measures, norm_measures, spectrum
from armillary.geometry.nulls import matched_rows
from armillary.measure import Measure
from armillary.sphere import Code
from armillary.table import Table

KNOWN = Path(__file__).parent / "known"


def sums(rows: np.ndarray) -> FirstPass:
    return first_pass(Code.of(Table.from_array(rows)))


def measured(rows: np.ndarray) -> dict[str, Measure]:
    first = sums(rows)
    return {m.name: m for m in [*isotropy_measures(first), *norm_measures(first)]}


def naive_cosines(rows: np.ndarray) -> np.ndarray:
    """All cosines of pairs i < j, in float64."""
    u = rows.astype(np.float64)
    u /= np.sqrt((u * u).sum(1))[:, None]
    return (u @ u.T)[np.triu_indices(len(u), 1)]


@pytest.mark.parametrize(
    ("rows", "mean", "square"),
    [
        (codes.one_hot(6), 0.0, 0.0),
        (codes.cross_polytope(6), -1 / 11, 1 / 11),
        (codes.simplex(6), -1 / 6, 1 / 36),
        (codes.e8(), -1 / 239, (240 / 8 - 1) / 239),
        (codes.icosahedron(), None, 1 / 5),
        (codes.steiner(), None, 1 / 9),
        (codes.threes(), None, 1 / 9),
    ],
    ids=["one-hot", "cross-polytope", "simplex", "E8", "icosahedron", "Steiner", "threes"],
)
def test_mean_cosines_of_known_codes(rows, mean, square):
    found = measured(rows)
    if mean is not None:
        assert found["mean_cosine"].value == pytest.approx(mean, abs=1e-14)
    # the golden ratio of the icosahedron is rounded to float32, the others are whole numbers
    assert found["mean_square_cosine"].value == pytest.approx(square, rel=1e-12 if rows.shape != (6, 3) else 1e-7)


@pytest.mark.parametrize("rows", [codes.cross_polytope(6), codes.e8(), codes.steiner()], ids=["cross", "E8", "Steiner"])
def test_tight_frames_meet_the_frame_potential(rows):
    found = measured(rows)["mean_square_cosine"]
    assert found.nulls.bound is not None
    assert found.value == pytest.approx(found.nulls.bound.value, rel=1e-12)


@pytest.mark.parametrize("shape", [(300, 20), (20, 300), (64, 64), (2, 5), (4200, 3)], ids=str)
def test_mean_cosines_agree_with_the_sum_over_pairs(shape):
    rows = codes.lopsided(*shape, seed=1)
    cosines = naive_cosines(rows)
    found = measured(rows)
    assert found["mean_cosine"].value == pytest.approx(cosines.mean(), abs=1e-13)
    assert found["mean_square_cosine"].value == pytest.approx((cosines**2).mean(), rel=1e-12)


@pytest.mark.parametrize("shape", [(300, 20), (20, 300), (2, 5)], ids=str)
def test_spectrum_agrees_with_singular_values(shape):
    rows = codes.lopsided(*shape, seed=2)
    x = rows.astype(np.float64)
    centred = x - x.mean(0)
    n, d = shape
    sigma = np.linalg.svd(centred, compute_uv=False)
    variances, found = sigma**2 / n, measured(rows)
    figure = spectrum(sums(rows))
    assert figure is not None
    assert figure.variances == pytest.approx(variances, rel=1e-10, abs=1e-13)
    participation = variances.sum() ** 2 / (variances**2).sum()
    assert found["participation_ratio"].value == pytest.approx(participation, rel=1e-12)
    assert found["participation_ratio"].detail["isoscore"] == pytest.approx((participation - 1) / (d - 1), rel=1e-12)
    share = sigma[sigma > 1e-9] / sigma.sum()
    assert found["effective_rank"].value == pytest.approx(np.exp(stats.entropy(share)), rel=1e-7)
    whole = np.linalg.svd(x, compute_uv=False)
    assert found["stable_rank"].value == pytest.approx((whole**2).sum() / whole[0] ** 2, rel=1e-12)
    assert found["stable_rank"].detail["centred"] == pytest.approx(variances.sum() / variances[0], rel=1e-12)
    edge = variances.sum() / d * (1 + math.sqrt(d / n)) ** 2
    assert found["signal_components"].value == (variances > edge).sum()


def test_isoscore_as_its_authors_compute_it():
    """Rudman et al. 2022: from the normalised diagonal of the covariance in principal axes, step by step."""
    rows = codes.lopsided(500, 12, seed=3)
    d = 12
    diagonal = np.linalg.eigvalsh(np.cov(rows.astype(np.float64).T))
    normalised = math.sqrt(d) * diagonal / np.linalg.norm(diagonal)
    defect = np.linalg.norm(normalised - 1) / math.sqrt(2 * (d - math.sqrt(d)))
    dimensions = (d - defect**2 * (d - math.sqrt(d))) ** 2 / d**2
    authors = (d * dimensions - 1) / (d - 1)
    assert measured(rows)["participation_ratio"].detail["isoscore"] == pytest.approx(authors, rel=1e-12)


def test_norms_of_known_rows():
    rows = np.array([[3, 4], [0, 10], [6, 8], [15, 0]], np.float32)  # 5, 10, 10, 15
    found = measured(rows)
    assert found["norm_mean"].value == 10
    assert found["norm_sd"].value == pytest.approx(math.sqrt(12.5), rel=1e-15)
    assert found["norm_cv"].value == pytest.approx(math.sqrt(12.5) / 10, rel=1e-15)
    assert found["norm_per_coordinate"].value == pytest.approx(10 / math.sqrt(2), rel=1e-15)
    quantiles = found["norm_mean"].detail["quantiles"]
    assert [quantiles[q] for q in ("0", "0.25", "0.5", "1")] == [5, 8.75, 10, 15]


@pytest.mark.parametrize("d", [1, 3, 64, 4096])
def test_gaussian_shell(d):
    null = measured(codes.random_rows(2, d))["norm_cv"].nulls.random
    assert null is not None
    chi = stats.chi(d)
    assert null.value == pytest.approx(chi.std() / chi.mean(), rel=1e-7)


def test_random_rows_lie_on_their_nulls():
    """20,000 normal rows in 50 dimensions: each value within four standard errors of its formula."""
    found = measured(codes.random_rows(20_000, 50, seed=4))
    pairs = 20_000 * 19_999 / 2
    values = {name: (m.value, m.nulls.random.value) for name, m in found.items() if m.nulls.random}
    value, null = values["mean_cosine"]
    assert abs(value - null) < 4 / math.sqrt(50 * pairs)
    value, null = values["mean_square_cosine"]
    assert abs(value - null) < 4 * math.sqrt(2 / 50**2 / pairs)  # var cos² ≤ 2/d²
    value, null = values["norm_cv"]
    assert abs(value - null) < 4 * null / math.sqrt(2 * 20_000)
    # PR = d/(1 + d/n)-like: its relative spread is 2/(n·…) ≪ 1e-3; edges fluctuate by n^(-2/3)
    value, null = values["participation_ratio"]
    assert value == pytest.approx(null, rel=1e-3)
    value, null = values["effective_rank"]
    assert value == pytest.approx(null, rel=1e-3)
    value, null = values["stable_rank"]
    assert value == pytest.approx(null, rel=0.02)


@pytest.mark.parametrize("shape", [(400, 16), (12, 40)], ids=str)
def test_scale_and_rotation_change_nothing(shape):
    rows = codes.lopsided(*shape, seed=5)
    rotation = np.linalg.qr(np.random.default_rng(0).standard_normal((shape[1],) * 2))[0]
    before = measured(rows)
    scaled, turned = measured(rows * np.float32(1024)), measured((rows @ rotation).astype(np.float32))
    for name in (
        "mean_cosine",
        "mean_square_cosine",
        "participation_ratio",
        "effective_rank",
        "stable_rank",
        "norm_cv",
    ):
        # a power of two scales exactly, up to the bisection's last bit; a rotation rounds to float32
        assert scaled[name].value == pytest.approx(before[name].value, rel=1e-13, abs=1e-15), name
        assert turned[name].value == pytest.approx(before[name].value, rel=1e-5), name


def test_a_cloud_far_away_keeps_its_covariance():
    rows = codes.random_rows(5000, 8, seed=6) + np.float32(1e4)
    exact = np.linalg.eigvalsh(np.cov(rows.astype(np.float64).T, bias=True))[::-1]
    assert sums(rows).variances == pytest.approx(exact, rel=1e-10)


def test_one_row_equal_rows_and_one_dimension():
    one = measured(np.array([[3.0, 4.0]]))
    assert one["norm_mean"].value == 5
    assert "mean_cosine" not in one
    assert "participation_ratio" not in one
    assert one["stable_rank"].value == 1
    equal = measured(np.full((7, 3), 0.1))
    assert equal["mean_cosine"].value == pytest.approx(1.0, abs=1e-14)
    assert "participation_ratio" not in equal
    assert equal["stable_rank"].value == pytest.approx(1.0, abs=1e-14)
    line = measured(np.array([[1.0], [-2.0], [3.0]]))
    assert line["mean_cosine"].value == pytest.approx(-1 / 3, abs=1e-15)
    assert line["mean_square_cosine"].value == 1
    assert line["participation_ratio"].value == 1
    assert line["participation_ratio"].detail["isoscore"] is None


def test_float16_rows_whose_squares_overflow():
    rows = np.array([[60000, 0], [0, 60000], [60000, 60000], [np.inf, 0]], np.float16)
    found = measured(rows)
    assert found["norm_mean"].n == 3  # the infinite row is left out
    top = float(rows[0, 0])
    assert found["norm_mean"].value == pytest.approx(top * (2 + math.sqrt(2)) / 3, rel=1e-15)
    assert found["mean_cosine"].value == pytest.approx(2 / 3 * math.sqrt(0.5), rel=1e-14)


def test_tiny_rows_keep_their_direction():
    rows = np.array([[1e-40, 0], [1e-40, 1e-40], [3, 0]], np.float32)  # subnormal: their squares are no float32
    assert measured(rows)["mean_cosine"].value == pytest.approx((1 + 2 * math.sqrt(0.5)) / 3, rel=1e-12)


def test_rows_left_out_do_not_count():
    rows = codes.lopsided(50, 6, seed=7)
    with_holes = np.insert(rows, [0, 10, 50], 0.0, axis=0)
    assert measured(with_holes)["mean_cosine"].value == pytest.approx(measured(rows)["mean_cosine"].value, rel=1e-15)


def test_blocks_do_not_change_what_is_summed():
    rows = codes.lopsided(9001, 5, seed=8)  # three blocks
    first, x = sums(rows), rows.astype(np.float64)
    assert first.mean == pytest.approx(x.mean(0), rel=1e-13)
    u = x / np.linalg.norm(x, axis=1, keepdims=True)
    assert first.unit_sum == pytest.approx(u.sum(0), rel=1e-12)
    assert first.potential == pytest.approx(np.linalg.norm(u.T @ u) ** 2, rel=1e-12)


@pytest.mark.parametrize("shape", [(5000, 6), (4, 6)], ids=str)
def test_matched_rows_have_the_mean_and_covariance(shape):
    rows = codes.lopsided(*shape, seed=9)
    first, x = sums(rows), rows.astype(np.float64)
    drawn = matched_rows(first, 40_000, np.random.default_rng(0)).astype(np.float64)
    drawn *= 2.0 ** np.round(np.log2(np.linalg.norm(x.mean(0)) / np.linalg.norm(drawn.mean(0))))  # up to a power of 2
    covariance = np.cov(x.T, bias=True)
    sd = np.sqrt(np.diag(covariance))
    assert np.abs((drawn.mean(0) - x.mean(0)) / sd).max() < 5 / math.sqrt(40_000)
    error = np.abs(np.cov(drawn.T, bias=True) - covariance) / np.outer(sd, sd)
    assert error.max() < 5 * math.sqrt(2 / 40_000)


@pytest.mark.real
def test_gemma():
    from armillary.study import open

    facts = json.loads((KNOWN / "gemma3_270m.json").read_text())
    first = first_pass(open("demo:gemma3").code)
    found = {m.name: m for m in [*isotropy_measures(first), *norm_measures(first)]}
    assert found["mean_cosine"].value == pytest.approx(facts["mean_pair_cosine"], abs=5.1e-5)
    quantiles = found["norm_mean"].detail["quantiles"]
    assert quantiles["0"] == pytest.approx(facts["norms"]["min"], abs=5.1e-5)
    assert quantiles["0.5"] == pytest.approx(facts["norms"]["median"], abs=5.1e-5)
    assert quantiles["1"] == pytest.approx(facts["norms"]["max"], abs=5.1e-5)


@pytest.mark.real
def test_glove():
    from armillary.study import open

    facts = json.loads((KNOWN / "glove50.json").read_text())
    found = {m.name: m for m in isotropy_measures(first_pass(open("demo:glove").code))}
    assert found["mean_cosine"].value == pytest.approx(facts["mean_pair_cosine"], abs=5.1e-5)


def test_leech_vectors_are_a_tight_frame_with_opposites():
    rows = codes.leech()
    found = measured(rows)
    assert found["mean_cosine"].value == pytest.approx(-1 / (len(rows) - 1), rel=1e-9)
    assert found["mean_square_cosine"].value == pytest.approx((len(rows) / 24 - 1) / (len(rows) - 1), rel=1e-12)
    assert found["participation_ratio"].value == pytest.approx(24, rel=1e-12)
    assert found["norm_cv"].value == pytest.approx(0, abs=1e-12)
