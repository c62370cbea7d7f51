"""The scan against the naive oracle, on codes made to break it: every neighbour, value and extreme pair, ties by id."""

from functools import lru_cache

import numpy as np
import pytest

import oracle
from armillary.errors import UsageError
from armillary.scan import ArrayRows, Scan, kernels, scan
from armillary.scan.crew import Crew
from armillary.scan.moments import moments
from armillary.scan.rows import distinct
from armillary.scan.tail import upper_tail
from codes import e8


def runnable(name):
    """A rung as a parameter; skipped, with the reason, where this processor lacks what it needs."""
    missing = sorted(kernels.KERNELS[name].features - kernels.host_features())
    skip = [pytest.mark.skip(reason=f"this processor has no {', '.join(missing)}")] if missing else []
    return pytest.param(name, marks=skip)


RUNGS = [runnable(name) for name in kernels.KERNELS]
KERNELS = ["auto", *RUNGS]


def random(n, d, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)


def near_ties():
    """Rows whose cosines to row 0 differ by about one float64 ulp, or not at all."""
    rows = np.repeat(random(1, 40), 60, axis=0)
    for i in range(1, 60):
        rows[i, i % 40] = np.nextafter(rows[i, i % 40], np.float32(np.inf))
        rows[i] *= np.float32(2.0 ** (i % 5))
    return np.concatenate([rows, random(30, 40, 1)])


def extreme_scales():
    rows = random(120, 12)
    rows *= (10.0 ** np.random.default_rng(1).uniform(-38, 37, (120, 1))).astype(np.float32)
    rows[7] = np.float32(1e-45)
    rows[8] = np.finfo(np.float32).max
    return rows


def signed_zeros():
    rows = np.random.default_rng(2).integers(-1, 2, (150, 5)).astype(np.float32)
    rows[::2] = np.where(rows[::2] == 0, np.float32(-0.0), rows[::2])
    return rows[rows.any(axis=1)]


CODES = {
    "random": random(300, 33),
    "E8": e8(),
    "one-hot": np.eye(130, dtype=np.float32),
    "simplex": (np.eye(60) - 1 / 60).astype(np.float32),
    "50-fold duplicates": np.random.default_rng(3).permutation(np.repeat(random(6, 5), 50, axis=0)),
    "all equal": np.ones((40, 3), np.float32),
    "parallel": np.outer(2.0 ** np.arange(-60, 60), [3, -1, 2]).astype(np.float32),
    "signed zeros": signed_zeros(),
    "near ties": near_ties(),
    "scales": extreme_scales(),
    "ratios within a row": np.exp(np.random.default_rng(4).uniform(-80, 80, (200, 7))).astype(np.float32),
    "integers": np.random.default_rng(5).integers(-2, 3, (400, 6)).astype(np.float32) * 2 + 1,
    "a line": np.array([[1], [2], [-1], [3e38], [1e-45]], np.float32),
    "two rows": random(2, 3),
    "one row": random(1, 3),
    "a block less one": random(511, 4),
    "a block": random(512, 4),
    "a block and one": random(513, 4),
    "two thousand columns": random(2049, 3),
}


def agree(found: Scan, rows: np.ndarray, k: int, some=None) -> None:
    """The scan of rows is that of the oracle: of all rows, or of some where there are many."""
    n = len(rows)
    assert found.k == min(k, n - 1)
    assert found.pairs == n * (n - 1) // 2
    if some is None:
        agree_whole(found, *others(rows.shape, rows.tobytes()))
    else:
        squared = oracle.squared_norms(rows)
        for i in some:
            ids, values = oracle.neighbors(rows, i, k, squared)
            assert found.neighbors[i].tolist() == ids.tolist()
            assert found.similarities[i].tolist() == values.tolist()
    assert found.occurrence.tolist() == np.bincount(found.neighbors.ravel(), minlength=n).tolist()


