"""Two tables: joined by tokens, exact where they are the same, closed forms where there are some."""

from __future__ import annotations

import json

import numpy as np
import pytest

import armillary as arm
from armillary.errors import UsageError
from armillary.geometry.two_tables import compare_tables, join
from armillary.study.comparing import trajectory_of
from armillary.table import Kind, Table, Vocabulary

RANDOM = np.random.default_rng(11)
ROWS = RANDOM.normal(size=(300, 12)).astype(np.float32)
WORDS = [f"w{i}" for i in range(300)]


def wordpiece(names: list[str]) -> Vocabulary:
    raw = [name.removeprefix("##").encode() for name in names]
    return Vocabulary(raw, names, np.zeros(len(names), np.uint8))


def test_a_table_and_itself_is_exactly_one_everywhere() -> None:
    table = Table.from_array(ROWS, WORDS)
    found = compare_tables(table, Table.from_array(ROWS.copy(), WORDS))
    assert [m.value for m in found.measures] == [1.0] * 5
    assert found.equal == 300 and (found.cosines == 1).all() and (found.norm_ratios == 1).all()
    assert not found.moved and not len(found.movers())


def test_a_permuted_vocabulary_is_joined_right() -> None:
    order = RANDOM.permutation(300)
    found = compare_tables(Table.from_array(ROWS, WORDS), Table.from_array(ROWS[order], [WORDS[i] for i in order]))
    assert [m.value for m in found.measures] == [1.0] * 5 and found.equal == 300
    assert (order[found.join.b] == found.join.a).all()


def test_rotation_shift_and_scale_are_told_apart() -> None:
    turn = np.linalg.qr(RANDOM.normal(size=(12, 12)))[0]
    turned = Table.from_array(3 * ROWS.astype(np.float64) @ turn, WORDS)
    found = compare_tables(Table.from_array(ROWS, WORDS), turned)
    values = {m.name: m.value for m in found.measures}
    assert values["cosine_identity"] < 0.3
    for name in ("cosine_procrustes", "cosine_least_squares", "linear_cka"):
        assert values[name] == pytest.approx(1, abs=1e-6)
    assert values["neighbor_overlap"] == 1.0
    np.testing.assert_allclose(found.norm_ratios, 3, rtol=1e-5)


def test_measures_are_their_definitions() -> None:
    other = ROWS + RANDOM.normal(size=ROWS.shape).astype(np.float32)
    found = compare_tables(Table.from_array(ROWS, WORDS), Table.from_array(other, WORDS), k=7)
    x, y = ROWS.astype(np.float64), other.astype(np.float64)

    def mean_cosine(p, q):
        return np.mean([a @ b / np.linalg.norm(a) / np.linalg.norm(b) for a, b in zip(p, q, strict=True)])

    u, _, vt = np.linalg.svd(x.T @ y)
    cx, cy = x - x.mean(0), y - y.mean(0)
    kx, ky = cx @ cx.T, cy @ cy.T
    expected = {
        "cosine_identity": mean_cosine(x, y),
        "cosine_procrustes": mean_cosine(x @ (u @ vt), y),
        "cosine_least_squares": mean_cosine(x @ np.linalg.lstsq(x, y, rcond=None)[0], y),
        "linear_cka": (kx * ky).sum() / np.sqrt((kx * kx).sum() * (ky * ky).sum()),
    }
    for name, value in expected.items():
        assert found.measure(name).value == pytest.approx(value, abs=1e-6)

    def near(rows):
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        cosines = unit @ unit.T - 9 * np.eye(len(rows))
        return [set(np.lexsort((np.arange(len(rows)), -c))[:7]) for c in cosines]

    shared = np.mean([len(a & b) / 7 for a, b in zip(near(x), near(y), strict=True)])
    overlap = found.measure("neighbor_overlap")
    assert overlap.value == pytest.approx(shared, abs=1e-12) and overlap.kind == "exact"
    assert overlap.nulls.random.value == 7 / 299


def test_unrelated_tables_are_at_their_nulls() -> None:
    other = np.random.default_rng(99).normal(size=ROWS.shape)
    found = compare_tables(Table.from_array(ROWS, WORDS), Table.from_array(other, WORDS))
    for measure in found.measures:
        assert measure.value == pytest.approx(measure.nulls.random.value, abs=0.06)


