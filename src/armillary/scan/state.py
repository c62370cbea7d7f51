"""What a scan has done so far, kept now and then, so that an interrupted one goes on where it was.

Passes over tiles register their arrays: which tiles are done, and what those gave. A state names the rows and the plan
it belongs to and carries a digest of itself; one that is torn, or another scan's, counts as none. As lists and counts
are the same whatever the order of the tiles (`lists`), a resumed scan and an uninterrupted one are equal bit for bit.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

import numpy as np

FORMAT = 1


class Keeper(Protocol):
    """Where a state is kept: the scan itself knows no file."""

    @property
    def every(self) -> float:
        """Seconds between two writes."""
        ...

    def read(self) -> Mapping[str, np.ndarray] | None:
        """What was kept last, if it can be read."""
        ...

    def write(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Keep this, whole or not at all."""
        ...


class State:
    """The arrays of all passes of one scan, named by `parts` (the rows' fingerprint, the plan)."""

    def __init__(self, keeper: Keeper | None = None, *parts: object) -> None:
        self._keeper, self._passes = keeper, dict[str, tuple[Mapping[str, np.ndarray], threading.Lock]]()
        self._key = np.frombuffer(hashlib.blake2b(repr((FORMAT, *parts)).encode()).digest(), np.uint8)
        self._kept = dict(_sound(keeper.read(), self._key)) if keeper else {}
        self._last = time.monotonic()

    def register(self, name: str, arrays: Mapping[str, np.ndarray], lock: threading.Lock) -> bool:
        """Keep the arrays of a pass from now on; fill them from what was kept, and say whether there was anything.

        A pass sets its flag `done` of a tile after all that the tile gave is in the other arrays, under the lock.
        """
        self._passes[name] = arrays, lock
        kept = {part: self._kept.get(f"{name}.{part}") for part in arrays}
        if any(value is None or value.shape != arrays[part].shape for part, value in kept.items()):
            return False
        for part, value in kept.items():
            arrays[part][...] = value
        return True

    def tick(self) -> None:
        """Keep the state if it is time."""
        if self._keeper and time.monotonic() - self._last >= self._keeper.every:
            self.write()

    def write(self) -> None:
        """Keep the state now."""
        if not self._keeper or not self._passes:
            return
        arrays = dict(self._kept)
        for name, (parts, lock) in self._passes.items():
            with lock:
                arrays |= {f"{name}.{part}": value.copy() for part, value in parts.items()}
        arrays["key"] = self._key
        arrays["digest"] = _digest(arrays)
        self._keeper.write(arrays)
        self._last = time.monotonic()


@contextmanager
def kept(state: State) -> Iterator[None]:
    """Keep the state also where the block is broken off: by the keyboard, by a caller that cancels, by a fault."""
    try:
        yield
    except BaseException:
        state.write()
        raise


def _sound(arrays: Mapping[str, np.ndarray] | None, key: np.ndarray) -> Mapping[str, np.ndarray]:
    """The arrays if they are whole and of this scan, else none."""
    if arrays is None or not {"key", "digest"} <= set(arrays):
        return {}
    rest = {name: value for name, value in arrays.items() if name != "digest"}
    whole = np.array_equal(arrays["key"], key) and np.array_equal(arrays["digest"], _digest(rest))
    return {name: value for name, value in rest.items() if name != "key"} if whole else {}


def _digest(arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    total = hashlib.blake2b()
    for name in sorted(arrays):
        value = np.ascontiguousarray(arrays[name])
        total.update(repr((name, value.dtype.str, value.shape)).encode())
        total.update(value.data if value.size else b"")
    return np.frombuffer(total.digest(), np.uint8)