@lru_cache(maxsize=4)
def others(shape: tuple[int, int], data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """(cosines of all rows, the others of each row by value descending and position), once for all rungs and k."""
    cosines = oracle.cosine_matrix(np.frombuffer(data, np.float32).reshape(shape))
    n = len(cosines)
    order = np.lexsort((np.broadcast_to(np.arange(n), cosines.shape), -cosines), axis=1)
    return cosines, order[order != np.arange(n)[:, None]].reshape(n, n - 1)


def agree_whole(found: Scan, cosines: np.ndarray, order: np.ndarray) -> None:
    n, order = len(cosines), order[:, : found.k]
    np.testing.assert_array_equal(found.neighbors, order)
    np.testing.assert_array_equal(found.similarities, np.take_along_axis(cosines, order, 1))
    if n > 1:
        i, j = np.triu_indices(n, 1)
        value = cosines[i, j]
        for pair, at in ((found.closest, np.argmax(value)), (found.farthest, np.argmin(value))):
            assert (pair.value, pair.i, pair.j) == (value[at], i[at], j[at])


def test_the_two_oracles_agree():
    rows = CODES["ratios within a row"]
    whole = oracle.cosine_matrix(rows)
    assert (whole == [oracle.cosines(row, rows) for row in rows]).all()
    closest, farthest = oracle.extreme_pairs(rows)
    value = whole[np.triu_indices(len(rows), 1)]
    assert (closest[0], farthest[0]) == (value.max(), value.min())


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", CODES)
def test_every_row_of_an_adversarial_code(name, kernel):
    rows = CODES[name]
    some = range(0, 2049, 37) if len(rows) > 1000 else None
    for k in (1, 10) if len(rows) > 1000 else (1, 10, len(rows) + 5):
        agree(scan(ArrayRows(rows), k=k, kernel=kernel, histogram="none"), rows, k, some)


@pytest.mark.long
def test_a_code_wider_than_a_float32_sum_is_exact():
    rows = random(60, 5000)
    agree(scan(ArrayRows(rows), k=3, kernel="portable"), rows, 3)


def test_ids_name_the_rows_and_self_is_removed_by_id():
    rows = np.ones((4, 2), np.float32)
    found = scan(ArrayRows(rows), np.array([3, 5, 8, 9]), k=2)
    assert found.neighbors.tolist() == [[5, 8], [3, 8], [3, 5], [3, 5]]
    assert (found.closest.i, found.closest.j, found.closest.value) == (3, 5, 1.0)
    assert found.closest_distinct is None


def test_closest_distinct_passes_over_equal_rows():
    rows = np.array([[1, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    found = scan(ArrayRows(rows), k=1)
    assert (found.closest.value, found.closest.i, found.closest.j) == (1.0, 0, 1)
    assert (found.closest_distinct.i, found.closest_distinct.j) == (0, 2)
    assert found.closest_distinct.value == 1 / np.sqrt(2.0)


def test_the_certificate_is_false_exactly_where_a_tie_was_settled_by_id():
    rows = np.array([[1, 0], [1, 1], [1, -1], [-3, 1]], np.float32)
    found = scan(ArrayRows(rows), k=1)
    assert found.certificate.tolist() == [False, True, True, True]


@pytest.mark.parametrize("kernel", KERNELS)
def test_histogram_counts_every_pair_in_its_left_closed_bin(kernel):
    rows = np.concatenate([CODES["integers"], CODES["E8"][:, :6], CODES["50-fold duplicates"][:, [0, 1, 2, 3, 4, 4]]])
    rows = rows[rows.any(axis=1)]
    counts, edges = np.zeros(2048, int), np.linspace(-1, 1, 2049)
    bins = np.searchsorted(edges, oracle.cosine_matrix(rows)[np.triu_indices(len(rows), 1)], "right") - 1
    counts += np.bincount(np.minimum(bins, 2047), minlength=2048)
    found = scan(ArrayRows(rows), histogram="exact", kernel=kernel).histogram
    assert found.kind == "exact"
    assert found.counts.tolist() == counts.tolist()


def test_a_sampled_histogram_is_that_of_its_pairs_whatever_the_threads():
    rows = random(300, 20)
    one, two = (scan(ArrayRows(rows), pairs=20_000, kernel="portable", threads=t).histogram for t in (1, 2))
    assert one.kind == "estimate" and one.pairs == 20_000 == one.counts.sum()
    assert one.counts.tolist() == two.counts.tolist()
    exact = scan(ArrayRows(rows), histogram="exact").histogram
    share = exact.counts[:1024].sum() / exact.pairs
    assert abs(one.counts[:1024].sum() / 20_000 - share) < 5 * np.sqrt(share * (1 - share) / 20_000)


def test_moments_are_those_of_all_pairs():
    rows = np.concatenate([random(200, 9), random(20, 9), random(20, 9)])
    values = oracle.cosine_matrix(rows)[np.triu_indices(len(rows), 1)]
    for kernel in ("auto", "portable"):
        found = scan(ArrayRows(rows), kernel=kernel).moments
        assert found.mean == pytest.approx(values.mean(), rel=0, abs=1e-15)
        assert found.mean_square == pytest.approx((values**2).mean(), rel=0, abs=1e-15)


def test_moments_do_not_depend_on_the_threads():
    rows = distinct(random(9000, 33))
    alone = moments(rows)
    for threads in (1, 2, 5):
        with Crew(threads) as crew:
            assert moments(rows, crew) == alone


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, "expected k of at least 1, found 0"),
        ({"histogram": "all"}, "expected a histogram that is sampled, exact or none, found 'all'"),
        (
            {"kernel": "gpu"},
            "expected a kernel among auto, avx512-vnni, avx2, avx512-float32, avx2-float32, portable, found 'gpu'",
        ),
        ({"pairs": 0}, "expected at least one pair to draw, found 0"),
        ({"ids": np.array([2, 1])}, "expected 2 ascending ids, found 2"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments, message):
    with pytest.raises(UsageError, match=message):
        scan(ArrayRows(random(2, 3)), **arguments)


@pytest.mark.parametrize("name", ["random", "E8", "50-fold duplicates", "integers", "two rows"])
@pytest.mark.parametrize("k", [1, 10, 400])
def test_the_upper_end_of_the_histogram_is_exact_though_it_is_sampled(name, k):
    rows = CODES[name]
    values = oracle.cosine_matrix(rows)[np.triu_indices(len(rows), 1)]
    counts = np.bincount(np.minimum(np.floor(values * 1024) + 1024, 2047).astype(int), minlength=2048)
    first, tail = upper_tail(scan(ArrayRows(rows), k=k, pairs=5))
    assert tail.tolist() == counts[first:].tolist()
    largest = np.sort(oracle.cosine_matrix(rows) - 3 * np.eye(len(rows)), axis=1)[:, -min(k, len(rows) - 1)].max()
    assert first == (0 if k >= len(rows) - 1 else min(int(np.floor(largest * 1024)) + 1024, 2047) + 1)