def test_different_widths_and_partial_vocabularies() -> None:
    wide = np.hstack([ROWS, np.zeros((300, 5), np.float32)])[100:]
    found = compare_tables(Table.from_array(ROWS, WORDS), Table.from_array(wide, WORDS[100:]))
    assert found.join.relation == "superset" and len(found.join) == 200 and len(found.join.only_a) == 100
    assert found.measure("cosine_identity") is None
    assert found.measure("cosine_procrustes").value == pytest.approx(1, abs=1e-6)
    assert found.how == "after the best rotation"


def test_a_subset_has_bit_equal_rows() -> None:
    keep = np.sort(RANDOM.choice(300, 90, replace=False))
    small = Table.from_array(ROWS[keep], [WORDS[i] for i in keep])
    found = arm.compare(small, Table.from_array(ROWS, WORDS))
    assert found.found.join.relation == "subset" and found.found.equal == 90
    assert found.verdict == (
        "The joined rows are equal in every number; the first vocabulary is a subset of the second, "
        "with 90 tokens in common."
    )


def test_swapped_rows_are_found() -> None:
    swapped = ROWS.copy()
    swapped[[5, 250]] = swapped[[250, 5]]
    found = compare_tables(Table.from_array(ROWS, WORDS), Table.from_array(swapped, WORDS))
    assert [(m.a, m.b) for m in found.moved] == [(5, 250), (250, 5)] and found.equal == 298


def test_wordpiece_names_are_respected() -> None:
    a, b = wordpiece(["ing", "##ing", "the", "##s"]), wordpiece(["##s", "the", "##ing"])
    joined = join(a, b)
    assert list(zip(joined.a.tolist(), joined.b.tolist(), strict=True)) == [(1, 2), (2, 1), (3, 0)]
    assert joined.only_a.tolist() == [0]


def test_wordpiece_joins_another_kind_by_the_leading_space() -> None:
    joined = join(wordpiece(["the", "##s"]), Vocabulary.of_words([b"the", b" the", b"s"]))
    assert list(zip(joined.a.tolist(), joined.b.tolist(), strict=True)) == [(0, 1), (1, 2)]


def test_byte_tokens_are_not_letters_and_repeats_pair_in_order() -> None:
    kinds = np.array([Kind.BYTE, 0, 0], np.uint8)
    a = Vocabulary([b"A", b"A", b"A"], ["<0x41>", "A", "A"], kinds)
    joined = join(a, Vocabulary.of_words(["A"]))
    assert (joined.a.tolist(), joined.b.tolist(), joined.only_a.tolist()) == ([1], [0], [0, 2])


def test_nothing_in_common_is_an_error() -> None:
    with pytest.raises(UsageError, match="expected two tables with tokens in common, found none among 300 and 300"):
        compare_tables(Table.from_array(ROWS, WORDS), Table.from_array(ROWS))


def test_zero_rows_take_no_part() -> None:
    broken = ROWS.copy()
    broken[3], broken[4, 0] = 0, np.nan
    found = compare_tables(Table.from_array(broken, WORDS), Table.from_array(ROWS, WORDS))
    assert len(found.join) == 300 and len(found.used) == 298 and found.equal == 298
    assert [m.value for m in found.measures] == [1.0] * 5


def test_compare_inside_a_training_loop_reads_live_weights() -> None:
    import torch

    weight = torch.nn.Parameter(torch.tensor(ROWS))
    found = arm.compare(ROWS, weight)
    with torch.no_grad():
        weight[0] *= -1
    assert found.found.equal == 300  # the comparison is of the weights as they were
    moved = arm.compare(ROWS, weight)
    assert moved.movers(1)[0]["a"] == 0 and moved.movers(1)[0]["cosine"] == -1.0
    assert json.loads(json.dumps(moved.to_dict()))["equal_rows"] == 299


def test_a_trajectory_tells_how_near_the_last_is() -> None:
    noise = np.random.default_rng(1).normal(size=ROWS.shape)
    steps = [arm.open(Table.from_array((1 - t) * noise + t * ROWS, WORDS), cache=False) for t in (0.0, 0.5, 1.0)]
    found = trajectory_of(steps, ["start", "half", "end"])
    assert list(found.values["cos_to_last"])[-1] == 1.0 and found.values["cos_to_previous"][0] is None
    assert abs(found.values["cos_to_last"][0]) < 0.05 < 0.6 < found.values["cos_to_last"][1] < 0.8
    with pytest.raises(UsageError, match="two or more checkpoints, found 1"):
        trajectory_of(steps[:1])
