"""Mutated files of every format: an ArmillaryError or a table, never another exception, a hang, or a great allocation.

The seeds (`fuzz_seeds.py`) are small real files. A mutation flips, cuts, repeats, overwrites or inserts bytes, numbers
at their limits among them. The short run draws mutations from hypothesis, which shrinks what it finds; the long one
draws a hundred thousand a format from a seeded generator, and opens each that is new.
"""

from __future__ import annotations

import random
import resource
import signal
import tracemalloc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from armillary.errors import ArmillaryError
from armillary.formats import open_table
from fuzz_seeds import SEEDS, Seed

SHORT, LONG = 30, 100_000
SECONDS, SPARE = 5.0, 64 << 20  # CPU seconds of one input; bytes of a constant beside four times the file
COUNTED = 16  # of the long run, every sixteenth input has its allocations counted; all run under a limit of the system
LIMITS = [
    b"\0",
    b"\xff",
    b"\x7f",
    b"\xff" * 4,
    b"\xff" * 8,
    b"\xff\xff\xff\x7f",
    b"\0" * 8,
    b"9" * 12,
    b"nan",
    b"\n",
    b" ",
]


def mutated(seed: bytes, rng: random.Random) -> bytes:
    data = bytearray(seed)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(6):
            case 0 if at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            case 1:
                del data[at : at + rng.choice((1, 4, len(data) or 1))]
            case 2:
                data[at:at] = data[at : at + rng.randrange(1, 64)]
            case 3:
                limit = rng.choice(LIMITS)
                data[at : at + len(limit)] = limit
            case 4:
                data[at:at] = rng.choice(LIMITS)
            case _ if at < len(data):
                data[at] = rng.randrange(256)
            case _:
                pass
    return bytes(data)


def opened(folder: Path, seed: Seed) -> None:
    """Open what the seed says, and read its rows and tokens where it opens."""
    tokens = folder / seed.name if seed.opens not in (".", seed.name) else None
    table = open_table(folder / seed.opens, tokens=tokens, cache=False)
    if len(table) * table.shape[1] < 1 << 22:
        table.vectors.block(0, len(table))
        list(table.vocabulary)


def hunted(data: bytes, folder: Path, seed: Seed) -> int:
    """Open one input; the bytes that Python allocated beyond four times the file, where they are counted."""
    path = folder / seed.name
    path.unlink(missing_ok=True)  # a new file: the old one may still be mapped
    path.write_bytes(data)
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        opened(folder, seed)
    except ArmillaryError as error:
        assert error.message and len(str(error).splitlines()) <= 2, error.message
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return tracemalloc.get_traced_memory()[1] - before - 4 * len(data)


def _hang(*_: object) -> NoReturn:
    raise AssertionError(f"more than {SECONDS} seconds on one input")


@contextmanager
def guarded() -> Iterator[None]:
    """End an input that takes too long, and refuse it memory of more than the constant, whoever allocates."""
    signals = signal.signal(signal.SIGPROF, _hang)
    limits = resource.getrlimit(resource.RLIMIT_DATA)
    private = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (private + 4 * SPARE, limits[1]))  # threads of a library may start
    try:
        with warnings.catch_warnings():
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, limits)
        signal.signal(signal.SIGPROF, signals)


@contextmanager
def counted() -> Iterator[None]:
    """Count Python's allocations, numpy's among them."""
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


def planted(folder: Path, seed: Seed) -> bytes:
    """The seed's own bytes, which open as they are."""
    whole = seed.make(folder)
    (folder / seed.name).write_bytes(whole)
    opened(folder, seed)
    return whole


@pytest.mark.long
@pytest.mark.parametrize("format", SEEDS)
def test_mutated_files_give_one_line_or_a_table(tmp_path: Path, format: str) -> None:
    seed = SEEDS[format]
    whole = planted(tmp_path, seed)

    @settings(
        max_examples=SHORT, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(st.randoms(use_true_random=False))
    def hunt(rng: random.Random) -> None:
        data = mutated(whole, rng)
        assert hunted(data, tmp_path, seed) < SPARE, data

    with guarded(), counted():
        hunt()


@pytest.mark.slow
@pytest.mark.parametrize("format", SEEDS)
def test_a_hundred_thousand_mutated_files(tmp_path: Path, format: str) -> None:
    seed, rng, most = SEEDS[format], random.Random(format), 0
    whole = planted(tmp_path, seed)
    seen: set[int] = set()  # of small files a third of the mutations come again, and say nothing new
    with guarded():
        for number in range(LONG):
            data = mutated(whole, rng)
            if hash(data) in seen:
                continue
            seen.add(hash(data))
            try:
                with counted() if len(seen) % COUNTED == 0 else nullcontext():
                    most = max(most, hunted(data, tmp_path, seed))
            except Exception as error:
                raise AssertionError(f"{format}, input {number:,}: {data[:400]!r}") from error
    resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    drawn = f"{LONG:,} inputs, {len(seen):,} of them different"
    print(f"{format}: {drawn}, {most / 1e6:,.1f} MB beyond 4 × the file, {resident:,} MB resident in all")
    assert most < SPARE
