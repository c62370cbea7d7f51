"""The user's cache: listed with sizes, cleared by name, and never more than what Armillary made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from armillary.errors import UsageError, WorkError
from armillary.storage import atomic_path, cache_contents, cache_directory, cache_root, clear_cache, output_path


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path))
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis.txt").write_text("years of work")
    (cache_directory("tables", "toy") / "rows.bin").write_bytes(b"x" * 100)
    (cache_directory("tables") / "single.bin").write_bytes(b"x" * 7)
    (cache_directory("scans") / "a.npz").write_bytes(b"x" * 20)
    return tmp_path


def test_contents_are_what_armillary_made(root: Path) -> None:
    assert cache_root() == root
    assert [(c.name, c.size) for c in cache_contents()] == [
        ("scans/a.npz", 20),
        ("tables/single.bin", 7),
        ("tables/toy", 100),
    ]


def test_clear_one_then_a_room_then_all_but_never_a_stranger(root: Path) -> None:
    assert [c.name for c in clear_cache("tables/toy")] == ["tables/toy"]
    assert [c.name for c in clear_cache("tables")] == ["tables/single.bin"]
    assert [c.name for c in clear_cache()] == ["scans/a.npz"]
    assert cache_contents() == [] == clear_cache()
    assert (root / "precious" / "thesis.txt").read_text() == "years of work"
    with pytest.raises(UsageError, match="found 'precious'"):
        clear_cache("precious")


def test_a_folder_that_was_there_before_is_not_claimed(root: Path) -> None:
    cache_directory("precious")
    assert not any(c.name.startswith("precious") for c in cache_contents())


def test_a_cache_that_cannot_be_made_says_what_to_set(root: Path) -> None:
    (root / "blocked").write_text("a file")
    with pytest.raises(WorkError, match="cannot be made") as caught:
        cache_directory("blocked", "below")
    assert "ARMILLARY_CACHE" in caught.value.cure


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    with atomic_path(output_path(tmp_path / "link.csv", (".csv",), "")) as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link.csv").is_symlink() and (tmp_path / "real.csv").read_text() == "new"


def test_what_is_no_file_is_no_place_to_write(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "lost.csv").symlink_to("nowhere/lost.csv")
    with pytest.raises(UsageError, match="found a device or pipe"):
        output_path(tmp_path / "pipe.csv", (".csv",), "")
    with pytest.raises(UsageError, match=r"expected a folder .*nowhere to write lost\.csv into, found none"):
        output_path(tmp_path / "lost.csv", (".csv",), "")
