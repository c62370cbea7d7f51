"""Chance behaves as chance: uniform p-values on random tables, false-alarm rates on fresh pairs."""

from __future__ import annotations

import json

import numpy as np
import pytest

from armillary.errors import UnreadableError, UsageError
from armillary.table import Table
from armillary.words.analogy import analogy
from armillary.words.background import SampledPairs, ScannedPairs, percentile, z_score
from armillary.words.calibrator import Calibrator
from armillary.words.categories import separation
from armillary.words.directions import direction, direction_of_lists
from armillary.words.lists import shipped
from armillary.words.null import chance, relation_of
from armillary.words.trends import permutation_p


def random_table(rows: int, width: int, seed: int, mean: float = 0.0) -> Table:
    return Table.from_array(
        np.random.default_rng(seed).standard_normal((rows, width)).astype(np.float32) + np.float32(mean)
    )


def assert_uniform(p: list[float]) -> None:
    """Kolmogorov–Smirnov at 0.1 %: the largest gap of 200 uniform values stays below 1.95/√200."""
    values = np.sort(p)
    steps = np.arange(1, len(values) + 1) / len(values)
    gap = max(np.abs(values - steps).max(), np.abs(values - steps + 1 / len(values)).max())
    assert gap < 1.95 / np.sqrt(len(values)), f"largest gap {gap:.3f}"
    assert 0.35 < np.mean(values) < 0.65


@pytest.mark.slow
def test_p_values_on_random_tables_are_uniform_over_200_draws():
    found: dict[str, list[float]] = {"direction": [], "parallelism": [], "lists": [], "separation": [], "trend": []}
    for seed in range(200):
        table = random_table(40, 12, seed)
        pairs = [(f"#{i}", f"#{20 + i}") for i in range(20)]
        fitted = direction(table, pairs, draws=19)
        assert fitted.null and fitted.parallelism
        found["direction"].append(fitted.null.p)
        found["parallelism"].append(fitted.parallelism.p)
        lists = direction_of_lists(table, [a for a, _ in pairs], [b for _, b in pairs], draws=19)
        assert lists.null
        found["lists"].append(lists.null.p)
        rows = table.rows(range(40))
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        labels = np.repeat(np.arange(4), 10)
        found["separation"].append(separation(unit @ unit.T, labels, "", np.random.default_rng(seed), 19).p)
        found["trend"].append(permutation_p(np.arange(6.0), rows[:6, 0].astype(np.float64))[1])
    for name, p in found.items():
        if name != "trend":  # 720 orders, ties in ρ: p is discrete, only its law P(p ≤ α) ≤ α is promised
            assert_uniform(p)
    assert np.mean(np.array(found["trend"]) <= 0.1) < 0.17


@pytest.mark.slow
def test_p_values_of_an_analogy_are_uniform_where_the_answer_has_nothing_to_do_with_it():
    """Both nulls: random rows with their neighbours, and shuffled pairs of the ready set that holds the question."""
    pairs = next(s.pairs for s in shipped("sets", "en") if s.name == "gender")
    words = list(dict.fromkeys(w for pair in pairs for w in pair))
    (a, b), (c, d) = pairs[:2]
    rare: list[float] = []
    ready: list[float] = []
    for seed in range(200):
        rows = np.random.default_rng(seed).standard_normal((120, 12)).astype(np.float32)
        table = Table.from_array(rows, [*words, *(f"w{i}" for i in range(120 - len(words)))])
        for p, question, answer in ((rare, "w0 - w1 + w2", "w3"), (ready, f"{c} - {a} + {b}", d)):
            found = chance(table, analogy(table, question, answer=answer), draws=99, seed=seed)
            assert found.p is not None
            p.append(found.p)
    assert_uniform(rare)
    assert_uniform(ready)


