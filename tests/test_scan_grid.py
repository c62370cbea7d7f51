"""Rows on a grid: which rows are, and that their products are those of the defining loop to the last bit."""

import numpy as np
import pytest

import oracle
from armillary.scan import ArrayRows, even_moments, scan
from armillary.scan.grid import grid_of
from codes import random_rows
from test_scan_exact import agree


def grid(rows):
    rows = np.asarray(rows, np.float32)
    return grid_of(rows, np.arange(len(rows)))


@pytest.mark.parametrize("scale", [1.0, 2.0**-7, 2.0**90, 2.0**-149])
def test_products_are_those_of_the_loop(scale):
    rows = (np.random.default_rng(0).integers(-127, 128, (50, 384)) * scale).astype(np.float32)
    found = grid(rows)
    assert found is not None and (found.whole * found.unit == rows).all()
    products = np.array([oracle.products(row, rows) for row in rows])
    assert (found.products(slice(None), np.arange(50)) == products).all()


def test_the_finest_grid_is_the_limit_of_float32():
    assert grid([[4095, 1]]) is None  # 2 · 4095² > 2²⁴
    assert grid([[2896, 1]]) is not None and grid([[2897, 1]]) is None  # 2 · 2896² ≤ 2²⁴ < 2 · 2897²
    assert grid([[4096]]) is not None and grid([[4097]]) is None
    assert grid(np.full((1, 256), 256)) is not None and grid([[257, *[256] * 255]]) is None


def test_other_rows_have_none():
    assert grid(random_rows(9, 5)) is None
    assert grid([[1, 0], [1, 2.0**-20]]) is None
    assert grid(np.zeros((2, 2))) is None


def test_only_the_rows_asked_for_count():
    rows = np.array([[1, 2], [0.3, 0.1], [3, 4]], np.float32)
    assert grid_of(rows, np.array([0, 2])) is not None and grid_of(rows, np.arange(3)) is None


@pytest.mark.parametrize("k", [7, 520])
def test_hundreds_of_one_hot_rows(k):
    rows = np.random.default_rng(0).permutation(np.eye(520, dtype=np.float32))
    agree(scan(ArrayRows(rows), k=k, histogram="exact"), rows, k)


def test_even_moments_are_those_of_all_ordered_pairs():
    rows = np.concatenate([random_rows(1100, 5), random_rows(40, 5, 1), random_rows(40, 5, 1)])
    cosines = oracle.cosine_matrix(rows)
    assert even_moments(ArrayRows(rows), [1, 3]) == pytest.approx([(cosines**2).mean(), (cosines**6).mean()], rel=1e-12)
