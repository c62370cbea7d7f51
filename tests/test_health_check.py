"""The gate: passes and fails as told, and reads well in a log."""

from __future__ import annotations

import json
import sys

import pytest

from armillary.cli import main
from armillary.errors import UnreadableError, UsageError
from armillary.report.gate import Limit, check


def write(path, **values) -> str:
    path.write_text(json.dumps({"measures": [{"name": n, "value": v} for n, v in values.items()]}), "utf-8")
    return str(path)


@pytest.fixture
def new(tmp_path) -> str:
    return write(tmp_path / "new.json", mean_cosine=0.31, effective_rank=250.0, equal_rows=3, broken=None)


@pytest.fixture
def old(tmp_path) -> str:
    return write(tmp_path / "old.json", mean_cosine=0.30, effective_rank=240.0, equal_rows=3)


def call(monkeypatch, capsys, *arguments: str) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["armillary", "check", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0), capsys.readouterr().out


def test_fails_with_a_short_table_and_exit_code_1(monkeypatch, capsys, new, old) -> None:
    limits = ["--max", "mean_cosine=0.3", "--min", "effective_rank=200", "--max", "new_duplicates=0"]
    code, out = call(monkeypatch, capsys, new, *limits, "--against", old)
    assert code == 1
    assert out == "1 of 3 limits failed:\nmeasure      found  expected\nmean_cosine  0.310  at most 0.300\n"


def test_passes_at_the_bound(monkeypatch, capsys, new) -> None:
    assert call(monkeypatch, capsys, new, "--max", "mean_cosine=0.31") == (0, "The limit holds.\n")
    code, out = call(monkeypatch, capsys, new, "--min", "effective_rank=250", "--max", "equal_rows=3")
    assert (code, out) == (0, "All 2 limits hold.\n")


def test_json_is_one_document_also_on_failure(monkeypatch, capsys, new) -> None:
    code, out = call(monkeypatch, capsys, new, "--max", "equal_rows=2", "--json")
    result = json.loads(out)["result"]
    assert code == 1 and result["passed"] is False
    assert result["limits"] == [{"name": "equal_rows", "max": 2.0, "value": 3.0, "passed": False, "why": ""}]


@pytest.mark.parametrize(
    ("name", "why"), [("absent", "the report has no measure absent"), ("broken", "broken is no number in the report")]
)
def test_a_gate_that_cannot_see_does_not_open(new, name, why) -> None:
    gate = check(new, [Limit(name, "max", 9.0)])
    assert not gate.passed and gate.failed[0].why == why


def test_new_is_the_difference_to_the_older_report(new, old) -> None:
    for bound, passed in ((0.02, True), (0.005, False)):
        assert check(new, [Limit("new_mean_cosine", "max", bound)], old).passed is passed
    with pytest.raises(UsageError, match="expected --against"):
        check(new, [Limit("new_mean_cosine", "max", 0.1)])


def test_what_is_no_limit_and_no_report(tmp_path, new) -> None:
    for text in ("mean_cosine", "=3", "a=b", "a=nan"):
        with pytest.raises(UsageError, match="expected a limit such as"):
            Limit.parse(text, "max")
    with pytest.raises(UsageError, match="expected a limit, found none"):
        check(new, [])
    for content in ("{", "[]", '{"a": 1}'):
        (tmp_path / "bad.json").write_text(content)
        with pytest.raises(UnreadableError, match=r"expected (a report|measures) in"):
            check(tmp_path / "bad.json", [Limit("a", "max", 1)])
