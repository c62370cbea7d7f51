"""Coherence, angles, hubs, duplicates and closest pairs, on codes whose values are known, over a naive scan."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import codes
from armillary import bounds
from armillary.geometry import (
    DEFINITIONS,
    alignment,
    closest_pairs,
    cloud_measures,
    compare,
    crowd_measures,
    even_moments,
    first_pass,
    isotropy_measures,
    norm_measures,
    sphere_measures,
)
from armillary.geometry.angle import angle
from armillary.geometry.duplicates import equal_groups, near_groups
from armillary.geometry.health import KINDS, health_measures
from armillary.geometry.nulls import exact_scan, matched_rows
from armillary.geometry.two_tables import compare_tables
from armillary.measure import Measure
from armillary.sphere import Code
from armillary.table import Table
from naive_scan import naive_scan

KNOWN = Path(__file__).parent / "known"


def code_of(rows: np.ndarray) -> Code:
    return Code.of(Table.from_array(rows))


def measured(rows: np.ndarray, k: int = 10) -> dict[str, Measure]:
    code = code_of(rows)
    scan = naive_scan(code, k)
    return {m.name: m for m in [*sphere_measures(code, scan), *crowd_measures(code, scan)]}


@pytest.mark.parametrize(
    ("rows", "coherence", "largest", "smallest"),
    [
        (codes.one_hot(6), 0.0, 0.0, 0.0),
        (codes.cross_polytope(6), 1.0, 0.0, -1.0),
        (codes.simplex(6), 1 / 6, -1 / 6, -1 / 6),
        (codes.e8(), 1.0, 0.5, -1.0),
        (codes.steiner(), 1 / 3, 1 / 3, -1 / 3),
        (codes.threes(), 1 / 3, 1 / 3, -1 / 3),
    ],
    ids=["one-hot", "cross-polytope", "simplex", "E8", "Steiner", "threes"],
)
def test_extreme_cosines_of_known_codes(rows, coherence, largest, smallest):
    found = measured(rows)
    assert found["coherence"].value == pytest.approx(coherence, abs=1e-15)
    assert found["coherence_distinct"].value == found["coherence"].value
    assert found["largest_cosine"].value == pytest.approx(largest, abs=1e-15)
    assert found["smallest_cosine"].value == pytest.approx(smallest, abs=1e-15)
    assert found["minimum_angle"].value == pytest.approx(math.degrees(math.acos(largest)), rel=1e-14)


@pytest.mark.parametrize("rows", [codes.steiner(), codes.icosahedron()], ids=["Steiner", "icosahedron"])
def test_equiangular_tight_frames_leave_no_gap(rows):
    assert measured(rows)["bound_gap"].value == pytest.approx(0.0, abs=1e-15 if len(rows) == 16 else 1e-8)


def test_a_sharp_code_meets_the_largest_angle():
    found = measured(codes.e8())["minimum_angle"]
    assert found.nulls.bound is not None
    assert found.value == pytest.approx(found.nulls.bound.value, rel=1e-14)


def test_the_pair_belongs_to_the_value():
    rows = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, -2, -2], [0, 3, 4]], np.float32)
    found = measured(rows)
    assert found["coherence"].detail["pair"] == [3, 4]  # −14/15
    assert found["coherence"].detail["cosine"] == pytest.approx(-14 / 15, abs=1e-15)
    assert found["largest_cosine"].detail["pair"] == [2, 4]
    assert found["largest_cosine"].value == pytest.approx(0.8, abs=1e-15)
    assert found["smallest_cosine"].detail["tokens"] == ["#3", "#4"]


def test_ids_are_of_the_table_not_of_the_code():
    rows = np.array([[0, 0], [1, 0], [0, 0], [0, 1], [1, 1]], np.float32)
    found = measured(rows)
    assert found["largest_cosine"].detail["pair"] == [1, 4]
    assert found["largest_cosine"].n == 3
    code = code_of(rows)
    assert [(p.i, p.j) for p in closest_pairs(code, naive_scan(code)).pairs] == [(1, 4), (3, 4), (1, 3)]


@pytest.mark.parametrize("power", [3, 6, 7])
def test_small_angles_keep_their_digits(power):
    # float32 holds 2^-20 exactly; a cosine would lose the angle's square below 1e-16
    tiny = 2.0**-20
    assert angle(np.array([1, 0], np.float32), np.array([1, tiny], np.float32)) == pytest.approx(
        math.degrees(math.atan(tiny)), rel=1e-9
    )
    assert angle(np.array([1, 0], np.float32), np.array([-1, tiny], np.float32)) == pytest.approx(
        180 - math.degrees(math.atan(tiny)), rel=1e-15
    )
    assert angle(np.array([3, 0], np.float32), np.array([10**power, 0], np.float32)) == 0.0


def test_random_nulls_are_the_law_of_the_extremes():
    found = measured(codes.random_rows(60, 8))
    assert found["coherence"].nulls.random is not None
    assert found["coherence"].nulls.random.value == bounds.coherence_quantile(60, 8)
    assert found["smallest_cosine"].nulls.random is not None
    assert found["smallest_cosine"].nulls.random.value == -bounds.maximal_cosine_quantile(60, 8)


def test_duplicates_make_coherence_one_and_distinct_rows_tell_more():
    rows = np.concatenate([codes.steiner()] * 3)
    found = measured(rows, k=2)
    assert found["coherence"].value == 1.0
    assert found["coherence"].n == 48
    assert found["coherence_distinct"].value == pytest.approx(1 / 3, abs=1e-15)
    assert found["coherence_distinct"].n == 16
    assert found["minimum_angle"].value == 0.0
    assert found["minimum_angle_distinct"].value == pytest.approx(math.degrees(math.acos(1 / 3)), rel=1e-14)
    assert found["bound_gap"].value == pytest.approx(0.0, abs=1e-15)
    assert found["equal_rows"].value == 32
    assert found["equal_rows"].detail["groups"] == 16
    assert found["equal_rows"].detail["largest_groups"][0] == [0, 16, 32]


def test_zeros_of_either_sign_are_equal_and_lengths_are_not():
    rows = np.array([[1, 0.0], [1, -0.0], [2, 0], [0, 1]], np.float32)
    code = code_of(rows)
    assert equal_groups(code) == [(0, 1)]
    assert near_groups(naive_scan(code)) == [(0, 1, 2)]


def test_near_duplicates_join_in_chains_and_say_what_they_may_hide():
    step = 1.2e-3  # cos of one step is 1 − 7.2e-7, of two 1 − 2.9e-6
    turns = np.array([0, step, 2 * step, 1.0, 1.0 + step, 2.0])
    rows = np.stack([np.cos(turns), np.sin(turns)], 1)
    code = code_of(rows)
    assert near_groups(naive_scan(code)) == [(0, 1, 2), (3, 4)]
    complete = measured(rows, k=3)["near_duplicates"]
    assert (complete.value, complete.kind, complete.detail["rows_that_may_have_more"]) == (3, "exact", 0)
    short = measured(rows, k=1)["near_duplicates"]
    assert (short.value, short.kind, short.detail["rows_that_may_have_more"]) == (3, "bound", 5)


def test_hubness_by_hand():
    # a star: the centre is the nearest of all, each ray's end of none
    rows = np.concatenate([np.ones((1, 6)), np.ones((1, 6)) + np.eye(6)[0] * 0.01, np.eye(6) + 0.5])
    found = measured(rows, k=1)
    code = code_of(rows)
    counts = naive_scan(code, 1).occurrence
    assert found["largest_hub"].value == counts.max()
    assert found["largest_hub"].detail["id"] == int(np.argmax(counts))
    assert found["antihub_share"].value == (counts == 0).sum() / 8
    assert found["hubness_skewness"].value == pytest.approx(stats.skew(counts), rel=1e-14)


def test_hubness_of_a_code_where_all_are_alike():
    found = measured(codes.simplex(9), k=9)
    assert found["hubness_skewness"].value == 0
    assert found["antihub_share"].value == 0
    assert found["largest_hub"].value == 9


@pytest.mark.parametrize("distinct", [True, False])
def test_closest_pairs_agree_with_all_pairs(distinct):
    rows = np.concatenate([codes.lopsided(80, 6), codes.lopsided(80, 6)[:3]])
    code = code_of(rows)
    complete = naive_scan(code, 82)
    everything = closest_pairs(code, complete, 10_000, distinct)
    assert everything.complete_above == -1.0
    assert len(everything.pairs) == 83 * 82 // 2 - (3 if distinct else 0)
    listed = closest_pairs(code, naive_scan(code, 4), 100, distinct)
    above = [p for p in everything.pairs if p.value > listed.complete_above]
    assert above  # the claim is about something
    assert list(listed.pairs[: len(above)]) == above
    assert list(closest_pairs(code, complete, 7, distinct).pairs) == list(everything.pairs[:7])


def test_closest_pairs_of_ties_are_in_the_order_of_ids_and_admit_what_is_missing():
    code = code_of(codes.e8())
    listed = closest_pairs(code, naive_scan(code, 10), 5)
    assert [p.value for p in listed.pairs] == [0.5] * 5
    assert [(p.i, p.j) for p in listed.pairs] == sorted((p.i, p.j) for p in listed.pairs)
    assert listed.complete_above == 0.5
    assert "0.500" in str(listed)
    json.dumps(listed.to_dict(), allow_nan=False)


def test_even_moments_of_a_design():
    designs = json.loads((KNOWN / "frames.json").read_text())["designs"]
    e8 = designs["E8 minimal vectors (240, 7-design)"]
    u = codes.e8().astype(np.float64) / math.sqrt(8)
    gram = u @ u.T
    found = even_moments([float((gram ** (2 * k)).mean()) for k in range(1, 5)], 240, 8)
    assert [m.value for m in found[:3]] == pytest.approx(e8["mean cos^2k, all ordered pairs"], rel=1e-14)
    bound = [m.nulls.bound.value for m in found if m.nulls.bound]
    assert bound[:3] == pytest.approx([m.value for m in found[:3]], rel=1e-14)
    assert [found[3].value, bound[3]] == pytest.approx(e8["k=4 differs"], rel=1e-14)
    assert [m.name for m in found] == ["even_moment_2", "even_moment_4", "even_moment_6", "even_moment_8"]


def test_comparison_draws_the_same_nulls_twice_and_marks_the_subsample():
    rows = codes.lopsided(300, 8)
    code, first = code_of(rows), first_pass(code_of(rows))
    scan = naive_scan(code, 5)
    comparison = compare(code, first, scan, naive_scan, rows=60, seed=1)
    assert comparison == compare(code, first, scan, naive_scan, rows=60, seed=1)
    found = {m.name: m for m in sphere_measures(code, scan, comparison) + crowd_measures(code, scan, comparison)}
    for name in ("coherence", "minimum_angle", "antihub_share"):
        matched = found[name].nulls.matched
        assert matched is not None
        assert matched.value == comparison.matched[name]
        assert "estimate: one draw of 60 rows" in matched.how
        assert found[name].detail["subsample"] == {"rows": 60, "value": comparison.table[name]}
    drawn = found["antihub_share"].nulls.random
    assert drawn is not None
    assert drawn.value == comparison.random["antihub_share"]
    assert found["coherence"].nulls.random is not None
    assert found["coherence"].nulls.random.how == "median by the law of the extremes"
    # the subsample is of this table: its mean square cosine is within five standard errors of the table's
    whole = isotropy_measures(first)[1].value
    assert comparison.table["mean_square_cosine"] == pytest.approx(whole, rel=5 * math.sqrt(2 / 60))


def test_a_small_table_is_its_own_subsample():
    rows = codes.lopsided(40, 8)
    code, first = code_of(rows), first_pass(code_of(rows))
    scan = naive_scan(code, 5)
    comparison = compare(code, first, scan, naive_scan)
    assert comparison.whole
    measures = sphere_measures(code, scan, comparison)
    assert {m.name: m.value for m in measures if m.name in comparison.table}.items() <= comparison.table.items()
    assert all("subsample" not in m.detail for m in measures)


def test_a_matched_code_shares_what_the_shape_of_the_cloud_makes():
    """Rows that are normal with a mean: the matched code has their mean cosine, the random code has not."""
    rows = codes.lopsided(2000, 16) + np.float32(0.2)
    first = first_pass(code_of(rows))
    mean = isotropy_measures(first)[0].value
    again = codes.lopsided(2000, 16, seed=99) + np.float32(0.2)
    spread = abs(isotropy_measures(first_pass(code_of(again)))[0].value - mean)
    drawn = code_of(matched_rows(first, 2000, np.random.default_rng(0)))
    matched = isotropy_measures(first_pass(drawn))[0].value
    assert mean > 0.2
    assert matched == pytest.approx(mean, abs=max(0.02, 4 * spread))


def test_one_row_has_no_pair():
    found = measured(np.array([[1.0, 2.0]]))
    assert sorted(found) == ["equal_rows", "near_duplicates"]
    code = code_of(np.array([[1.0, 2.0]]))
    assert closest_pairs(code, naive_scan(code)).pairs == ()


def test_equal_rows_only():
    found = measured(np.ones((5, 3)))
    assert found["coherence"].value == 1
    assert "coherence_distinct" not in found
    assert found["equal_rows"].value == 4


def test_every_measure_is_defined_once_and_is_plain_in_json():
    names = [d.name for d in DEFINITIONS]
    assert len(set(names)) == len(names)
    code = code_of(codes.lopsided(30, 4))
    scan, first = naive_scan(code, 3), first_pass(code)
    measures = [
        *sphere_measures(code, scan),
        *crowd_measures(code, scan),
        *isotropy_measures(first),
        *norm_measures(first),
        *cloud_measures(code, first, np.arange(30.0)),
        alignment(code, np.array([[0, 1]])),
        *even_moments([0.3], 30, 4),
        *health_measures(dict.fromkeys(KINDS, np.zeros(0, np.int64)), 30),
        *compare_tables(code.table, code.table).measures,
    ]
    assert {m.name for m in measures} <= set(names)
    assert set(names) - {m.name for m in measures} == {f"even_moment_{k}" for k in (4, 6, 8, 10, 12)}
    json.dumps([m.to_dict() for m in measures], allow_nan=False)
    for definition in DEFINITIONS:
        assert all((definition.title, definition.formula, definition.meaning, definition.source, definition.space))


@pytest.mark.parametrize("rows", [codes.e8(), codes.lopsided(700, 12), np.concatenate([codes.lopsided(60, 6)] * 3)])
def test_the_exact_engine_gives_the_same_measures_as_all_pairs(rows):
    code, first = code_of(rows), first_pass(code_of(rows))
    fast, slow = exact_scan(code, 10), naive_scan(code, 10)
    assert sphere_measures(code, fast) == sphere_measures(code, slow)
    assert crowd_measures(code, fast) == crowd_measures(code, slow)
    assert closest_pairs(code, fast) == closest_pairs(code, slow)
    assert compare(code, first, fast, rows=50) == compare(code, first, slow, naive_scan, rows=50)


def test_a_matched_code_at_the_ends_of_float32_neither_overflows_nor_vanishes() -> None:
    from armillary.geometry import first_pass, matched_rows
    from armillary.sphere import Code
    from armillary.table import Table

    rows = np.random.default_rng(0).standard_normal((30, 5)).astype(np.float32)
    codes = [Code.of(Table.from_array(rows * np.float32(2.0**power))) for power in (0, 125, -100)]
    plain, large, small = (matched_rows(first_pass(code), 50, np.random.default_rng(1)) for code in codes)
    assert np.isfinite(large).all() and small.any(axis=1).all()
    np.testing.assert_allclose(large, plain, rtol=1e-5)
    np.testing.assert_allclose(small, plain, rtol=1e-5)
