"""The study on tables small enough to check by hand: neighbours, look-up, the scan's cache, tokens."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pyarrow.parquet as parquet
import pytest
from pyarrow import csv

import armillary as arm
import oracle
from armillary.errors import UnreadableError, UsageError

ROWS = np.random.default_rng(7).standard_normal((300, 12)).astype(np.float32)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path / "cache"))


def words(n: int) -> list[str]:
    return [f" w{i}" for i in range(n)]


def study(rows: np.ndarray = ROWS, **options) -> arm.Study:
    return arm.open(arm.Table.from_array(rows, words(len(rows))), **options)


def test_neighbors_agree_with_the_oracle():
    found = study().neighbors("w17", k=9)
    ids, values = oracle.neighbors(ROWS, 17, 9)
    assert [t.id for t in found.tokens] == ids.tolist()
    assert np.abs(np.array(found.values) - values).max() < 1e-12
    assert (found.searched, found.metric, found.space, found.query_id) == (300, "cosine", "raw", 17)


def test_dot_and_euclidean_neighbors_are_their_definitions():
    x = ROWS.astype(np.float64)
    dots, lengths = x @ x[3], np.linalg.norm(x - x[3], axis=1)
    dots[3], lengths[3] = -np.inf, np.inf
    assert [t.id for t in study().neighbors(3, 5, "dot").tokens] == np.argsort(-dots)[:5].tolist()
    assert [t.id for t in study().neighbors(3, 5, "euclidean").tokens] == np.argsort(lengths)[:5].tolist()


def test_a_vector_of_ones_own_excludes_no_row():
    found = study().neighbors(ROWS[5] * 3, k=1)
    assert (found.tokens[0].id, found.searched, found.query_id) == (5, 300, None)
    assert found.values[0] == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (np.ones(11), "expected a vector of 12 numbers, found shape (11,)"),
        (np.zeros(12), "expected a vector of finite numbers that are not all zero"),
        (np.full(12, np.nan), "expected a vector of finite numbers that are not all zero"),
        (300, "expected an id from 0 to 299, found 300"),
        ("nonesuch", "nonesuch"),
    ],
)
def test_a_query_that_cannot_be_meant_is_told(query, message):
    with pytest.raises(UsageError) as error:
        study().neighbors(query)
    assert message in str(error.value)


def test_a_zero_row_and_a_left_out_kind_are_no_query():
    rows = ROWS.copy()
    rows[4] = 0
    with pytest.raises(UsageError, match="left out: zero"):
        study(rows).neighbors(4)
    names = [f"<unused{i}>" if i < 2 else f" w{i}" for i in range(300)]
    without = arm.open(arm.Table.from_array(ROWS, names), without=["unused"])
    assert without.neighbors("w9").left_out == {"unused": 2}
    with pytest.raises(UsageError, match="no kind named"):
        arm.open(arm.Table.from_array(ROWS), without=["unusual"])


def test_equal_rows_stay_neighbors_and_ties_go_by_id():
    rows = np.repeat(np.eye(3, dtype=np.float32), 3, axis=0)
    found = study(rows).neighbors(4, k=4)
    assert [t.id for t in found.tokens] == [3, 5, 0, 1]
    assert found.values == (1.0, 1.0, 0.0, 0.0)


def test_lookup_by_one_hot_is_the_same_rows_even_beside_broken_ones():
    rows = ROWS.copy()
    rows[7], rows[8, 3] = np.inf, np.nan
    found = study(rows).lookup("w5 w6", one_hot=True)
    assert [t.id for t in found.tokens] == [5, 6]
    assert found.one_hot is not None
    assert found.one_hot.equal and found.one_hot.rows_in_product == 298
    assert (found.one_hot.one_hot_numbers, found.one_hot.table_numbers) == (300 * 300, 300 * 12)
    cos = oracle.cosines(rows[5], rows[6:7])[0]
    assert found.one_hot.distances[0].distance == pytest.approx(np.sqrt(2 - 2 * cos), abs=1e-12)
    np.testing.assert_array_equal(found.rows, rows[[5, 6]])


def test_a_scan_is_kept_and_found_again(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, ROWS)
    first = arm.open(str(path))
    assert first.finished_scan() is None
    scan = first.scan()
    again = arm.open(str(path)).finished_scan()
    assert again is not None
    np.testing.assert_array_equal(again.neighbors, scan.neighbors)
    np.testing.assert_array_equal(again.similarities, scan.similarities)
    assert (again.closest, again.farthest, again.moments) == (scan.closest, scan.farthest, scan.moments)
    assert again.histogram is not None and scan.histogram is not None
    np.testing.assert_array_equal(again.histogram.counts, scan.histogram.counts)
    assert arm.open(str(path), cache=False).finished_scan() is None
    assert arm.open(str(path)).finished_scan(k=3) is None


def test_a_changed_file_is_another_table(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, ROWS)
    before = arm.open(str(path))
    before.scan()
    np.save(path, ROWS[::-1])
    after = arm.open(str(path))
    assert after.facts.sha256 != before.facts.sha256
    assert after.finished_scan() is None


def test_a_cache_that_cannot_be_read_is_made_again(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, ROWS)
    arm.open(str(path)).scan()
    for kept in (tmp_path / "cache").rglob("*.npz"):
        kept.write_bytes(kept.read_bytes()[:100])
    again = arm.open(str(path))
    assert again.finished_scan() is None
    assert again.scan().closest is not None


def test_tokens_never_scan_unless_asked():
    shown = study().tokens()
    assert shown.table.column("nn_id").null_count == 300 and not shown.scanned
    filled = study().tokens(scan=True).table
    ids, values = oracle.neighbors(ROWS, 17, 1)
    assert filled.column("nn_id")[17].as_py() == ids[0]
    assert filled.column("nn_cos")[17].as_py() == pytest.approx(values[0], abs=1e-12)
    unit = ROWS / np.linalg.norm(ROWS.astype(np.float64), axis=1, keepdims=True)
    mean = unit.sum(0) / np.linalg.norm(unit.sum(0))
    assert filled.column("cos_to_mean")[17].as_py() == pytest.approx(unit[17] @ mean, abs=1e-12)
    assert sum(filled.column("occurrence").to_pylist()) == 300 * 10


def test_tokens_are_filtered_sorted_and_written(tmp_path):
    rows = ROWS.copy()
    rows[8] = rows[3]
    rows[9] = 0
    found = study(rows).tokens("norm > 3 and kind = 'normal'", "norm desc")
    norms = np.linalg.norm(rows.astype(np.float64), axis=1)
    expected = [i for i in np.argsort(-norms, kind="stable").tolist() if norms[i] > 3]
    assert found.table.column("id").to_pylist() == expected
    doubled = study(rows).tokens("duplicate_group is not null")
    assert doubled.table.select(["id", "duplicate_group"]).to_pydict() == {"id": [3, 8], "duplicate_group": [3, 3]}
    written = found.save(tmp_path / "tokens.parquet")
    assert parquet.read_table(written).column("id").to_pylist() == expected
    assert found.save(tmp_path / "tokens.csv").read_text().startswith('"id","text","bytes"')


@pytest.mark.parametrize(
    "expression",
    [
        "nonesuch > 1",
        "1 = 1; drop table x",
        "exists (select * from read_text('{path}'))",
        "exists (from '{path}')",
        "(select count(*) from duckdb_settings() where value = 'x') > 0 and nonesuch",
        "norm >",
    ],
)
def test_an_expression_reaches_nothing_but_the_columns(expression, tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\n1,2\n")
    refusal = "column of the tokens in .*, found nonesuch" if "nonesuch" in expression else "DuckDB expression"
    with pytest.raises(UsageError, match=f"expected a {refusal}"):
        study().tokens(expression.format(path=secret))


def test_pairs_above_a_threshold_are_all_of_them():
    value = np.array([oracle.cosines(ROWS[i], ROWS) for i in range(300)])
    expected = {(i, j) for i in range(300) for j in range(i + 1, 300) if value[i, j] >= 0.7}
    pairs = study().pairs_above(0.7)
    assert {(a.id, b.id) for a, b in zip(pairs.a, pairs.b, strict=True)} == expected
    assert list(pairs.values) == sorted(pairs.values, reverse=True)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_pairs_above_are_streamed_to_a_file(tmp_path, ending, monkeypatch):
    monkeypatch.setattr("armillary.study.near._GROUP", 100)  # several groups
    path = tmp_path / f"pairs.{ending}"
    pairs = study().pairs_above(0.5)
    assert study().save_pairs_above(0.5, path) == len(pairs) > 300
    reader = parquet.read_table if ending == "parquet" else csv.read_csv
    written = reader(path).to_pydict()
    found = sorted(zip(written["a_id"], written["b_id"], written["cosine"], strict=True))
    assert found == sorted(zip([t.id for t in pairs.a], [t.id for t in pairs.b], pairs.values, strict=True))
    texts = {t.id: t.text for t in (*pairs.a, *pairs.b)}
    assert [texts[i] for i in written["b_id"]] == [str(text) for text in written["b"]]
    assert study().save_pairs_above(1.0, path) == 0 == len(reader(path))


def test_a_missing_path_is_an_error_with_near_misses(tmp_path):
    np.save(tmp_path / "model.npy", ROWS)
    with pytest.raises(UnreadableError, match=r"did you mean .*model\.npy"):
        arm.open(str(tmp_path / "modle.npy"))


def test_info_lookup_and_neighbors_load_no_compiler_and_no_torch(tmp_path):
    np.save(tmp_path / "model.npy", ROWS)
    program = (
        "import sys, armillary as arm\n"
        f"s = arm.open({str(tmp_path / 'model.npy')!r}); s.info(); s.lookup('5'); s.neighbors('5')\n"
        "print([m for m in ('numba', 'torch', 'transformers', 'matplotlib', 'pydantic', 'scipy.stats', 'gguf', 'fastapi') "
        "if m in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "[]\n"


@pytest.mark.real
def test_gemma_neighbors_of_king(monkeypatch):
    monkeypatch.delenv("ARMILLARY_CACHE")
    near = arm.open("demo:gemma3").neighbors("king", k=3)
    assert [t.text for t in near.tokens] == ["▁King", "▁queen", "▁kings"]
    assert near.query == "▁king" and near.searched + sum(near.left_out.values()) == 262_144


@pytest.mark.real
def test_gemma_info(monkeypatch):
    monkeypatch.delenv("ARMILLARY_CACHE")
    info = arm.open("demo:gemma3").info()
    assert info.shape == (262_144, 640)
    assert info.provenance.stored == "Q8_0" and info.provenance.tied is True
    assert info.share == 167_772_160 / 268_098_176


def test_an_array_is_opened_as_it_is():
    rows = np.array([[1, 0], [0, 2], [3, 3]], np.float32)
    study = arm.open(rows, cache=False)
    assert study.shape == (3, 2)
    assert [t.id for t in study.neighbors(2, 2).tokens] == [0, 1]  # both at cosine √½, ties by id
    with pytest.raises(UsageError, match="expected a two-dimensional array of numbers"):
        arm.open(rows[0])


def test_the_memory_of_a_scan_is_told_where_it_is_much(monkeypatch):
    from armillary.scan.plan import Plan
    from armillary.study import scans

    study = arm.open(arm.Table.from_array(np.random.default_rng(0).random((3000, 8))), cache=False)
    assert scans.memory_note(study) == ""
    monkeypatch.setattr(scans, "TOLD", 0)
    held = Plan.of(3000, 3000, 8, 11, os.cpu_count() or 1).bytes / 1e6
    assert held > 4 * 3000 * 8 / 1e6  # one float32 copy at least
    assert scans.memory_note(study) == f"comparing all pairs will hold at most {held:.0f} MB beside the rows"
