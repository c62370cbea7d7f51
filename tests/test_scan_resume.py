"""A scan that is killed or interrupted mid-scan goes on where it was, to the same answer, bit for bit."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from armillary.scan import ArrayRows, scan, screen
from armillary.scan import rows as rows_module
from armillary.study.memory import StateFile

SOURCE = os.pathsep.join(sys.path)  # pytest's own, for a fresh interpreter
FEW = {"pairs": 10_000}  # the histogram is none of the matter
ENDS = ("closest", "farthest", "closest_distinct", "moments")


class Memory:
    """A keeper that holds the last state, and counts how often it was given one."""

    def __init__(self, state=None, every=0.0):
        self.state, self.every, self.writes = state, every, 0

    def read(self):
        return self.state

    def write(self, arrays):
        self.state, self.writes = dict(arrays), self.writes + 1


class Enough(Exception):
    pass


def table(n=6000, d=24):
    rows = np.random.default_rng(0).standard_normal((n, d), dtype=np.float32)
    rows[5] = rows[9]
    return rows


def same(left, right):
    for name in ("neighbors", "similarities", "certificate", "occurrence", "ids"):
        assert getattr(left, name).tobytes() == getattr(right, name).tobytes()
    assert [getattr(left, name) for name in ENDS] == [getattr(right, name) for name in ENDS]
    assert left.histogram.counts.tolist() == right.histogram.counts.tolist()


def stopped_at(share, rows, keeper, **arguments):
    """Cancel a scan once it has done this share of its pairs."""

    def progress(done, total):
        if done >= share * total:
            raise Enough

    with pytest.raises(Enough):
        scan(ArrayRows(rows), progress=progress, keeper=keeper, **arguments)


@contextmanager
def slow_tiles():
    """The tiles swept, each made to take a while, so that something is left to stop."""
    real, tiles = screen._sweep, []

    def slowly(kernel, tile, *rest):
        time.sleep(0.03)
        tiles.append(tile)
        return real(kernel, tile, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(screen, "_sweep", slowly)
        yield tiles


@pytest.fixture
def swept():
    with slow_tiles() as tiles:
        yield tiles


@pytest.fixture(scope="module")
def broken_off():
    """Rows, their whole scan, and the state of one that was cancelled on the way."""
    rows, keeper = table(4000, 8), Memory(every=1e9)
    with slow_tiles():
        stopped_at(0.2, rows, keeper, **FEW)
    assert 0 < keeper.state["lists.done"].sum() < len(keeper.state["lists.done"])
    return rows, scan(ArrayRows(rows), **FEW), keeper.state


@pytest.mark.parametrize("histogram", ["sampled", "exact"])
def test_a_cancelled_scan_goes_on_to_the_same_answer(swept, histogram):
    rows = table()
    whole = scan(ArrayRows(rows), histogram=histogram)
    tiles = len(swept)
    keeper = Memory(every=1e9)
    stopped_at(0.2, rows, keeper, histogram=histogram)
    done = keeper.state["lists.done"]
    assert 0 < done.sum() < tiles == len(done) and keeper.writes == 1
    swept.clear()
    same(scan(ArrayRows(rows), histogram=histogram, keeper=keeper), whole)
    assert len(swept) == tiles - done.sum()  # what was done is not done again


def _slowly(work):
    def slow(*arguments):
        time.sleep(0.01)
        return work(*arguments)

    return slow


def test_a_pass_for_the_exact_histogram_goes_on_as_well(monkeypatch):
    rows = table()
    keeper = Memory(every=1e9)
    monkeypatch.setattr(rows_module.Distinct, "unit", _slowly(rows_module.Distinct.unit))
    stopped_at(0.6, rows, keeper, histogram="exact")
    monkeypatch.undo()
    assert keeper.state["lists.done"].all() and not keeper.state["histogram.done"].all()
    assert keeper.state["histogram.done"].any() and keeper.state["histogram.total"].sum()
    same(scan(ArrayRows(rows), histogram="exact", keeper=keeper), scan(ArrayRows(rows), histogram="exact"))


def changed(state, name):
    """The state with one bit of one array turned over."""
    damaged = {part: value.copy() for part, value in state.items()}
    damaged[name].view(np.uint8).reshape(-1)[len(damaged[name]) // 2] ^= 1
    return damaged


@pytest.mark.parametrize("name", ["lists.values", "lists.others", "lists.keep", "lists.done", "digest", "key"])
def test_a_torn_state_is_noticed_and_the_work_done_again(broken_off, swept, name):
    rows, whole, state = broken_off
    same(scan(ArrayRows(rows), keeper=Memory(changed(state, name)), **FEW), whole)
    assert len(swept) == len(state["lists.done"])


def test_a_state_of_other_rows_or_another_plan_is_not_taken(broken_off):
    rows, _, state = broken_off
    other = rows.copy()
    other[7] *= [1, -1, 1, 1, 1, 1, 1, 1]  # the same norm, another row
    same(scan(ArrayRows(other), keeper=Memory(state), **FEW), scan(ArrayRows(other), **FEW))
    same(scan(ArrayRows(rows), k=4, keeper=Memory(state), **FEW), scan(ArrayRows(rows), k=4, **FEW))


def test_a_file_cut_short_is_no_state(tmp_path, broken_off):
    rows, found, state = broken_off
    keeper = StateFile(tmp_path / "scan.state", every=1e9)
    keeper.write(state)
    whole = keeper.path.read_bytes()
    assert keeper.read() is not None
    for length in (0, 1, len(whole) // 2, len(whole) - 1):
        keeper.path.write_bytes(whole[:length])
        assert keeper.read() is None
    same(scan(ArrayRows(rows), keeper=keeper, **FEW), found)


# A table of a few seconds; says when the first tile is done, so that a signal lands mid-scan.
PROGRAM = """
import signal, sys
from pathlib import Path
import numpy as np
from armillary.scan import ArrayRows, scan, screen
from armillary.study.memory import StateFile

signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's background jobs ignore
rows = np.random.default_rng(0).standard_normal((int(sys.argv[2]), 256), dtype=np.float32)
found = scan(
    ArrayRows(rows), threads=2, keeper=StateFile(Path(sys.argv[1]) / "scan.state", every=0.2),
    progress=lambda done, total: print(done, total, flush=True),
)
np.savez(Path(sys.argv[1]) / "found.npz", neighbors=found.neighbors, similarities=found.similarities,
         histogram=found.histogram.counts, ends=repr([found.closest, found.farthest, found.moments]))
"""


def start(folder: Path, n: int):
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder), str(n)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )


def share_done(line):
    done, total = map(int, line.split())
    return done / total


def end_of(process):
    """Read to the end; the exit code."""
    for _ in process.stdout:
        pass
    return process.wait()


def interrupted(folder, n, number, wait):
    """Start a scan, and send it a signal `wait` seconds after it is under way; the share it had done, seen to be less
    than all, or None where it was finished first."""
    with start(folder, n) as process:
        share = share_done(process.stdout.readline())
        while share == 0:
            share = share_done(process.stdout.readline())
        time.sleep(wait)
        process.send_signal(number)
        *_, last = [share, *map(share_done, process.stdout)]
        return last if process.wait() != 0 else None


@pytest.mark.slow
def test_kills_at_twenty_random_moments_change_nothing(tmp_path):
    n, moments, landed = 16_000, random.Random(0), 0
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir(), killed.mkdir()
    with start(whole, n) as process:
        assert end_of(process) == 0
    while landed < 20:
        share = interrupted(killed, n, signal.SIGKILL, moments.uniform(0, 0.6))
        if share is not None:
            assert 0 < share < 1  # mid-scan
            landed += 1
        else:
            assert (killed / "found.npz").exists()
            (killed / "found.npz").unlink()
        if share is None or share > 0.9:
            (killed / "scan.state").unlink(missing_ok=True)  # begin again, to have something to interrupt
    with start(killed, n) as process:
        assert end_of(process) == 0
    one, two = np.load(whole / "found.npz"), np.load(killed / "found.npz")
    assert all(one[name].tobytes() == two[name].tobytes() for name in one.files)


@pytest.mark.slow
def test_the_keyboard_leaves_a_state_to_go_on_from(tmp_path):
    share = interrupted(tmp_path, 12_000, signal.SIGINT, 0.2)
    assert 0 < share < 1
    assert StateFile(tmp_path / "scan.state").read()["lists.done"].any()
    with start(tmp_path, 12_000) as process:
        first = share_done(process.stdout.readline())
        assert end_of(process) == 0
    assert first > 0
    rows = np.random.default_rng(0).standard_normal((12_000, 256), dtype=np.float32)
    again, found = scan(ArrayRows(rows)), np.load(tmp_path / "found.npz")
    assert found["similarities"].tobytes() == again.similarities.tobytes()
    assert found["neighbors"].tobytes() == again.neighbors.tobytes()
