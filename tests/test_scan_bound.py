"""The hunt for a violated bound: adversarial rows of 1 to 5,000 coordinates, products summed in several orders."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from armillary.scan import cosine, loops
from armillary.scan.bound import FLOAT64_ROUNDOFF, gamma, raw_bound, screen_bound, unit_bound
from armillary.scan.nearest import _errors, _score, _screen
from armillary.scan.rows import distinct

ROWS = 12


def constant(random, d):
    return np.full((ROWS, d), random.uniform(0.1, 1)) + random.integers(-1, 2, (ROWS, d)) * 2.0**-24


def ratios(random, d):
    return np.exp(random.uniform(-80, 80, (ROWS, d))) * random.choice([-1, 1], (ROWS, d))


def denormal(random, d):
    return random.integers(-9, 10, (ROWS, d)) * 2.0**-149


def huge(random, d):
    return random.uniform(-1, 1, (ROWS, d)) * float(np.finfo(np.float32).max)


def one_coordinate(random, d):
    rows = random.standard_normal((ROWS, d)) * 1e-4
    rows[np.arange(ROWS), random.integers(0, d, ROWS)] = 1e4
    return rows


def one_hot(random, d):
    return np.eye(d)[random.integers(0, d, ROWS)]


def near_ties(random, d):
    rows = np.repeat(random.standard_normal((1, d)), ROWS, axis=0).astype(np.float32)
    return np.nextafter(rows, random.choice([-9, 9], rows.shape).astype(np.float32))


def lattice(random, d):
    return random.choice([-4, -3, -2, -1, 0, 1, 2, 3, 4], (ROWS, d))


FAMILIES = [constant, ratios, denormal, huge, one_coordinate, one_hot, near_ties, lattice]
adversarial = st.tuples(
    st.sampled_from(FAMILIES), st.one_of(st.integers(1, 40), st.integers(1, 5000)), st.integers(0, 2**32 - 1)
)


def made(case):
    family, d, seed = case
    rows = family(np.random.default_rng(seed), d).astype(np.float32)
    rows[~rows.any(axis=1), 0] = 1
    return rows


def products_in_orders(unit):
    """The Gram matrix in the arithmetic of its dtype, summed by BLAS, forwards, and by rising magnitude."""
    terms = unit[:, None, :] * unit[None, :, :]
    yield unit @ unit.T
    yield np.add.accumulate(terms, axis=2)[..., -1]
    order = np.argsort(np.abs(terms), axis=2)
    yield np.add.accumulate(np.take_along_axis(terms, order, 2), axis=2)[..., -1]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(adversarial)
def test_no_screened_value_leaves_its_bound(case):
    rows = made(case)
    merged = distinct(rows)
    defined = oracle.cosine_matrix(rows)[np.ix_(merged.first, merged.first)]
    for dtype, roundoff in ((np.float32, 2.0**-24), (np.float64, FLOAT64_ROUNDOFF)):
        unit = merged.unit(0, len(merged), dtype)
        for screened in products_in_orders(unit):
            assert np.abs(screened - defined).max() <= screen_bound(rows.shape[1], roundoff)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(adversarial, st.sampled_from(["cosine", "dot", "euclidean"]))
def test_no_score_of_a_query_leaves_its_margin(case, metric):
    rows = made(case)
    query = rows[:1]
    squared = cosine.squared_norms(query)
    unit = (query / np.sqrt(squared)[:, None]).astype(np.float32)
    score, margin = _score(metric, *_screen(rows, unit), squared, *_errors(rows.shape[1]))
    if metric == "cosine":
        true = oracle.cosines(query[0], rows)
    elif metric == "dot":
        true = oracle.products(query[0], rows)
    else:
        true = -(((rows.astype(np.float64) - query.astype(np.float64)) ** 2).sum(axis=1))
    assert (np.abs(score - true) <= margin).all()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(adversarial)
def test_no_product_of_raw_rows_leaves_its_bound(case):
    """In whatever order it is summed, in float32 where the norms allow it."""
    rows = made(case)
    squared = oracle.squared_norms(rows)
    single, bound = raw_bound(rows.shape[1], squared.min(), squared.max())
    defined = oracle.cosine_matrix(rows)
    for i, j in np.ndindex(ROWS, ROWS):
        v = loops.cosine(loops.fast_product(rows, i, rows, j, single), squared[i], squared[j])
        assert abs(v - defined[i, j]) <= bound


def test_the_hunt_can_succeed():
    """Sums of 5,000 equal float32 terms do err by more than the normalisation alone allows."""
    unit = distinct(np.full((1, 5000), 0.7, np.float32)).unit(0, 1)
    worst = max(abs(float(v[0, 0]) - 1) for v in products_in_orders(unit))
    assert 2 * unit_bound(5000) + 1e-9 < worst < screen_bound(5000)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(adversarial)
def test_the_loop_is_one_loop(case):
    """Compiled, by numpy and as written again in the oracle: equal to the last bit."""
    rows = made(case)
    first = np.arange(ROWS)
    squared = np.empty(ROWS)
    loops.squared_norms(rows, first, 0, ROWS, squared)
    assert squared.tobytes() == cosine.squared_norms(rows).tobytes() == oracle.squared_norms(rows).tobytes()
    products = np.array([loops.product(rows, 0, b) for b in first])
    plain = cosine.row_products(np.broadcast_to(rows[0], rows.shape), rows)
    assert products.tobytes() == plain.tobytes() == oracle.products(rows[0], rows).tobytes()
    i, j, value, keep = np.zeros(ROWS, np.int32), first.astype(np.int32), np.empty(ROWS), np.full(ROWS, -2.0)
    sides = (rows, first, squared, rows, first, squared, keep, keep)
    assert loops.score(*sides, -2.0, False, 1.0, i, j, value, ROWS) == ROWS
    assert value.tobytes() == oracle.cosines(rows[0], rows).tobytes()


def test_gamma_is_that_of_higham():
    assert gamma(3, 2.0**-2) == 3.0
    assert screen_bound(640) == pytest.approx(640 * 2**-24 + 2 * 2**-24, rel=1e-3)
