"""Planted faults: every one is found, and nothing else."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from armillary.answer import number
from armillary.cli import main
from armillary.errors import UsageError
from armillary.formats import write_safetensors
from armillary.geometry import health
from armillary.study import open as open_study
from armillary.table import Kind, LoadReport, Provenance, Table, Token, Vocabulary
from armillary.table.rows import ArrayRows

V, D = 600, 24
ZERO, NAN, INFINITE = 17, 40, 41
DOUBLES = (60, 61, 300)  # equal rows
HOLE, PADDED = 100, (596, 597, 598, 599)
BROKEN_BYTES = 200
UNUSED = range(500, 540)
TIRED = (7, 77, 177)  # rows that no text trained


class Letters:
    """A tokenizer for names of one word each; the token `lost` is spelled as if it were another."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.ids = {name: i for i, name in enumerate(names)}

    def encode(self, text: str) -> list[int]:
        return [0] if text.endswith("lost") else [self.ids[text]] if text in self.ids else [0, 0]

    def decode(self, ids: list[int]) -> bytes:
        return b"".join(self.names[i].encode("utf-8", "surrogateescape") for i in ids)


def planted(rows: np.ndarray | None = None) -> Table:
    random = np.random.default_rng(5)
    if rows is None:
        start = random.normal(size=D)  # untrained rows stay near where they began
        rows = random.normal(size=(V, D)) + 3 * np.eye(D)[0]
        near = [*UNUSED, HOLE, *PADDED]
        rows[near] = start + 0.01 * random.normal(size=(len(near), D))
        rows[list(TIRED)] = start + 0.005 * random.normal(size=(len(TIRED), D))
    rows = rows.astype(np.float32)
    rows[ZERO], rows[NAN, 3], rows[INFINITE, 0] = 0, np.nan, np.inf
    rows[DOUBLES[1]] = rows[DOUBLES[2]] = rows[DOUBLES[0]]
    names = [f"<unused{i}>" if i in UNUSED else f"word{i}" for i in range(V)]
    names[5] = "lost"
    raw = [name.encode() for name in names]
    raw[BROKEN_BYTES] = b"\xe4\xb8"
    names[BROKEN_BYTES] = raw[BROKEN_BYTES].decode("utf-8", "surrogateescape")
    kinds = np.zeros(V, np.uint8)
    kinds[list(UNUSED)] = Kind.UNUSED
    for id in (HOLE, *PADDED):
        raw[id], names[id], kinds[id] = b"", "", Kind.NO_TOKEN
    vocabulary = Vocabulary(
        raw, names, kinds, tokenizer=Letters(names), beyond=[Token.of(V + 3, b"late", "late", Kind.NORMAL)]
    )
    return Table(ArrayRows(rows), vocabulary, Provenance("planted"), LoadReport("array"))


def test_planted_faults_are_found_and_no_others() -> None:
    found = open_study(planted(), cache=False).health()
    kinds = {kind: ids.tolist() for kind, ids in found.kinds.items()}
    assert kinds == {
        "non-finite": [NAN, INFINITE],
        "zero": [ZERO],
        "duplicate": [DOUBLES[1], DOUBLES[2]],
        "token without a row": [V + 3],
        "hole": [HOLE],
        "padded": list(PADDED),
        "unreachable": [5],
        "undecodable": [BROKEN_BYTES],
        "under-trained": list(TIRED),
    }


def test_verdict_and_json_tell_the_same() -> None:
    found = open_study(planted(), cache=False).health()
    assert found.verdict == (
        "Of 600 rows, 2 NaN or infinite, 1 zero, 2 duplicate, 1 token without a row, 1 hole, 4 padded, 1 unreachable; "
        "3 look under-trained."
    )
    document = json.loads(json.dumps(found.to_dict()))
    assert document["kinds"]["token without a row"]["rows"][0]["text"] == "late"
    assert {m["name"]: m["value"] for m in document["measures"]}["zero_rows"] == 1
    assert [c["id"] for c in document["under_trained"]["candidates"] if c["below_soft_threshold"]] != []
    soft = document["under_trained"]["indicators"][0]["soft_threshold"]
    assert (
        document["under_trained"]["rule"]
        == found.rule
        == (
            f"Rule: a row looks under-trained where its cosine distance to the mean reference row is at most {number(soft)}, as it "
            "is for 42 of the 45 reference rows. 3 rows besides those do: all normal."
        )
    )
    assert found.rule in str(found) and "by cosine distance to the mean reference row: 11 rows (all normal)" in str(
        found
    )


def test_a_sound_table_has_no_odd_row() -> None:
    rows = np.random.default_rng(0).normal(size=(200, 8))
    found = open_study(Table.from_array(rows, [f"w{i}" for i in range(200)]), cache=False).health()
    assert found.verdict == (
        "All 200 rows are sound; under-training cannot be told: it takes 3 reference rows or more, and there are none."
    )
    assert not any(len(ids) for kind, ids in found.kinds.items() if kind != "under-trained")
    assert "Candidates" not in str(found) and found.candidates()  # nothing to hold them against; the document has them


