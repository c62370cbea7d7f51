"""Progress and bars: shown where a person looks, plain lines elsewhere, nothing for a short wait."""

from __future__ import annotations

import io
import sys

import pytest

from armillary.cli import output, progress


class Stream(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def run(clock, monkeypatch, terminal: bool, times: list[float]) -> str:
    stream = Stream(terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    with progress.progress("comparing all pairs", "pairs") as advance:
        for elapsed in times:
            clock[0] = 100.0 + elapsed
            advance(int(elapsed * 1000), 20_000)
    return stream.getvalue()


def test_nothing_is_shown_in_the_first_second(clock, monkeypatch):
    assert run(clock, monkeypatch, True, [0.1, 0.5, 0.99]) == ""


def test_a_terminal_sees_what_share_rate_and_time_left_on_one_line_that_is_wiped(clock, monkeypatch):
    shown = run(clock, monkeypatch, True, [0.5, 5.0, 5.05, 10.0]).split("\r")
    assert shown[1] == "comparing all pairs · 25 % · 1,000 pairs a second · 15 s left"
    assert shown[2].rstrip() == "comparing all pairs · 50 % · 1,000 pairs a second · 10 s left"
    assert (shown[3].strip(), shown[4]) == ("", "")


def test_a_log_gets_a_plain_line_now_and_then(clock, monkeypatch):
    lines = run(clock, monkeypatch, False, [2.0, 4.0, 8.0, 13.0, 14.0]).splitlines()
    assert [line.split(" · ")[1] for line in lines] == ["10 %", "65 %"]


@pytest.mark.parametrize(("share", "bar"), [(1.0, "████"), (0.5, "██"), (0.53125, "██▏"), (0.0, ""), (2.0, "████")])
def test_bars_are_drawn_in_eighths_on_a_terminal_only(monkeypatch, share, bar):
    monkeypatch.setattr(sys, "stdout", Stream(True))
    assert output.bar(share, 4) == bar
    monkeypatch.setattr(sys, "stdout", Stream(False))
    assert output.bar(share, 4) == ""


def test_no_color_is_respected(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Stream(True))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert output.paint("x", "accent") == "\x1b[33mx\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert output.paint("x", "accent") == "x"


class Ticks:
    """An event that is never set until its seconds are over; waiting for it moves the clock."""

    def __init__(self, clock: list[float], seconds: int) -> None:
        self.clock, self.left = clock, 2 * seconds

    def wait(self, pause: float) -> bool:
        self.clock[0] += pause
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize(
    ("terminal", "shown"),
    [
        (True, ["reading · 1.0 s", "reading · 1.5 s", "reading · 2.0 s", "reading · 2.5 s", "reading · 3.0 s"]),
        (False, ["reading · 1.0 s"]),
    ],
)
def test_work_that_says_nothing_is_seen_to_go_on(clock, monkeypatch, terminal, shown):
    stream = Stream(terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    progress._Meter("reading", "rows").keep_alive(Ticks(clock, 3))
    assert [line for line in stream.getvalue().replace("\r", "\n").splitlines() if line] == shown


def test_a_narrow_terminal_gets_a_line_that_fits(clock, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    shown = run(clock, monkeypatch, True, [5.0, 10.0]).split("\r")
    assert [len(line) for line in shown] == [0, 19, 19, 19, 0] and shown[1] == "comparing all pairs"


def test_phases_say_which_of_how_many(clock, monkeypatch):
    stream = Stream(False)
    monkeypatch.setattr(sys, "stderr", stream)
    phase = progress.phases(2)
    for what in ("reading", "writing"):
        with phase(what, "rows") as advance:
            clock[0] += 2.0
            advance(1, 2)
    assert [line.split(" · ")[0] for line in stream.getvalue().splitlines()] == ["reading (1 of 2)", "writing (2 of 2)"]


def test_phases_that_name_themselves_are_told_apart(clock, monkeypatch):
    """The export: one bar for two phases showed 100 % twice, and never said of what."""
    stream = Stream(False)
    monkeypatch.setattr(sys, "stderr", stream)
    with progress.named_phases({"comparing": "pairs", "writing": "files"}) as tell:
        for what in ("comparing", "writing"):
            clock[0] += 2.0
            tell(what, 0, 4)
            clock[0] += 20.0
            tell(what, 4, 4)
    told = [line.split(" · ")[:2] for line in stream.getvalue().splitlines()]
    assert told[1] == ["comparing (1 of 2)", "100 %"] and told[-1] == ["writing (2 of 2)", "100 %"]


@pytest.mark.parametrize(
    ("done", "last"), [(4, "composing · finishing · 21 s"), (1, "composing · 25 % · 21 s"), (0, "composing · 21 s")]
)
def test_a_rate_of_the_past_is_not_told_again(clock, monkeypatch, done, last):
    stream = Stream(False)
    monkeypatch.setattr(sys, "stderr", stream)
    meter = progress._Meter("composing", "sections")
    clock[0] += 1.0
    meter.advance(done, 4)
    meter.keep_alive(Ticks(clock, 20))
    first, *_, end = stream.getvalue().splitlines()
    assert end == last and first.startswith(
        "composing · " + ("25 % · 1" if done == 1 else "100 % · 4" if done else "1.0 s")
    )


def test_compiling_is_said_while_it_lasts(clock, monkeypatch):
    """By numba's own events, which a function from its cache does not cause."""
    from numba.core import event

    from armillary.cli import compiling

    meter = progress._Meter("comparing", "pairs")
    assert meter._line(3.0) == "comparing · 3.0 s" and compiling._heard == [event]
    with event.trigger_event("numba:compile"):
        with event.trigger_event("numba:compile"):
            assert meter._line(4.0) == "comparing · compiling, once per machine · 4.0 s"
        assert "compiling" in meter._line(4.0)
    assert meter._line(5.0) == "comparing · 5.0 s"
