"""Fetches that are killed at any moment, or run two at once: nothing torn is ever opened, and the next one completes."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from armillary import catalog
from armillary.catalog import store
from armillary.errors import UnreadableError
from slow_fetch import PARTS, WHOLE, sha, toy
from test_catalog import toy_wheel

DOWNLOAD = 0.3  # seconds that the slow download takes


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path / "cache"))
    wheel = toy_wheel(tmp_path / "wheels", PARTS)
    monkeypatch.setitem(catalog.ENTRIES, "toy", toy(wheel))
    return wheel


def fetching(wheel: Path, seconds: float = DOWNLOAD) -> subprocess.Popen[str]:
    """A fetch under way: it has been imported and begins."""
    program = Path(__file__).with_name("slow_fetch.py")
    process = subprocess.Popen(
        [sys.executable, str(program), str(wheel), str(seconds)],
        env={**os.environ, "PYTHONPATH": str(program.parents[1] / "src")},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    with process.stdout as told:
        assert told.readline() == "ready\n"
    return process


def opened() -> bytes | None:
    """What `demo:toy` is now; None where it is not there."""
    try:
        return catalog.resolve("demo:toy").read_bytes()
    except UnreadableError:
        return None


def left_over(wheel: Path) -> set[str]:
    return {path.name for path in (wheel.parents[1] / "cache" / "tables").iterdir()} - {"CACHEDIR.TAG", "toy"}


def check_whole_or_absent_then_complete(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened() in (None, WHOLE)
    monkeypatch.setattr(store, "A_MOMENT", 0.0)
    assert fetching(wheel, 0).wait() == 0 and opened() == WHOLE
    with store.new_folder(catalog.entry("toy")):  # as any fetch does first: what nobody holds goes
        pass
    assert left_over(wheel) == set()


@pytest.mark.parametrize("signal_sent", [signal.SIGKILL, signal.SIGTERM], ids=lambda s: s.name)
def test_a_fetch_killed_at_any_moment_leaves_nothing_torn(wheel, monkeypatch, signal_sent):
    rng = random.Random(signal_sent)
    for moment in (
        0.1 + 0.2 * rng.random(),
        1 + 0.4 * rng.random(),
    ):  # while it downloads; while it unpacks and renames
        process = fetching(wheel)
        time.sleep(moment * DOWNLOAD)
        process.send_signal(signal_sent)
        process.wait()
        assert opened() in (None, WHOLE)
        assert signal_sent == signal.SIGKILL or left_over(wheel) == set()  # told to end, it tidies up
    check_whole_or_absent_then_complete(wheel, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_a_fetch_killed_at_thirty_moments(wheel, monkeypatch, seed):
    process = fetching(wheel)
    time.sleep(DOWNLOAD * 1.5 * random.Random(seed).random())
    process.kill()
    process.wait()
    check_whole_or_absent_then_complete(wheel, monkeypatch)


def test_a_kill_between_the_two_renames_leaves_a_fetch_to_do(wheel, monkeypatch):
    """The old folder has stepped aside, the new one has not come: gone for now, and brought again."""
    assert fetching(wheel, 0).wait() == 0
    folder = store.folder_of(catalog.entry("toy"))
    (folder / "whole.bin").write_bytes(b"cut")
    folder.rename(folder.with_name(".toy.abc.old"))
    (folder.parent / ".toy.def.part").mkdir()
    check_whole_or_absent_then_complete(wheel, monkeypatch)


def test_two_fetches_at_once_both_end_well(wheel):
    both = [fetching(wheel), fetching(wheel)]
    while any(process.poll() is None for process in both):
        assert opened() in (None, WHOLE)
        time.sleep(0.01)
    assert [process.returncode for process in both] == [0, 0]
    assert opened() == WHOLE and left_over(wheel) == set()
    record = json.loads((store.folder_of(catalog.entry("toy")) / ".armillary.json").read_text("utf-8"))
    assert record["files"]["whole.bin"] == {"bytes": len(WHOLE), "sha256": sha(WHOLE)}


def test_what_another_fetch_is_making_is_left_alone(wheel, monkeypatch):
    monkeypatch.setattr(store, "A_MOMENT", 0.0)
    entry = catalog.entry("toy")
    with store.new_folder(entry) as first:
        with pytest.raises(KeyboardInterrupt), store.new_folder(entry):
            raise KeyboardInterrupt
        assert first.is_dir()
        (first / "whole.bin").write_bytes(WHOLE)
    assert opened() == WHOLE