def test_reference_rows_like_all_others_are_said_not_to_stand_apart() -> None:
    rows = np.random.default_rng(0).normal(size=(400, 16))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    names = [f"<unused{i}>" if i < 100 else f"w{i}" for i in range(400)]
    table = Table.from_array(rows, names)
    found = open_study(table, cache=False).health(reference="0..99")
    assert found.under_trained is not None and found.under_trained.leading is None
    assert found.verdict == (
        "All 400 rows are sound; under-training cannot be told: the 100 reference rows do not stand apart from the others."
    )
    assert "want of reference rows" not in str(found) and "Candidates" not in str(found)


def test_candidates_are_headed_by_what_orders_them_and_the_rule_counts_its_own_references() -> None:
    rows = np.random.default_rng(0).normal(size=(400, 16))
    rows[:13] *= 0.01 * (1 + np.arange(13))[:, None] / 13
    found = open_study(Table.from_array(rows, [f"w{i}" for i in range(400)]), cache=False).health(reference="0..12")
    assert found.under_trained is not None and found.under_trained.leading is not None
    assert found.rule is not None and "as it is for 12 of the 13 reference rows" in found.rule
    units = ["cosine distance"] * 3 + ["distance", "norm"]
    assert [i.unit for i in found.under_trained.indicators.all] == units
    lines = str(found).splitlines()
    header = next(line for line in lines if line.split()[:2] == ["id", "token"])
    assert f"  {found.under_trained.leading.unit}  " in header
    assert any(line.startswith("Soft threshold: the 95th percentile") for line in lines)


def test_candidates_are_at_most_two_percent_and_start_with_the_untrained() -> None:
    found = open_study(planted(), cache=False).health()
    assert found.under_trained is not None
    candidates = found.under_trained.candidates
    judged = len(found.under_trained.indicators.judged)
    assert len(candidates.ids) == int(0.02 * judged)
    assert set(candidates.ids[:3].tolist()) == set(TIRED)
    assert candidates.shares[2] == 3 / judged


def test_reference_rows_say_why() -> None:
    references = health.reference_rows(planted())
    assert {reason: len(ids) for reason, ids in references.reasons.items()} == {
        "named unused or reserved": len(UNUSED),
        "no token": 1 + len(PADDED),
    }
    given = health.reference_rows(planted(), np.array([500, ZERO]))
    assert given.ids.tolist() == [500]  # a zero row has no direction
    with pytest.raises(UsageError, match="reference ids from 0 to 599, found 600"):
        health.reference_rows(planted(), np.array([600]))


@pytest.mark.parametrize("byte", [0xC0, 0xC1, 0xF5, 0xFF])
def test_bytes_that_utf8_never_uses_are_references(byte: int) -> None:
    table = Table.from_array(np.eye(3), [b"a", bytes([byte]), bytes([0xC2])])
    assert health.reference_rows(table).ids.tolist() == [1]


def test_ids_are_written_as_ranges_with_both_ends() -> None:
    assert health.parse_ids("6..8, 300,7").tolist() == [6, 7, 8, 300]
    for wrong in ("", "6..", "8..6", "a", "-1", "1;2"):
        with pytest.raises(UsageError, match=r"expected ids such as 6\.\.104,300"):
            health.parse_ids(wrong)


def test_indicators_are_their_definitions() -> None:
    table = planted()
    references = health.reference_rows(table)
    judged = health.judged_rows(table)
    found = {i.name: i for i in health.indicators(table, references, judged).all}
    rows = np.nan_to_num(table.vectors.block(0, V).astype(np.float64), posinf=0)
    kept = np.setdiff1d(np.arange(V), [ZERO, NAN, INFINITE, HOLE, *PADDED])
    mean = rows[kept].mean(0)
    component = np.linalg.svd(rows[kept])[2][0]
    spaces = {
        "reference_cosine": rows,
        "reference_cosine_centred": rows - mean,
        "reference_cosine_component": rows - np.outer(rows @ component, component),
    }
    for name, x in spaces.items():
        r = x[references.ids].mean(0)
        with np.errstate(invalid="ignore"):
            expected = 1 - (x @ r) / np.linalg.norm(x, axis=1) / np.linalg.norm(r)
        np.testing.assert_allclose(found[name].values[judged], expected[judged], atol=1e-6)
    r = rows[references.ids].mean(0)
    expected = np.linalg.norm(rows - r, axis=1)[judged]
    np.testing.assert_allclose(found["reference_distance"].values[judged], expected, rtol=1e-12)
    own = [1 - cosine(rows[i], rows[np.setdiff1d(references.ids, [i])].mean(0)) for i in references.ids]
    assert found["reference_cosine"].soft_threshold == pytest.approx(np.quantile(own, 0.95), abs=1e-12)


