"""Repairs through a study: their order, reports with figures, what is refused before any work, tasks of a model."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import codes
from armillary import bounds, catalog
from armillary.errors import UsageError
from armillary.formats import write_safetensors
from armillary.repairs import fit, load_repair
from armillary.sphere import Code
from armillary.study import Study, open
from armillary.study.evidence import Scored
from armillary.study.pair_cosines import pair_cosines, pair_histogram
from armillary.study.repairing import repair_of, token_frequencies
from armillary.study.side_by_side import Order, comparison_of_repairs
from armillary.study.training import contrastive_repair_of
from armillary.table import Table

WORDS = ("the", "of", "house", "cat", "Haus", "queen", "seven", "green", "river", "bank")


@pytest.fixture(autouse=True)
def no_data(request, tmp_path, monkeypatch):
    """Only the tests marked real see what was fetched."""
    if request.node.get_closest_marker("real") is None:
        monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path / "cache"))


def study_of(n: int = 300, d: int = 8, words: tuple[str, ...] = WORDS) -> Study:
    """Rows in a cone; the first ones are English words that a list knows."""
    tokens = [*words, *(f"x{i}q" for i in range(n - len(words)))]
    return open(Table.from_array(codes.lopsided(n, d, 5) + np.float32(1.0), tokens))


def test_zipf_repairs_without_frequencies_say_what_each_source_lacks():
    study = open(Table.from_array(codes.lopsided(50, 4)))  # rows named by id
    with pytest.raises(UsageError, match="expected token frequencies for a Zipf repair, found none") as caught:
        repair_of(study, "zipf-whiten")
    assert "\n" not in caught.value.message and "word lists know no token" in caught.value.message
    assert "--corpus FILE" in caught.value.cure
    with pytest.raises(UsageError, match="50 frequencies, one a row, found 3"):
        repair_of(study, "zipf-centre", frequencies=np.ones(3))
    result = comparison_of_repairs(study)
    assert [row.name for row in result.rows] == [
        "none",
        "centre",
        "all-but-the-top",
        "whiten",
        "standardise",
        "conceptor",
    ]
    assert any("Zipf repairs are left out" in note for note in result.notes)


def test_zipf_centring_takes_the_mean_of_a_running_text_away():
    study = study_of()
    weights, source = token_frequencies(study)
    assert "wordfreq" in source and np.isfinite(weights).sum() >= 9
    p = np.nan_to_num(weights) / np.nansum(weights)
    rows = study.table.rows(np.arange(300)).astype(np.float64)
    result = repair_of(study, "zipf-centre", proof=False)
    assert result.repair.mean == pytest.approx(p @ rows, abs=1e-12)
    assert result.repair.parameters["weighted_rows"] == (p > 0).sum()
    given = repair_of(study, "zipf-centre", proof=False, frequencies=np.arange(300.0))
    assert given.repair.mean == pytest.approx(np.arange(300.0) @ rows / np.arange(300.0).sum(), abs=1e-12)


@pytest.mark.parametrize(("name", "message"), [("round.npy", "safetensors"), ("no/round.safetensors", "folder")])
def test_an_output_that_cannot_be_is_refused_before_any_work(tmp_path, name, message):
    study = study_of()
    for call in (repair_of, lambda s, m, output: contrastive_repair_of(s, output=output)):
        with pytest.raises(UsageError, match=message):
            call(study, "centre", output=tmp_path / name)
    assert "code" not in study.__dict__ and not list(tmp_path.iterdir())


def test_a_repair_never_replaces_the_table_it_read(tmp_path):
    path = tmp_path / "table.safetensors"
    repair_of(study_of(), "centre", output=path, proof=False)
    before = path.read_bytes()
    with pytest.raises(UsageError, match="which is read"):
        repair_of(open(path), "whiten", output=path)
    assert path.read_bytes() == before


def test_a_repair_never_replaces_the_tokens_of_another_table(tmp_path):
    write_safetensors(Table.from_array(np.eye(3, dtype=np.float32), ["x", "y", "z"]), tmp_path / "out.npy")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    study = study_of()
    for call in (repair_of, lambda s, m, output: contrastive_repair_of(s, output=output)):
        with pytest.raises(UsageError, match=r"expected no other tokens in .*out\.tokens\.parquet"):
            call(study, "centre", output=tmp_path / "out.safetensors")
    assert "code" not in study.__dict__  # refused before any work
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_cosines_of_the_same_pairs_before_and_after():
    c = Code.of(Table.from_array(codes.lopsided(40, 5, 1)))
    repair = fit(c, "centre")
    plain, after = pair_cosines(c, None, 3_000, 7), pair_cosines(c, repair, 3_000, 7)
    random = np.random.default_rng(7)
    i = random.integers(0, 40, 3_000)
    j = (i + random.integers(1, 40, 3_000)) % 40
    for found, x in ((plain, c.take(np.arange(40)).astype(np.float64)), (after, repair.apply(c.take(np.arange(40))))):
        u = x / np.linalg.norm(x, axis=1, keepdims=True)
        assert found == pytest.approx((u[i] * u[j]).sum(1), abs=1e-12)
    histogram = pair_histogram(c, repair, 3_000, 7)
    assert histogram.pairs == 3_000 and histogram.mean == pytest.approx(after.mean(), abs=1e-12)
    assert histogram.shares.sum() == pytest.approx(1.0)
    assert histogram.shares[-1] == pytest.approx((after >= histogram.edges[-2]).mean())


@pytest.mark.parametrize("rows", [[[3.0, 4.0]], [[3.0, 4.0]] * 5], ids=["one", "equal"])
def test_rows_that_a_repair_leaves_nothing_of_are_refused_in_one_line(rows):
    study = open(Table.from_array(np.array(rows)))
    with pytest.raises(UsageError, match="a direction after centre, found none") as caught:
        repair_of(study, "centre")
    assert "\n" not in caught.value.message
    assert pair_histogram(study.code).pairs == (0 if len(rows) == 1 else 20_000)
    assert repair_of(study, "conceptor").repair.shape == (2, 2)  # it takes no mean away, so a direction stays


@pytest.mark.parametrize("d", [1, 2, 3, 50])
def test_shares_of_the_cosines_of_random_directions(d):
    """d = 3: uniform on [−1, 1] (Archimedes); d = 2: arcsine; d = 1: halves at the ends; the rest from the tail."""
    edges = np.linspace(-1, 1, 9)
    found = bounds.bin_shares(edges, d)
    expected = {1: [0.5, 0, 0, 0, 0, 0, 0, 0.5], 2: np.diff(1 - np.arccos(edges) / np.pi), 3: [1 / 8] * 8}
    tails = [1 - bounds.tail(t, d) / 2 if t >= 0 else bounds.tail(-t, d) / 2 for t in edges]
    assert found == pytest.approx(np.asarray(expected.get(d, np.diff(tails))), abs=1e-12)


def test_an_order_says_which_steps_are_shown():
    def score(value: float, spread: float) -> Scored:
        return Scored("set", "Spearman", value, value + spread * np.linspace(-1, 1, 1000), 50)

    from armillary.study.side_by_side import _orders

    scores = {"zipf-whiten": [score(0.5, 0.0)], "whiten": [score(0.7, 0.0)], "all-but-the-top": [score(0.51, 0.1)]}
    (order,) = _orders(scores)
    assert isinstance(order, Order) and str(order) == "whiten > all-but-the-top ≈ zipf-whiten"
    assert [round(step.after - step.before, 9) for step in order.steps] == [0.19, 0.01]
    low, high = order.steps[1].low, order.steps[1].high
    assert (low, high) == (pytest.approx(0.01 - 0.095), pytest.approx(0.01 + 0.095))


@pytest.mark.long
def test_reports_of_a_repair_and_of_all_have_their_figures(tmp_path):
    study = study_of()
    one = repair_of(study, "all-but-the-top").report(study)
    assert [s.id for s in one.sections] == ["proof", "filters"]
    histogram = one.sections[0].figure
    assert histogram is not None
    assert [(s.name, s.role) for s in histogram.series] == [
        ("as it is", "measured"),
        ("all-but-the-top", "category"),
        ("random directions", "random"),
    ]
    gains = one.sections[1].figure
    assert gains is not None and gains.series[0].y == pytest.approx([0.0] + [1.0] * 7, abs=1e-9)
    every = comparison_of_repairs(study).report(study)
    assert [s.id for s in every.sections] == ["comparison", "cosines", "filters"]
    assert every.sections[1].figure is not None and len(every.sections[1].figure.series) == 6
    for name, report in (("one.html", one), ("all.html", every)):
        report.save(tmp_path / name)
        text = (tmp_path / name).read_text("utf-8")
        assert text.count('role="img"') == sum(s.figure is not None for s in report.sections)
        assert all(s.figure is None or s.figure.title in unescape(text) for s in report.sections)


def test_the_report_shows_the_cone_by_frequency_the_noise_edge_and_repaired_cosines():
    n, d = 400, 6
    rows = codes.random_rows(n, d, 3)
    known = _frequent_words(60)
    rows[: len(known), 0] += np.linspace(6, 0, len(known))  # the more frequent, the nearer to one direction
    rows[:, 0] += 1
    study = open(Table.from_array(rows, [*known, *(f"x{i}q" for i in range(n - len(known)))]))
    sections = {s.id: s for s in study.report().sections}
    profile = sections["profile"].figure
    assert profile is not None
    bars = next(s for s in profile.series if s.form == "bars")
    assert len(bars.y) == 10 and bars.y[-1] > bars.y[0] + 0.3
    spectrum = sections["isotropy"].figure
    assert spectrum is not None
    edge = next(s for s in spectrum.series if s.name == "edge of noise")
    assert edge.y == pytest.approx([(1 + np.sqrt(d / n)) ** 2 / d] * 2, rel=1e-12)
    assert sections["repaired"].figure is not None
    assert {s.name for s in sections["repaired"].figure.series} == {
        *("as it is", "centre", "all-but-the-top", "whiten", "random directions"),
    }


def _frequent_words(count: int) -> list[str]:
    from wordfreq import top_n_list

    return [word for word in top_n_list("en", 2 * count) if word.isalpha()][:count]


@pytest.fixture
def call(tmp_path, monkeypatch, command_line):
    monkeypatch.chdir(tmp_path)
    return command_line


def test_the_command_repairs_by_the_frequencies_of_a_text_and_writes_a_report(call, tmp_path):
    rows = codes.lopsided(300, 8, 5)
    np.save("v.npy", rows)
    Path("names.txt").write_text("".join(f"w{i}\n" for i in range(300)), "utf-8")
    code, out, err = call("repair", "v.npy", "--tokens", "names.txt", "--method", "zipf-centre")
    assert (code, out) == (2, "") and "found none" in err and "--corpus FILE" in err
    Path("text.txt").write_text("w1 w1 w2\nw1 stranger", "utf-8")
    arguments = [
        "--method",
        "zipf-centre",
        "--corpus",
        "text.txt",
        "-o",
        "z.safetensors",
        "--report",
        "z.html",
        "--json",
    ]
    code, out, err = call("repair", "v.npy", "--tokens", "names.txt", *arguments)
    assert code == 0 and "z.html" in err and "<svg" in Path("z.html").read_text("utf-8")
    result = json.loads(out)["result"]
    assert result["repair"]["method"] == "zipf-centre" and result["repair"]["parameters"]["weighted_rows"] == 2
    mean = load_repair("z.repair.safetensors").mean
    assert mean == pytest.approx(0.75 * rows[1].astype(float) + 0.25 * rows[2].astype(float), abs=1e-12)


def test_the_command_compares_all_and_prints_their_figures(call):
    np.save("v.npy", codes.lopsided(300, 8, 5))
    code, out, _ = call("repair", "v.npy", "--compare", "--report", "all.md", "--json")
    rows = json.loads(out)["result"]["rows"]
    assert code == 0 and [row["repair"] for row in rows] == [
        "none",
        "centre",
        "all-but-the-top",
        "whiten",
        "standardise",
        "conceptor",
    ]
    means = [row["measures"]["mean_cosine"] for row in rows]
    assert abs(means[1]) < 0.01 < 0.09 < means[0]
    assert "Every repair side by side" in Path("all.md").read_text("utf-8")


def test_the_command_repairs_documents_and_queries_and_writes_their_report(call):
    documents = codes.lopsided(200, 8, 5) + np.float32(2)
    np.save("d.npy", documents)
    np.save("q.npy", documents[:50] + 0.1 * codes.random_rows(50, 8, 9))
    Path("r.tsv").write_text("".join(f"{i} {i} 1\n" for i in range(50)), "utf-8")
    arguments = [
        "--method",
        "centre",
        "--queries",
        "q.npy",
        "--relevance",
        "r.tsv",
        "--report",
        "d.json",
        "-o",
        "c.safetensors",
    ]
    code, out, err = call("repair", "d.npy", *arguments, "--json")
    assert code == 0 and "d.json" in err
    result = json.loads(out)["result"]
    assert {s["name"] for s in result["scores"]} >= {"recall@1", "nDCG@10"} and all(
        s["n"] == 50 for s in result["scores"]
    )
    assert [t["rate"] for t in result["thresholds"]] == [0.95, 0.5, 0.05, 0.01, 0.001]
    section = json.loads(Path("d.json").read_text("utf-8"))["sections"][0]
    assert [t["id"] for t in section["tables"]] == ["scores", "thresholds", "changes"]
    map = load_repair("c.repair.safetensors")
    assert map.mean == pytest.approx(documents.astype(float).mean(0), abs=1e-12)


@pytest.mark.real
def test_a_dictionary_read_backwards_has_its_headwords_among_the_documents():
    from armillary.study.tasks import reverse_dictionary, task_texts

    queries, documents, grades = reverse_dictionary(200, 50)
    assert (len(queries), len(documents), len(grades)) == (50, 200, 50)
    assert all(set(found) <= documents.keys() for found in grades.values())
    assert all(next(iter(grades[q])).casefold() not in text.casefold() for q, text in queries.items())
    lines = catalog.data_path("dictionary-en").read_text("utf-8").splitlines()
    assert len(lines) == 117_659 and lines[0].split("\t")[:2] == ["able", "adjective"]
    assert lines[2].startswith("abaxial|dorsal\tadjective\tfacing away from the axis of an organ or organism")
    with pytest.raises(UsageError, match="expected a task among dictionary-en"):
        task_texts("nothing")
