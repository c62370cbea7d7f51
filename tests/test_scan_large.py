"""The scan of whole tables against the oracle: the demo, Leech's vectors, tables past every block edge."""

import numpy as np
import pytest

import oracle
from armillary import catalog
from armillary.formats import open_table
from armillary.scan import ArrayRows, even_moments, scan
from codes import leech
from test_scan_exact import agree, random


def test_a_table_of_many_tiles():
    rows = random(5000, 40)
    agree(scan(ArrayRows(rows), threads=2), rows, 10, range(0, 5000, 53))


def test_long_lists_take_the_plain_path():
    rows = random(2001, 8)
    agree(scan(ArrayRows(rows), k=400), rows, 400, range(0, 2001, 211))


def test_equal_rows_among_many_tiles():
    rows = np.random.default_rng(0).permutation(np.concatenate([random(2500, 6), *[random(40, 6, 1)] * 30]))
    found = scan(ArrayRows(rows))
    agree(found, rows, 10, range(0, len(rows), 41))
    assert found.closest.value == 1.0 and found.closest_distinct.value < 1.0


def test_floods_of_ties_in_many_tiles():
    """A small alphabet in six dimensions: every list overflows, the least cosine is attained many times."""
    rows = np.unique(np.random.default_rng(0).integers(-3, 4, (6000, 6)), axis=0).astype(np.float32) * 2 + 1
    agree(scan(ArrayRows(rows)), rows, 10, range(0, len(rows), 61))
    small = np.random.default_rng(1).permutation(rows)[:700]
    agree(scan(ArrayRows(small), kernel="portable"), small, 10)


def test_one_hot_rows_tie_everywhere():
    found = scan(ArrayRows(np.eye(520, dtype=np.float32)), k=3, kernel="portable")
    assert found.neighbors[0].tolist() == [1, 2, 3]
    assert found.neighbors[1:4].tolist() == [[0, 2, 3], [0, 1, 3], [0, 1, 2]]
    assert (found.neighbors[4:] == [0, 1, 2]).all()
    assert (found.closest.value, found.closest.i, found.closest.j) == (0.0, 0, 1)
    assert (found.farthest.value, found.farthest.i, found.farthest.j) == (0.0, 0, 1)
    assert not found.certificate.any()


@pytest.mark.slow
def test_leech_minimal_vectors():
    rows = leech()
    found = scan(ArrayRows(rows))
    agree(found, rows, 10, np.random.default_rng(0).choice(len(rows), 200, replace=False))
    assert (found.similarities == 0.5).all()
    assert found.farthest.value == -1.0
    assert even_moments(ArrayRows(rows), range(1, 6)) == pytest.approx(
        [np.prod([(2 * i + 1) / (24 + 2 * i) for i in range(k)]) for k in range(1, 6)], rel=1e-12
    )


def test_a_part_of_the_leech_vectors():
    rows = np.random.default_rng(0).permutation(leech())[:6000]
    agree(scan(ArrayRows(rows)), rows, 10, range(0, 6000, 61))


@pytest.fixture(scope="module")
def demo():
    table = open_table(catalog.resolve("demo"))
    rows = table.vectors.block(0, len(table))
    assert rows.shape == (32_000, 256)
    assert oracle.squared_norms(rows).all()
    return rows


@pytest.mark.real
def test_two_thousand_rows_of_the_demo(demo):
    agree(scan(ArrayRows(demo)), demo, 10, np.random.default_rng(0).choice(len(demo), 200, replace=False))
    part = demo[np.random.default_rng(1).choice(len(demo), 2000, replace=False)]
    agree(scan(ArrayRows(part)), part, 10)


@pytest.mark.slow
@pytest.mark.real
def test_every_row_of_the_demo(demo):
    agree(scan(ArrayRows(demo)), demo, 10)