def test_an_answer_that_was_taken_because_it_came_first_has_no_p():
    """Among 120 random rows some row comes first: seen as if it had been asked for, it would nearly always be surprising."""
    table = random_table(120, 12, 3)
    unasked = analogy(table, "#0 - #1 + #2")
    asked = analogy(table, "#0 - #1 + #2", answer=f"#{unasked.answer.id}")
    without, given = chance(table, unasked), chance(table, asked)
    assert (
        without.p is None
        and without.rank == 1
        and without.sentence.endswith(f"first place in {without.at_first} of 120 draws.")
    )
    assert given.p == (1 + given.as_good) / (1 + given.draws) and f"(p = {given.p:.3g})" in given.sentence
    assert (given.draws, given.at_first, given.as_good) == (without.draws, without.at_first, without.as_good)
    assert not unasked.to_dict()["asked"] and asked.to_dict()["asked"]


def test_false_alarm_rates_hold_on_fresh_pairs():
    table = random_table(12_000, 48, 0, mean=0.4)
    calibrator = Calibrator.fit(table, sample=1000)
    rng = np.random.default_rng(1)
    a, b = rng.choice(12_000, (2, 400_000))
    rows = table.rows(range(12_000))
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    fresh = np.einsum("nd,nd->n", unit[a[a != b]], unit[b[a != b]])
    for threshold in calibrator.thresholds:
        rate = (fresh > threshold.cosine).mean()
        spread = np.sqrt(threshold.rate / len(fresh)) + calibrator.percentile_error(100 * (1 - threshold.rate)) / 100
        assert abs(rate - threshold.rate) < 4 * spread, threshold
        assert threshold.low < threshold.cosine < threshold.high
    levels = calibrator.percentile(np.sort(fresh)[:: len(fresh) // 100])
    assert np.abs(levels - np.linspace(0, 100, len(levels))).max() < 2


def test_the_stated_error_of_a_sampled_share_covers_the_truth():
    table = random_table(6_000, 16, 3, mean=0.3)
    rows = table.rows(range(6_000)).astype(np.float64)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    truth = np.mean((unit[:3000] @ unit.T > 0.3).sum()) / (3000 * 6000)
    shares = [SampledPairs(table, rows=500, seed=s).share_above(0.3) for s in range(20)]
    assert np.mean([abs(s.value - truth) < 2 * s.error for s in shares]) >= 0.8
    assert np.std([s.value for s in shares]) == pytest.approx(np.mean([s.error for s in shares]), rel=0.6)


def test_a_scan_gives_the_same_standing():
    from armillary.scan.result import Histogram, Moments

    table = random_table(300, 8, 4)
    pairs = SampledPairs(table)
    assert pairs.kind == "exact" and pairs.pairs == 300 * 299 // 2
    counts, _ = np.histogram(pairs._pairs, bins=2048, range=(-1, 1))
    moments = Moments(pairs.mean, pairs.sd**2 + pairs.mean**2)
    scanned = ScannedPairs(Histogram(counts, pairs.pairs, "exact"), moments)
    for cosine in (-0.5, 0.0, 0.3, 0.8):
        assert percentile(scanned, cosine).value == pytest.approx(percentile(pairs, cosine).value, abs=0.2)
        assert z_score(scanned, cosine) == pytest.approx(z_score(pairs, cosine), abs=1e-9)


def test_a_calibrator_survives_its_files_and_refuses_other_spaces(tmp_path):
    table = random_table(400, 8, 5)
    fitted = Calibrator.fit(table)
    facts, arrays = fitted.save(tmp_path / "cal")
    assert (facts.name, arrays.name) == ("cal.json", "cal.npz")
    loaded = Calibrator.load(tmp_path / "cal.json")
    rows = table.rows(range(400))
    before, after = (c.apply(rows[:50], rows[50:100]) for c in (fitted, loaded))
    for name in ("cosine", "percentile", "local"):
        assert np.array_equal(getattr(before, name), getattr(after, name))
    assert loaded.to_dict() == fitted.to_dict()
    assert np.array_equal(loaded.crowding, fitted.crowding)
    loaded.check(table)
    with pytest.raises(UsageError, match="expected vectors of width 8, found 9"):
        loaded.apply(np.ones((1, 9), np.float32), np.ones((1, 9), np.float32))
    with pytest.raises(UsageError, match="expected vectors of the table"):
        loaded.check(random_table(400, 8, 6))
    with pytest.raises(UsageError, match="found a zero or non-finite one"):
        loaded.apply(np.zeros((1, 8), np.float32), rows[:1])


def test_stored_crowding_is_the_crowding_of_the_rows():
    table = random_table(300, 8, 7)
    fitted = Calibrator.fit(table, references=50)
    assert fitted.crowd(table.rows(range(300))) == pytest.approx(fitted.crowding, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("cal.json", "{", "expected JSON"),
        ("cal.json", '{"format": "other"}', "expected a file of format"),
        ("cal.json", '{"format": "armillary calibrator 1"}', "found them incomplete"),
        ("cal.npz", "no zip", "expected the arrays of a calibrator"),
    ],
)
def test_files_that_are_no_calibrator(tmp_path, name, text, message):
    Calibrator.fit(random_table(50, 4, 8)).save(tmp_path / "cal")
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(UnreadableError, match=message):
        Calibrator.load(tmp_path / "cal")


def test_a_calibrator_whose_arrays_are_of_another_table_is_refused(tmp_path):
    Calibrator.fit(random_table(50, 4, 8)).save(tmp_path / "cal")
    known = json.loads((tmp_path / "cal.json").read_text("utf-8"))
    (tmp_path / "cal.json").write_text(json.dumps({**known, "rows": 51}), "utf-8")
    with pytest.raises(UnreadableError, match="expected arrays of shapes"):
        Calibrator.load(tmp_path / "cal")


@pytest.mark.parametrize("question", ["w0 - w1 + w2", "w3 - 2 * w4", "w5 + w6"])
def test_the_null_of_an_analogy_outside_the_ready_sets_against_a_naive_loop(question, monkeypatch):
    """A random row and its neighbour of the answer's baseline rank: ranks by sorting, in float64, one base at a time."""
    monkeypatch.setattr("armillary.words.null.HELD_BYTES", 4 * 700 * 30)  # several passes over the table
    rows = np.random.default_rng(9).standard_normal((700, 12)).astype(np.float32)
    rows[50] = 0  # a row without a direction is in no race
    table = Table.from_array(rows, [f"w{i}" for i in range(700)])
    found = analogy(table, question, answer="w600")
    null = chance(table, found, draws=100, seed=4)
    with np.errstate(invalid="ignore"):
        unit = rows.astype(np.float64) / np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    coefficients = {int(w[1:]): c for w, c in found.expression.terms}
    base = int(found.expression.base[1:])
    ranks = []
    for drawn in np.random.default_rng(4).choice(700, 100, replace=False):
        if drawn == 50:
            continue
        near = unit @ unit[drawn]
        near[[drawn, 50]] = -np.inf
        goal = np.argsort(-near, kind="stable")[found.ranks.baseline - 1]
        scores = unit @ sum(c * unit[drawn if i == base else i] for i, c in coefficients.items())
        scores[[drawn, 50, *(i for i in coefficients if i != base)]] = -np.inf
        ranks.append(1 + int((scores > scores[goal]).sum()))
    good = sum(rank <= found.ranks.removed for rank in ranks)
    assert (null.draws, null.at_first, null.as_good) == (len(ranks), ranks.count(1), good)
    assert null.p == (1 + good) / (1 + len(ranks))
    assert null.how == f"a random row with its neighbour number {found.ranks.baseline:,}"


def test_the_null_draws_a_thousand_times():
    table = random_table(1_200, 8, 6)
    assert chance(table, analogy(table, "#1 - #2 + #3")).draws == 1_000


def test_the_null_of_a_capital_knows_the_relation_from_either_side():
    """Paris − France + Japan: the countries and capitals of the ready set are the null, with Japan as the base."""
    pairs = [p for s in shipped("sets", "en") if s.name == "capital" for p in s.pairs]
    words = list(dict.fromkeys(w for p in pairs for w in p))
    rows = np.random.default_rng(2).standard_normal((len(words), 16)).astype(np.float32)
    table = Table.from_array(rows, words)
    (country, capital), (other, _) = pairs[:2]
    text = f"{capital} - {country} + {other}"
    assert relation_of(analogy(table, text)) == ("capital", pairs, other)
    null = chance(table, analogy(table, text))
    assert (null.draws, null.how) == (1_000, "a base and an answer from different pairs of the relation (capital)")
