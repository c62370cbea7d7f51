"""Two tables: joined by tokens, exact where they are the same, closed forms where there are some."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

import armillary as arm
from armillary.answer import cosine
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


def test_rows_left_out_and_values_missing_are_told_with_their_reason(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path / "cache"))
    first, second = ROWS.copy(), np.float32(1.1) * ROWS
    first[3], second[3], second[5], second[4, 0] = 0, 0, 0, np.nan
    for name, rows in (("a", first), ("b", second)):
        np.save(tmp_path / f"{name}.npy", rows)
    monkeypatch.chdir(tmp_path)
    a, b = (arm.open(f"{name}.npy") for name in "ab")
    a.scan()
    found = a.compare(b)
    text = str(found)
    for told in (
        "The first is a.npy, the second b.npy.",
        "1 row left out of every measure: zero in both (#3).",
        "1 row left out of every measure: non-finite in the second (#4).",
        "1 row left out of every measure: zero in the second (#5).",
        "at 10 among the 296 other rows",
        "— in the second: not scanned; armillary scan b.npy first.",
    ):
        assert told in text
    assert "— in the first" not in text
    assert found.to_dict()["left_out"] == {
        "zero in both": [3],
        "non-finite in the second": [4],
        "zero in the second": [5],
    }
    told = found.report().sections[0].sentences
    assert "1 row left out of every measure: zero in both (#3)." in told
    b.scan()
    assert "not scanned" not in str(a.compare(b))
    value = found.measures[0].value  # of rows that differ by rounding alone: neither says 1 where the other does not
    assert 1 - 1e-12 < value < 1 and text.count(f"{cosine(value)}") >= 2


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


def untied_file(folder, first, second):
    from safetensors.numpy import save_file

    folder.mkdir()
    tensors = {"model.embed_tokens.weight": first, "lm_head.weight": second}
    save_file({name: rows.astype(np.float32) for name, rows in tensors.items()}, folder / "model.safetensors")
    return arm.open(folder, cache=False)


@pytest.mark.parametrize("side", ["input", "output"])
def test_a_tied_table_resembles_the_side_it_was_made_from(tmp_path, side) -> None:
    rng = np.random.default_rng(21)
    ends = {"input": rng.normal(size=(300, 12)), "output": rng.normal(size=(300, 12))}
    turn = np.linalg.qr(rng.normal(size=(12, 12)))[0]  # another training has other axes
    noisy = ends[side] @ turn + 0.3 * rng.normal(size=(300, 12))
    untied = untied_file(tmp_path / "untied", *ends.values())
    found = arm.open(noisy, cache=False).sides(untied)
    assert found.side == side and f"resembles the {side} table" in found.verdict
    for name, pair in found.values.items():
        assert max(pair) == pair[["input", "output"].index(side)] and min(pair) < 0.5 < max(pair), name
    both = arm.open(np.hstack([ends["input"][:, :6], ends["output"][:, :6]]), cache=False).sides(untied)
    assert both.side in ("input", "output", None)
    json.dumps(found.to_dict())
    with pytest.raises(UsageError, match="expected an untied model with an input and an output table"):
        untied.sides(arm.open(noisy, cache=False))


def test_input_against_output_tells_norms_and_frequency_of_both(tmp_path) -> None:
    from scipy.stats import spearmanr
    from wordfreq import top_n_list

    from armillary.words.frequencies import word_frequencies

    words = top_n_list("en", 400)
    rows = np.random.default_rng(4).normal(size=(400, 6))
    table = Table.from_array(rows, words)
    known = word_frequencies(table.vocabulary).log
    told = np.isfinite(known)
    found = arm.compare(table, Table.from_array(2 * rows, words)).isotropy
    norms = np.linalg.norm(rows.astype(np.float32).astype(np.float64), axis=1)
    assert found["mean_norm"] == (pytest.approx(norms.mean()), pytest.approx(2 * norms.mean())) and told.sum() > 200
    assert found["norm_against_frequency"][0] == pytest.approx(spearmanr(known[told], norms[told]).statistic)
    few = Table.from_array(rows[:50], words[:50])
    assert "norm_against_frequency" not in arm.compare(few, few).isotropy


def test_snapshots_of_word2vec_start_at_noise(tmp_path) -> None:
    """Two topics, trained here: the neighbours of the first snapshot are chance, and each is nearer the last."""
    from armillary.origins.word2vec import Settings, of_lines, train
    from armillary.study.trajectory_figure import save_figure

    rng = np.random.default_rng(8)
    topics = [[f"{letter}{i}" for i in range(60)] for letter in "ab"]
    lines = [" ".join(rng.choice(topics[rng.integers(2)], 12)) for _ in range(1500)]
    settings = Settings(dimension=16, subsample=0, epochs=6, learning_rate=0.05)
    model = train(of_lines(lines, "two topics"), "skip-gram", settings, snapshots=True)
    steps = [arm.open(model.at(epoch), cache=False) for epoch in range(7)]
    found = trajectory_of(steps, [f"epoch {epoch}" for epoch in range(7)])
    overlap, cosines = found.values["overlap_to_last"], found.values["cos_to_last"]
    deviation = np.sqrt(0.084 * 0.916 / 1200)  # of 1,200 neighbours that are the same by chance, 10/119 each
    assert overlap[0] == pytest.approx(10 / 119, abs=5 * deviation) and overlap[-1] == cosines[-1] == 1
    assert all(a < b for a, b in itertools.pairwise(cosines)) and overlap[5] > 0.5
    by_chance = np.sqrt(2 / (16 * 120 * 119))  # of the mean cosine of 120 random directions in 16 dimensions
    assert abs(found.values["mean_cosine"][0]) < 5 * by_chance < 0.02 < found.values["mean_cosine"][-1]
    assert len(found.to_dict()["checkpoints"]) == 7
    svg = save_figure(found, tmp_path / "way.svg").read_text()
    assert "cosine to the last" in svg and "checkpoint, in the order given" in svg
    with pytest.raises(UsageError, match=r"a figure that ends in \.svg or \.png, found way\.pdf"):
        save_figure(found, tmp_path / "way.pdf")


def test_a_comparison_as_a_report(tmp_path, monkeypatch, capsys) -> None:
    import sys

    from armillary.cli import main
    from armillary.report import read

    moved = ROWS.copy()
    moved[7] *= -1
    for name, rows in (("a", ROWS), ("b", moved[:280])):
        np.save(tmp_path / f"{name}.npy", rows)
    names = tmp_path / "names.json"
    names.write_text(json.dumps(WORDS))
    files = [str(tmp_path / name) for name in ("a.npy", "b.npy")]
    for ending in ("json", "html", "md"):
        out = str(tmp_path / f"both.{ending}")
        monkeypatch.setattr(
            sys, "argv", ["armillary", "compare", *files, "--tokens", str(names), "-o", out, "--no-cache"]
        )
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code, capsys.readouterr().err
        assert out in capsys.readouterr().err
    report = read(tmp_path / "both.json")
    assert [s.id for s in report.sections] == ["alike", "vocabularies", "drift"]
    assert report.measure("cosine_identity").value == pytest.approx(1 - 2 / 280)
    drift = report.sections[2]
    assert drift.tables[0].rows == [["w7", 7, 7, -1.0, 1.0]] and sum(drift.figure.series[0].y) == pytest.approx(1)
    assert [row[0] for row in report.sections[1].tables[0].rows] == list(range(280, 300))
    assert "<svg" in (tmp_path / "both.html").read_text()
