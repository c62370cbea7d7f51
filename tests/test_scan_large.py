"""The scan of whole tables against the oracle: the demo, Leech's vectors, tables past every block edge."""

import os
import subprocess
import sys

import numpy as np
import pytest

import oracle
from armillary import catalog
from armillary.formats import open_table
from armillary.scan import ArrayRows, even_moments, scan
from armillary.scan.kernels import choose
from armillary.scan.result import Scan
from armillary.scan.rows import read_rows
from codes import leech
from test_scan_exact import RUNGS, agree, random


def test_a_table_of_many_tiles():
    rows = random(5000, 40)
    agree(scan(ArrayRows(rows), threads=2), rows, 10, range(0, 5000, 53))


def test_long_lists_take_the_plain_path():
    rows = random(2001, 8)
    agree(scan(ArrayRows(rows), k=400), rows, 400, range(0, 2001, 211))


def test_a_hundred_neighbours_are_still_lists():
    rows = random(2100, 8)
    found = scan(ArrayRows(rows), k=100)
    assert found.kernel == choose(8) != "plain"
    agree(found, rows, 100, range(0, 2100, 211))
    assert scan(ArrayRows(rows), k=101).kernel == "plain"


def test_a_table_is_scanned_from_a_memory_map(tmp_path):
    """Read-only, opened from a file; nothing of it is copied whole but what the plan states."""
    rows = random(2500, 16)
    np.save(tmp_path / "rows.npy", rows)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    found = ArrayRows(mapped)
    assert np.shares_memory(read_rows(found), mapped)
    agree(scan(found), rows, 10, range(0, 2500, 211))


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


@pytest.mark.parametrize(("n", "kernel"), [(520, "portable"), (600, "auto"), (2100, "auto")])
def test_one_hot_rows_tie_everywhere(n, kernel):
    found = scan(ArrayRows(np.eye(n, dtype=np.float32)), k=3, kernel=kernel)
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


def rows_of(name, count=None):
    """The rows of a named table that have a direction, or the first of them."""
    table = open_table(catalog.resolve(name))
    rows = table.vectors.block(0, len(table) if count is None else count)
    return np.ascontiguousarray(rows[oracle.squared_norms(rows) > 0])


@pytest.fixture(scope="module")
def demo():
    rows = rows_of("demo")
    assert rows.shape == (32_000, 256)
    return rows


def agree_on(found: Scan, rows: np.ndarray, some: np.ndarray) -> None:
    """The neighbours and values of `some` rows are the oracle's among all; where `some` is all, so are the extremes."""
    closest, farthest = (-2.0, 0, 0), (2.0, 0, 0)
    for at, cosines in oracle.cosine_blocks(rows, some):
        for i, values in zip(at.tolist(), cosines, strict=True):
            order = np.flatnonzero(values >= np.partition(values, -found.k - 1)[-found.k - 1])  # the rest sort after
            order = order[np.lexsort((order, -values[order]))]
            order = order[order != i][: found.k]
            assert found.neighbors[i].tolist() == order.tolist()
            assert found.similarities[i].tolist() == values[order].tolist()
            if i < len(rows) - 1:
                high, low = i + 1 + np.argmax(values[i + 1 :]), i + 1 + np.argmin(values[i + 1 :])
                closest = max(closest, (values[high], i, high), key=lambda pair: pair[0])  # the first of equals stays
                farthest = min(farthest, (values[low], i, low), key=lambda pair: pair[0])
    if len(some) == len(rows):
        assert (found.closest.value, found.closest.i, found.closest.j) == closest
        assert (found.farthest.value, found.farthest.i, found.farthest.j) == farthest


def test_blocks_of_the_oracle_are_its_rows():
    rows = random(300, 7)
    for at, cosines in oracle.cosine_blocks(rows, np.array([0, 17, 299]), block=2):
        assert (cosines == [oracle.cosines(rows[i], rows) for i in at]).all()


@pytest.mark.real
def test_two_thousand_rows_of_the_demo(demo):
    agree_on(scan(ArrayRows(demo)), demo, np.random.default_rng(0).choice(len(demo), 2000, replace=False))
    part = demo[np.random.default_rng(1).choice(len(demo), 2000, replace=False)]
    agree(scan(ArrayRows(part)), part, 10)  # all pairs, the extreme ones too


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize("name", ["demo", "demo:minilm"])
def test_every_row_of_a_whole_table(name):
    rows = rows_of(name)
    agree_on(scan(ArrayRows(rows)), rows, np.arange(len(rows)))


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize(("name", "count"), [("demo:gemma3", 65_536), ("demo:glove", None), ("demo:gemma3", None)])
def test_two_thousand_rows_of_a_large_table(name, count):
    rows = rows_of(name, count)
    agree_on(scan(ArrayRows(rows)), rows, np.sort(np.random.default_rng(0).choice(len(rows), 2000, replace=False)))


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize("kernel", RUNGS)
def test_every_rung_on_rows_of_the_demo(demo, kernel):
    agree_on(
        scan(ArrayRows(demo), kernel=kernel), demo, np.random.default_rng(2).choice(len(demo), 1000, replace=False)
    )


@pytest.mark.slow
@pytest.mark.real
def test_memory_is_what_the_plan_says():
    """The peak of a fresh process beyond what it held before the scan, on the slice of a large table."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    used, planned = map(int, done.stdout.split())
    assert used <= planned


MEMORY = """
import resource
import numpy as np
from armillary.scan import ArrayRows, scan
from armillary.scan.plan import Plan

scan(ArrayRows(np.random.default_rng(0).standard_normal((3000, 300), dtype=np.float32)), threads=2)  # compile, load
rows = np.random.default_rng(0).standard_normal((40_000, 300), dtype=np.float32)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
scan(ArrayRows(rows), threads=2)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(after - before, Plan.of(40_000, 40_000, 300, 11, 2).bytes)
"""
