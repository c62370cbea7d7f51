"""Progress on standard error: what is being done, how much of it, how fast, how long still.

Nothing is shown in the first second. On a terminal it is one line that is redrawn and wiped at the end; elsewhere
it is a plain line now and then, so that a log stays readable. A clock of its own keeps the line alive where the work
says nothing for a while: a person sees the seconds go by, never a silent gap, and whether they go into compiling.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager

from armillary.answer import number, percent, seconds
from armillary.cli.compiling import is_compiling

Advance = Callable[[int, int], None]  # (done, total)

FORESEEABLE = 0.01  # share from which the time left is worth telling
SILENT, REDRAW, LINE = 1.0, 0.1, 10.0  # seconds: before anything is shown; between redraws; between plain lines
STALE = 5.0  # seconds of silence after which a rate is no longer told
PULSE = 0.5  # seconds between looks of the clock at whether the line has grown old


def phases(total: int) -> Callable[[str, str], AbstractContextManager[Advance]]:
    """`progress` for work in `total` phases: each says which of them it is."""
    count = iter(range(1, total + 1))
    return lambda what, unit: progress(f"{what} ({next(count)} of {total})", unit)


@contextmanager
def named_phases(units: Mapping[str, str]) -> Iterator[Callable[[str, int, int], None]]:
    """tell(what, done, total) for work that names its phases itself. `units`: what each counts, in their order."""
    phase = phases(len(units))
    with ExitStack() as stack:
        running = next(iter(units))
        advance = stack.enter_context(phase(running, units[running]))

        def tell(what: str, done: int, total: int) -> None:
            nonlocal running, advance
            if what != running:
                stack.close()
                running, advance = what, stack.enter_context(phase(what, units[what]))
            advance(done, total)

        yield tell


@contextmanager
def progress(what: str, unit: str = "rows") -> Iterator[Advance]:
    """A function advance(done, total) that shows how `what` comes along, counted in `unit`."""
    meter = _Meter(what, unit)
    over = threading.Event()
    clock = threading.Thread(target=meter.keep_alive, args=(over,), daemon=True)
    clock.start()
    try:
        yield meter.advance
    finally:
        over.set()
        clock.join()
        meter.wipe()


class _Meter:
    def __init__(self, what: str, unit: str) -> None:
        self.what, self.unit = what, unit
        self.redrawn = sys.stderr.isatty()
        self.start = time.monotonic()
        self.last = self.start
        self.width = 0
        self.share, self.rate = 0.0, 0.0
        self.told = self.start
        self._lock = threading.Lock()

    def advance(self, done: int, total: int) -> None:
        now = time.monotonic()
        self.told = now
        self.share = min(done / total, 1.0) if total else 0.0
        self.rate = done / (now - self.start) if now > self.start else 0.0
        self._show(now, REDRAW if self.redrawn else LINE)

    def keep_alive(self, over: threading.Event) -> None:
        """Draw the line again whenever the work has been silent for as long as a person waits."""
        while not over.wait(PULSE):
            self._show(time.monotonic(), PULSE if self.redrawn else LINE)

    def _show(self, now: float, pause: float) -> None:
        with self._lock:
            if now - self.start < SILENT or (self.last > self.start and now - self.last < pause):
                return
            self.last = now
            text = self._line(now - self.start)
            if self.redrawn:
                text = text[: max(shutil.get_terminal_size().columns - 1, 8)]  # a wrapped line could not be redrawn
                print("\r" + text.ljust(self.width), end="", file=sys.stderr, flush=True)
                self.width = len(text)
            else:
                print(text, file=sys.stderr, flush=True)

    def _line(self, elapsed: float) -> str:
        if not self.rate:
            compiling = " · compiling, once per machine" if is_compiling() else ""
            return f"{self.what}{compiling} · {seconds(elapsed)}"
        if self.start + elapsed - self.told >= STALE:  # a rate of the past says nothing about the time left
            share = "finishing" if self.share >= 1 else percent(self.share, 2)
            return f"{self.what} · {share} · {seconds(elapsed)}"
        parts = [self.what, percent(self.share, 2 if self.share < 1 else 3)]
        parts.append(f"{number(float(self.rate), 2)} {self.unit} a second")
        if FORESEEABLE <= self.share < 1:
            parts.append(f"{seconds(elapsed * (1 - self.share) / self.share)} left")
        return " · ".join(parts)

    def wipe(self) -> None:
        """Leave the terminal's line as it was found."""
        if self.redrawn and self.width:
            print("\r" + " " * self.width + "\r", end="", file=sys.stderr, flush=True)
