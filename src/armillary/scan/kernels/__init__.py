"""The kernels: each screens one tile of pairs; a ladder from the plainest to the fastest, chosen by the CPU.

A kernel promises, for each tile it sweeps, every pair i < j whose value v has v ≥ keep_i, v ≥ keep_j or v ≤ floor
(and perhaps others), where |v − c| ≤ `bound` for the cosine c as defined. The driver asks for nothing else, so that a
new rung is one new file and one line here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from jaxtyping import Float32, Int32

from armillary.errors import UsageError
from armillary.scan.crew import Crew
from armillary.scan.plan import Plan, Tile
from armillary.scan.rows import Distinct


@dataclass(frozen=True, eq=False)
class Candidates:
    """Room for the pairs of one tile: row, column, value."""

    i: Int32[np.ndarray, "c"]
    j: Int32[np.ndarray, "c"]
    v: Float32[np.ndarray, "c"]

    @classmethod
    def room(cls, count: int) -> Candidates:
        return cls(np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count, np.float32))


class Kernel(Protocol):
    """One way to screen tiles of the prepared rows; safe to call from several threads, one `worker` number each."""

    @property
    def name(self) -> str:
        """As `--kernel` names it."""
        ...

    @property
    def bound(self) -> float:
        """The largest |v − c| of a pair it hands out, proved."""
        ...

    def sweep(self, tile: Tile, keep: Float32[np.ndarray, "n"], floor: float, out: Candidates, worker: int) -> int:
        """Screen one tile into `out`; returns the number of pairs."""
        ...


def _portable(rows: Distinct, plan: Plan, crew: Crew) -> Kernel:
    from armillary.scan.kernels.portable import Portable

    return Portable.prepare(rows, plan, crew)


KERNELS: dict[str, Callable[[Distinct, Plan, Crew], Kernel]] = {"portable": _portable}
"""From the fastest to the plainest."""


def check_kernel(name: str) -> None:
    """UsageError unless `name` is auto or a kernel."""
    if name != "auto" and name not in KERNELS:
        raise UsageError(f"expected a kernel among auto, {', '.join(KERNELS)}, found {name!r}")


def prepare(name: str, rows: Distinct, plan: Plan, crew: Crew) -> Kernel:
    """The kernel of this name made ready for these rows; auto takes the fastest that runs here."""
    return KERNELS["portable" if name == "auto" else name](rows, plan, crew)
