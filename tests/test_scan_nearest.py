"""One query and pairs above a threshold, against the oracle and the scan."""

import os
import subprocess
import sys

import numpy as np
import pytest

import oracle
from armillary.errors import UsageError
from armillary.scan import ArrayRows, above, even_moments, nearest, pairs_above, scan
from armillary.scan.plan import Plan
from test_scan_exact import CODES, KERNELS, RUNGS, random

SOURCE = os.pathsep.join(sys.path)  # pytest's own, for a fresh interpreter


def expected(rows, query, metric):
    if metric == "cosine":
        return -oracle.cosines(query, rows)
    if metric == "dot":
        return -oracle.products(query, rows)
    total = np.zeros(len(rows))
    for q in range(rows.shape[1]):
        total += (rows[:, q].astype(np.float64) - np.float64(query[q])) ** 2
    return np.sqrt(total)


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
@pytest.mark.parametrize("name", CODES)
def test_a_query_is_exact_under_every_metric(name, metric):
    rows = CODES[name]
    queries = np.concatenate([rows[:3], random(2, rows.shape[1], 9), -rows[-1:]])
    k = min(10, len(rows))
    found = nearest(ArrayRows(rows), queries, k=10, metric=metric)
    for at, query in enumerate(queries):
        key = expected(rows, query, metric)
        order = np.lexsort((np.arange(len(rows)), key))[:k]
        assert found.positions[at].tolist() == order.tolist()
        assert found.values[at].tolist() == (key[order] if metric == "euclidean" else -key[order]).tolist()


@pytest.mark.parametrize("kernel", RUNGS)
@pytest.mark.parametrize("name", CODES)
def test_a_batch_through_a_kernel_is_its_queries_one_by_one(name, kernel):
    """Rows of the table itself, others, and opposites; some rows not searched."""
    rows = CODES[name]
    queries = np.concatenate([rows[:40], random(5, rows.shape[1], 9), -rows[-2:]])
    exclude = range(1, len(rows), 3)
    one = nearest(ArrayRows(rows), queries, k=6, exclude=exclude)
    many = nearest(ArrayRows(rows), queries, k=6, exclude=exclude, kernel=kernel)
    assert many.positions.tolist() == one.positions.tolist()
    assert many.values.tolist() == one.values.tolist()


def test_many_vectors_against_a_large_table_are_the_scan():
    rows = random(2600, 20)
    found, whole = nearest(ArrayRows(rows), rows[:300], k=6), scan(ArrayRows(rows), k=5)
    assert (found.positions[:, 0] == np.arange(300)).all()
    assert found.positions[:, 1:].tolist() == whole.neighbors[:300].tolist()
    assert found.values[:, 1:].tolist() == whole.similarities[:300].tolist()


def test_a_row_as_a_query_equals_the_scan():
    rows = random(600, 50)
    found = scan(ArrayRows(rows), k=7)
    for i in (0, 17, 599):
        one = nearest(ArrayRows(rows), rows[i], k=7, exclude=[i])
        assert one.positions[0].tolist() == found.neighbors[i].tolist()
        assert one.values[0].tolist() == found.similarities[i].tolist()


def test_more_vectors_than_one_pass_holds():
    rows = random(90, 6)
    found = nearest(ArrayRows(rows), rows[:40], k=1)
    assert found.positions[:, 0].tolist() == list(range(40))


def test_excluded_rows_are_not_searched():
    rows = random(5, 3)
    found = nearest(ArrayRows(rows), rows[0], k=9, exclude=[0, 3])
    assert sorted(found.positions[0].tolist()) == [1, 2, 4]


@pytest.mark.parametrize(
    ("vectors", "arguments", "message"),
    [
        (np.ones(4), {}, "expected vectors of 3 coordinates"),
        (np.zeros(3), {}, "expected a vector with a direction, found zero"),
        (np.full(3, np.nan), {}, "expected finite vectors"),
        (np.ones(3), {"metric": "manhattan"}, "expected a metric among cosine, dot, euclidean, found 'manhattan'"),
        (np.ones(3), {"k": 0}, "expected k of at least 1, found 0"),
    ],
)
def test_queries_that_cannot_be_meant_are_refused(vectors, arguments, message):
    with pytest.raises(UsageError, match=message):
        nearest(ArrayRows(random(5, 3)), vectors, **arguments)


def test_a_zero_vector_has_distances_and_products():
    rows = random(5, 3)
    assert nearest(ArrayRows(rows), np.zeros(3), metric="dot").positions[0].tolist() == [0, 1, 2, 3, 4]
    order = np.argsort(oracle.squared_norms(rows))
    assert nearest(ArrayRows(rows), np.zeros(3), metric="euclidean").positions[0].tolist() == order.tolist()


def test_a_query_and_a_small_scan_load_no_numba():
    code = (
        "import sys, numpy as np; from armillary.scan import *;"
        "rows = ArrayRows(np.eye(50, dtype='f4')); nearest(rows, np.ones(50)); scan(rows); list(pairs_above(rows, 0.5));"
        "sys.exit('numba' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": SOURCE}, check=False).returncode
        == 0
    )


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", ["random", "E8", "50-fold duplicates", "signed zeros", "near ties", "parallel"])
def test_pairs_above_are_all_pairs_at_or_above(name, kernel):
    rows = CODES[name]
    i, j = np.triu_indices(len(rows), 1)
    pairs = dict(zip(zip(i.tolist(), j.tolist(), strict=True), oracle.cosine_matrix(rows)[i, j], strict=True))
    for threshold in (0.5, float(sorted(pairs.values())[-20])):
        found, blocks = {}, list(pairs_above(ArrayRows(rows), threshold, kernel=kernel))
        for block in blocks:
            found.update(zip(zip(block.i.tolist(), block.j.tolist(), strict=True), block.value, strict=True))
        assert found == {pair: value for pair, value in pairs.items() if value >= threshold}
        assert sum(len(block.i) for block in blocks) == len(found)  # each once


@pytest.mark.parametrize("kernel", KERNELS)
def test_blocks_of_pairs_are_bounded_whatever_the_threshold(kernel, monkeypatch):
    """All pairs of a table with rows many times over; room for few at a time."""
    monkeypatch.setattr(above, "_PAIRS", 500)
    monkeypatch.setattr(Plan, "candidates", property(lambda plan: 1 << 10))
    rows = np.concatenate([np.repeat(random(2, 5), 40, axis=0), random(150, 5, 1)])
    blocks, seen = [], []
    for block in pairs_above(ArrayRows(rows), -1.5, kernel=kernel, progress=lambda *done: seen.append(done)):
        blocks.append(block)
        assert len(block.i) <= 500
    pairs = [pair for block in blocks for pair in zip(block.i.tolist(), block.j.tolist(), strict=True)]
    assert sorted(pairs) == list(zip(*(side.tolist() for side in np.triu_indices(230, 1)), strict=True))
    assert seen[-1] == (152 * 151 // 2, 152 * 151 // 2)


def test_pairs_come_in_an_order_that_does_not_depend_on_the_threads():
    rows = random(2500, 6)
    one, two = (list(pairs_above(ArrayRows(rows), 0.99, threads=threads)) for threads in (1, 3))
    for name in ("i", "j", "value"):
        assert [getattr(block, name).tolist() for block in one] == [getattr(block, name).tolist() for block in two]


def test_even_moments_of_e8_are_those_of_a_7_design():
    found = even_moments(ArrayRows(CODES["E8"]), [1, 2, 3, 4])
    assert found == pytest.approx([1 / 8, 3 / 80, 15 / 960, 0.01015625], rel=1e-13)
