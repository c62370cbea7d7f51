"""Whether numba compiles just now: the minute of a machine's first scan, in which no pair is counted yet."""

from __future__ import annotations

import sys
from typing import Any

_running = [0]  # compilations begun and not ended, one within another
_heard: list[Any] = []  # numba's events, once this listens to them


def is_compiling() -> bool:
    """Whether a function is being compiled that numba's cache does not hold; imports nothing."""
    events = sys.modules.get("numba.core.event")
    if events is None or not hasattr(events, "register"):  # nothing has been asked that compiles; or it is on its way
        return False
    if events not in _heard:
        _listen(events)
    return _running[0] > 0


def _listen(events: Any) -> None:
    class Listener(events.Listener):
        def on_start(self, event: Any) -> None:
            _running[0] += 1

        def on_end(self, event: Any) -> None:
            _running[0] = max(0, _running[0] - 1)  # one may have begun before this listened

    events.register("numba:compile", Listener())
    _heard.append(events)
