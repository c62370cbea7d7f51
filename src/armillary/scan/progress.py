"""How far a scan is, told to the caller."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with (pairs done, pairs in all) from the calling thread, about twenty times a second; may raise to cancel."""


class Count:
    """Pairs done, told to the caller now and then."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.done: int = 0
        self._total, self._progress = total, progress

    def add(self, pairs: int) -> None:
        """Add pairs; a lost update under threads would only make a bar late."""
        self.done += pairs

    def tell(self) -> None:
        """Tell the caller."""
        if self._progress:
            self._progress(min(self.done, self._total), self._total)