def cosine(x: np.ndarray, y: np.ndarray) -> float:
    return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))


def test_equal_norms_are_void_and_said_so() -> None:
    rows = np.random.default_rng(1).normal(size=(400, 16))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    tokens = [f"<unused{i}>" if i < 10 else f"w{i}" for i in range(400)]
    found = open_study(Table.from_array(rows, tokens), cache=False).health()
    assert found.under_trained is not None
    norm = found.under_trained.indicators.all[-1]
    assert norm.name == "input_norm" and norm.void.startswith("98 % of the norms agree within")
    assert "length tells nothing here" in str(found)


def test_references_that_are_no_group_are_void() -> None:
    rows = np.random.default_rng(2).normal(size=(400, 16)) * np.linspace(1, 2, 400)[:, None]
    tokens = [f"<unused{i}>" if i < 10 else f"w{i}" for i in range(400)]
    found = open_study(Table.from_array(rows, tokens), cache=False).health()
    assert found.under_trained is not None
    assert "separates nothing here" in found.under_trained.indicators.all[0].void


def test_only_new_rows_are_looked_at() -> None:
    old = Table.from_array(np.random.default_rng(3).normal(size=(50, 8)), [f"w{i}" for i in range(50)])
    rows = np.random.default_rng(3).normal(size=(53, 8)).astype(np.float32)
    rows[50] = 0
    rows[20] = 0  # an old row, not looked at
    grown = Table.from_array(rows, [f"w{i}" for i in range(53)])
    study = open_study(grown, cache=False)
    found = study.health(old=open_study(old, cache=False))
    assert found.only == 3 and found.kinds["zero"].tolist() == [50]
    with pytest.raises(UsageError, match="expected tokens that array lacks, found none"):
        study.health(old=study)


def test_tokens_carry_their_health() -> None:
    study = open_study(planted(), cache=False)
    assert study.tokens(limit=1).to_dict()["tokens"][0]["health"] is None and not study.tokens(limit=1).judged
    found = study.tokens("health is not null", "reference_distance")
    rows = {row["id"]: row for row in found.to_dict()["tokens"]}
    assert {id: row["health"] for id, row in rows.items()} == {
        **dict.fromkeys((NAN, INFINITE), "non-finite"),
        ZERO: "zero",
        **dict.fromkeys(DOUBLES[1:], "duplicate"),
        HOLE: "hole",
        **dict.fromkeys(PADDED, "padded"),
        BROKEN_BYTES: "undecodable",
        **dict.fromkeys(TIRED, "under-trained"),
    }
    suspects = study.soundness.under_trained
    assert suspects is not None and suspects.leading is not None
    for id in TIRED:
        assert rows[id]["reference_distance"] == suspects.leading.values[id]
        assert rows[id]["reference_share"] == suspects.share_below(id)
    assert rows[ZERO]["reference_share"] is None
    assert study.tokens(limit=3, health=True).to_dict()["tokens"][1]["reference_share"] > 0.02


def test_command_prints_verdict_first_and_json_alone(tmp_path, monkeypatch, capsys) -> None:
    rows = np.random.default_rng(4).normal(size=(30, 6)).astype(np.float32)
    rows[4] = 0
    np.save(tmp_path / "t.npy", rows)

    def call(*more: str) -> str:
        monkeypatch.setattr(sys, "argv", ["armillary", "health", str(tmp_path / "t.npy"), "--no-cache", *more])
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code
        return capsys.readouterr().out

    assert call().startswith("Of 30 rows, 1 zero;")
    document = json.loads(call("--json"))
    assert document["command"] == "health" and document["result"]["kinds"]["zero"]["count"] == 1


def test_the_command_looks_at_new_rows_alone(tmp_path, monkeypatch, capsys) -> None:
    rows = np.random.default_rng(3).normal(size=(53, 8)).astype(np.float32)
    rows[[20, 50]] = 0  # an old row, not looked at, and a new one
    for name, n in (("old", 50), ("new", 53)):
        Path(tmp_path / name).mkdir()
        write_safetensors(rows[:n], tmp_path / name / "t.safetensors", [f"w{i}" for i in range(n)])

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(
            sys, "argv", ["armillary", "health", str(tmp_path / "new" / "t.safetensors"), "--no-cache", *arguments]
        )
        with pytest.raises(SystemExit) as end:
            main()
        return int(end.value.code or 0), *capsys.readouterr()

    code, out, _ = call("--only", "new", "--old", str(tmp_path / "old" / "t.safetensors"))
    assert code == 0 and out.startswith("Of 3 new rows, 1 zero;") and "w50" in out and "w20" not in out
    for wrong in (("--only", "new"), ("--old", "x"), ("--only", "all", "--old", "x")):
        code, out, err = call(*wrong)
        assert (code, out) == (2, "") and "expected --only new together with --old MODEL" in err
