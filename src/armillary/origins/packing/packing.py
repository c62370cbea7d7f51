"""What a search for a spherical code found, beside what is possible, what is known, and what chance gives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from armillary.answer import Answer, aligned, number, percent
from armillary.bounds import Plan, plan
from armillary.origins.packing.known import best_known_cosine
from armillary.table import Table

REACHED = 1e-9  # cosine: two polished starts this near have found the same value


@dataclass(frozen=True)
class Start:
    """One descent: its first sharpness, and the largest cosine it ended at."""

    sharpness: float
    cosine: float


@dataclass(frozen=True, eq=False, repr=False)
class Packing(Answer):
    """A spherical code found by descent.

    `rows` (V, d) unit vectors, float64 (float32 by blocks); `cosine` their largest cosine, |cosine| for lines.
    `residual`: the largest violation of the first-order conditions after the polish, None where there was none;
    `active`: how many pairs touch. `starts`: every descent that ended, of `asked`; `plain_cosine`: what one descent at
    one sharpness, without polish, ends at from the first start. `method` is "all pairs" or "blocks".
    """

    rows: np.ndarray
    lines: bool
    cosine: float
    residual: float | None
    active: int
    starts: tuple[Start, ...]
    asked: int
    plain_cosine: float | None
    seed: int
    method: str
    interrupted: bool
    seconds: float

    @property
    def size(self) -> int:
        return len(self.rows)

    @property
    def dimension(self) -> int:
        return self.rows.shape[1]

    @property
    def angle(self) -> float:
        """Smallest angle between two vectors (or lines), in degrees."""
        return _degrees(self.cosine)

    @property
    def reached(self) -> int:
        """How many starts ended at the best value, to 1e-9 in the cosine."""
        return sum(start.cosine <= self.cosine + REACHED for start in self.starts)

    @cached_property
    def plan(self) -> Plan:
        """Bounds and the random code of this size."""
        return plan(self.size, self.dimension)

    @property
    def bound(self) -> float:
        """No code of this size has a smaller largest cosine (|cosine| for lines)."""
        return self.plan.coherence_bound if self.lines else self.plan.cosine_bound

    @property
    def random(self) -> float:
        """Median of the same in a random code."""
        return (self.plan.random_coherence if self.lines else self.plan.random_cosine).median

    @property
    def best_known(self) -> float | None:
        """The least value in the tables of best known packings, None where they do not list this size."""
        return best_known_cosine(self.size, self.dimension, self.lines)

    def to_table(self) -> Table:
        """The code as a table that every other tool opens; rows are named by id."""
        return Table.from_array(self.rows, source=f"pack {self.size} {self.dimension}")

    def to_dict(self) -> dict[str, Any]:
        return {
            "size": self.size,
            "dimension": self.dimension,
            "lines": self.lines,
            "method": self.method,
            "cosine": self.cosine,
            "angle_degrees": self.angle,
            "residual": self.residual,
            "active_pairs": self.active,
            "starts": len(self.starts),
            "starts_asked": self.asked,
            "reached": self.reached,
            "plain_cosine": self.plain_cosine,
            "bound_cosine": self.bound,
            "random_cosine": self.random,
            "best_known_cosine": self.best_known,
            "seed": self.seed,
            "interrupted": self.interrupted,
            "seconds": self.seconds,
            "per_start": [[start.sharpness, start.cosine] for start in self.starts],
        }

    def compared(self, beside: tuple[str, float] | None = None) -> list[tuple[str, float]]:
        """(name, largest cosine) from the bound to the random code, a table's own value among them if given."""
        known = self.best_known
        found = [
            ("no code can be below", self.bound),
            *([("best known", known)] if known is not None else []),
            ("found here", self.cosine),
            *([("one plain descent", self.plain_cosine)] if self.plain_cosine is not None else []),
            ("random code, median", self.random),
            *([beside] if beside else []),
        ]
        return sorted(found, key=lambda item: item[1])

    def __str__(self) -> str:
        return self.said()

    def said(self, beside: tuple[str, float] | None = None) -> str:
        """The answer as people read it; `beside` is the name and largest cosine of a table of this size."""
        kind = "lines" if self.lines else "unit vectors"
        head = f"{self.size:,} {kind} in {self.dimension:,} dimensions, packed by descent on {self.method}"
        rows = [
            [name, _exactly(cosine, self), f"{_degrees(cosine):.7f}°" if self._is_small else f"{_degrees(cosine):.2f}°"]
            for name, cosine in self.compared(beside)
        ]
        return "\n".join(
            (head, aligned(rows, ["left", "right", "right"], ["largest cosine", "", "angle"]), *self._notes())
        )

    @property
    def _is_small(self) -> bool:
        return self.residual is not None

    def _notes(self) -> list[str]:
        notes: list[str] = []
        blocks = self.method == "blocks"
        if self.interrupted:
            after = "" if blocks else f" after {len(self.starts):,} of {self.asked:,} starts"
            notes.append(f"Interrupted{after}; this is the best so far.")
        if blocks:
            notes.append("By blocks: a descent that ended, not a minimum of the largest cosine; nothing was polished.")
            return notes
        if done := len(self.starts):
            notes.append(f"{self.reached:,} of {done:,} starts ({percent(self.reached / done)}) end at the best value.")
        if self.residual is None:
            notes.append("Not polished: more starts or steps may still lower it.")
        else:
            notes.append(f"{self.active:,} pairs touch; first-order conditions hold to {number(self.residual, 1)}.")
        return notes


def _exactly(cosine: float, packing: Packing) -> str:
    return f"{cosine:.12f}" if packing.residual is not None else f"{cosine:.4f}"


def _degrees(cosine: float) -> float:
    return math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
