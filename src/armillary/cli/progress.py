"""Progress on standard error: what is being done, how much of it, how fast, how long still.

Nothing is shown in the first second. On a terminal it is one line that is redrawn and wiped at the end; elsewhere
it is a plain line now and then, so that a log stays readable.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from armillary.answer import number, percent, seconds

Advance = Callable[[int, int], None]  # (done, total)

FORESEEABLE = 0.01  # share from which the time left is worth telling
SILENT, REDRAW, LINE = 1.0, 0.1, 10.0  # seconds: before anything is shown; between redraws; between plain lines


@contextmanager
def progress(what: str, unit: str = "rows") -> Iterator[Advance]:
    """A function advance(done, total) that shows how `what` comes along, counted in `unit`."""
    meter = _Meter(what, unit)
    try:
        yield meter.advance
    finally:
        meter.wipe()


class _Meter:
    def __init__(self, what: str, unit: str) -> None:
        self.what, self.unit = what, unit
        self.redrawn = sys.stderr.isatty()
        self.start = time.monotonic()
        self.last = self.start
        self.width = 0

    def advance(self, done: int, total: int) -> None:
        now = time.monotonic()
        pause = REDRAW if self.redrawn else LINE
        if now - self.start < SILENT or (self.last > self.start and now - self.last < pause):
            return
        self.last = now
        text = self._line(done, total, now - self.start)
        if self.redrawn:
            print("\r" + text.ljust(self.width), end="", file=sys.stderr, flush=True)
            self.width = len(text)
        else:
            print(text, file=sys.stderr, flush=True)

    def _line(self, done: int, total: int, elapsed: float) -> str:
        share = min(done / total, 1.0) if total else 0.0
        parts = [self.what, percent(share, 2 if share < 1 else 3)]
        if done and elapsed > 0:
            parts.append(f"{number(float(done / elapsed), 2)} {self.unit} a second")
        if FORESEEABLE <= share < 1:
            parts.append(f"{seconds(elapsed * (1 - share) / share)} left")
        return " · ".join(parts)

    def wipe(self) -> None:
        """Leave the terminal's line as it was found."""
        if self.redrawn and self.width:
            print("\r" + " " * self.width + "\r", end="", file=sys.stderr, flush=True)
