"""A program of its own that fetches a toy table by a slow copy, as pip would bring it: for tests that kill it.

`python slow_fetch.py WHEEL SECONDS`, where WHEEL was made of `PARTS`; prints `ready` when it begins.
"""

from __future__ import annotations

import hashlib
import signal
import sys
import time
from pathlib import Path

from armillary import catalog
from armillary.catalog import download
from armillary.catalog.entry import Entry, Member, Wheel

PARTS = {f"toy/part{i}": bytes([i]) * 200_000 for i in range(8)}
WHOLE = b"".join(PARTS.values())
PIECE = 1 << 16


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def toy(wheel: Path) -> Entry:
    """The catalog's entry of the toy: its parts joined to one file."""
    pinned = tuple(Member(name, sha(data), to="whole.bin") for name, data in PARTS.items())
    source = Wheel("armillary-toy-table", "1.0", wheel.stat().st_size, sha(wheel.read_bytes()), pinned)
    return Entry("toy", "a toy", "CC0", (source,), file="whole.bin")


def main(wheel: Path, seconds: float) -> None:
    def run(command: list[str], folder: Path, *rest: object) -> None:
        data = wheel.read_bytes()
        with (folder / wheel.name).open("wb") as out:
            for start in range(0, len(data), PIECE):
                out.write(data[start : start + PIECE])
                out.flush()
                time.sleep(seconds * PIECE / len(data))

    download._run = run
    catalog.ENTRIES["toy"] = toy(wheel)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as the command line does
    print("ready", flush=True)
    try:
        catalog.fetch("toy")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
