"""The kernels: each screens one tile of pairs; a ladder from the fastest to the plainest, chosen by the processor.

A kernel promises, for each tile it sweeps, every pair whose cosine c, as defined, has c ≥ keep_i, c ≥ keep_j or
c ≤ floor, and perhaps others. How it knows is its own affair and proved in its file. The driver asks for nothing else,
so that a new rung is one new file and one line here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

import numpy as np

from armillary.errors import UsageError
from armillary.scan.crew import Crew
from armillary.scan.plan import COLUMNS, Plan, Tile
from armillary.scan.rows import Distinct
from armillary.shapes import Float32, Int32

LINE = 64
"""Bytes of a cache line."""
PADDING = 64
"""Thresholds beyond the last row, so that a tile may read past it; +∞, which no cosine reaches."""


def aligned(shape: tuple[int, ...], dtype: type[np.generic]) -> np.ndarray:
    """Zeros that begin at a cache line: a vector loaded across two lines costs as much as two vectors."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.zeros(size + LINE, np.uint8)
    start = -room.ctypes.data % LINE
    return room[start : start + size].view(dtype).reshape(shape)


@dataclass(frozen=True, eq=False)
class Sides:
    """What meets what: distinct rows and distinct columns. Where both are one table, each pair is wanted once."""

    left: Distinct
    right: Distinct

    @property
    def same(self) -> bool:
        return self.left is self.right

    @property
    def offset(self) -> int:
        """A pair (i, j) is wanted where j > i + offset."""
        return 0 if self.same else -(1 << 40)


@dataclass(eq=False)
class Thresholds:
    """What a pair must reach, rounded so that none is missed; they change while tiles are swept.

    `rows` (m + padding), `columns` (n + padding): at or below keep, as float32. `floor`: at or above the least wanted.
    """

    rows: Float32[np.ndarray, "m"]
    columns: Float32[np.ndarray, "n"]
    floor: np.float32


@dataclass(frozen=True, eq=False)
class Candidates:
    """Room for pairs: row, column, and the cosine once it is known."""

    i: Int32[np.ndarray, "c"]
    j: Int32[np.ndarray, "c"]
    value: np.ndarray

    @classmethod
    def room(cls, count: int) -> Candidates:
        """Room for `count` pairs."""
        return cls(np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count, np.float64))


class Kernel(Protocol):
    """One way to screen tiles of prepared rows; safe to call from several threads, one `worker` number each."""

    @property
    def name(self) -> str:
        """As `--kernel` names it."""
        ...

    def sweep(self, tile: Tile, cut: Thresholds, cursor: int, out: Candidates, worker: int) -> tuple[int, int]:
        """Screen one tile from a cursor on, 0 being its start, into `out`: (pairs found, where to go on or −1)."""
        ...


@dataclass(frozen=True)
class Rung:
    """A kernel by name: what the processor must have, the most coordinates and columns of a tile, where it is made."""

    features: frozenset[str]
    longest: int
    module: str
    function: str = "prepare"
    widest: int = COLUMNS

    def prepare(self, sides: Sides, plan: Plan, crew: Crew) -> Kernel:
        """The kernel made ready; compiled code is loaded only here."""
        make: Callable[[Sides, Plan, Crew], Kernel] = getattr(import_module(self.module), self.function)
        return make(sides, plan, crew)


_AVX512 = frozenset(("avx512f", "avx512bw", "avx512dq", "avx512vl"))
_AVX2 = frozenset(("avx2", "fma"))
_INTEGER = 1 << 16  # int32 sums

KERNELS: dict[str, Rung] = {
    "avx512-vnni": Rung(_AVX512 | {"avx512vnni"}, _INTEGER, f"{__name__}.vnni"),
    "avx2": Rung(_AVX2, _INTEGER, f"{__name__}.avx2"),
    "avx512-float32": Rung(_AVX512, 1 << 20, f"{__name__}.float32", "prepare_avx512"),
    "avx2-float32": Rung(_AVX2, 1 << 20, f"{__name__}.float32", "prepare_avx2"),
    "portable": Rung(frozenset(), 1 << 20, f"{__name__}.portable", widest=42 * 48),
}
"""In the order in which they are tried."""


def host_features() -> frozenset[str]:
    """What LLVM says this processor has; nothing where it cannot tell."""
    from llvmlite import binding

    try:
        return frozenset(name for name, present in binding.get_host_cpu_features().items() if present)
    except RuntimeError:
        return frozenset()


def check_kernel(name: str) -> None:
    """UsageError unless `name` is auto or a kernel that this processor runs."""
    if name == "auto":
        return
    if name not in KERNELS:
        raise UsageError(f"expected a kernel among auto, {', '.join(KERNELS)}, found {name!r}")
    missing = sorted(KERNELS[name].features - host_features()) if KERNELS[name].features else []
    if missing:
        raise UsageError(f"expected a processor with {', '.join(missing)} for the kernel {name}", "--kernel auto")


def choose(d: int) -> str:
    """The fastest kernel that runs here on rows of d coordinates."""
    present = host_features()
    return next(name for name, rung in KERNELS.items() if rung.features <= present and d <= rung.longest)


def prepare(name: str, sides: Sides, plan: Plan, crew: Crew) -> Kernel:
    """The kernel of this name made ready for these rows; auto takes the fastest that runs here."""
    d = sides.right.x.shape[1]
    rung = KERNELS[choose(d) if name == "auto" else name]
    if d > rung.longest:
        raise UsageError(f"expected rows of at most {rung.longest:,} coordinates for the kernel {name}, found {d:,}")
    return rung.prepare(sides, plan, crew)
