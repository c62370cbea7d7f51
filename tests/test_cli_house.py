"""The commands that keep house, `fetch` and `cache`, as a person calls them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from armillary import catalog
from armillary.cli import main


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["armillary", *arguments])
    with pytest.raises(SystemExit) as exit:
        main()
    return int(exit.value.code or 0)


def test_fetch_list_names_everything(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(monkeypatch, "fetch", "--list", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["command"] == "fetch"
    assert [entry["name"] for entry in document["result"]["entries"]] == list(catalog.ENTRIES)
    gemma = next(entry for entry in document["result"]["entries"] if entry["name"] == "gemma3")
    assert gemma["bytes"] == 56_634_990 + 60_953_371 + 59_882_045 + 60_704_618
    assert gemma["present"] is False and gemma["licence"] == "Gemma Terms of Use" and gemma["caution"]


def test_an_unknown_name_is_told_before_anything_is_brought(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(catalog, "fetch", None)
    assert call(monkeypatch, "fetch", "gemma3", "glov") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "found 'glov'\n       did you mean glove?\n" in err


def test_fetch_without_a_name(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(monkeypatch, "fetch") == 2
    assert "armillary fetch --list" in capsys.readouterr().err


def test_cache_lists_and_clears(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from armillary.storage import cache_directory

    (cache_directory("tables", "toy") / "rows.bin").write_bytes(b"x" * 1500)
    assert call(monkeypatch, "cache") == 0
    assert capsys.readouterr().out == f"  tables/toy  1,500 bytes\n1,500 bytes in {cache}\n"
    assert call(monkeypatch, "cache", "--clear", "--json") == 0
    assert json.loads(capsys.readouterr().out)["result"] == {
        "folder": str(cache),
        "cleared": True,
        "bytes": 1500,
        "contents": [{"name": "tables/toy", "bytes": 1500}],
    }
    assert call(monkeypatch, "cache") == 0
    assert capsys.readouterr().out == f"0 bytes in {cache}\n"
    assert call(monkeypatch, "cache", "nothing", "--clear") == 2
