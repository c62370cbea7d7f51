"""float32 fused with its test, for AVX-512 and for AVX2: the product never leaves the registers.

Long rows are taken in blocks of 256 coordinates, whose panel stays in the first cache; the sums between are a tile's
own. Any order of summing is within `screen_bound`, blocks included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armillary.scan.bound import screen_bound
from armillary.scan.crew import Crew
from armillary.scan.kernels import Candidates, Kernel, Sides, Thresholds, aligned
from armillary.scan.kernels.microkernel import Builder, Dot, Value, intrinsic
from armillary.scan.kernels.sweep import Sweep, float_sweep
from armillary.scan.plan import Plan, Tile
from armillary.shapes import Float32


def _emit(builder: Builder, total: Value, row: Sequence[Value], column: Sequence[Value]) -> Value:
    for left, right in zip(row, column, strict=True):
        name = f"llvm.fma.v{total.type.count}f32"
        total = intrinsic(builder, name, total.type, left, right, total)
    return total


AVX512 = Dot(
    "avx512-float32", frozenset(("avx512f", "avx512dq")), 16, rows=8, vectors=3, group=1, integer=False, emit=_emit
)
AVX2 = Dot("avx2-float32", frozenset(("avx2", "fma")), 8, rows=4, vectors=2, group=1, integer=False, emit=_emit)


@dataclass(frozen=True, eq=False)
class Float:
    """Unit rows in float32 and the sweep of a rung; each worker packs panels into scratch of its own."""

    name: str
    dot: Dot
    rows: Float32[np.ndarray, "m d"]
    columns: Float32[np.ndarray, "n d"]
    row: Float32[np.ndarray, "2 m"]
    column: Float32[np.ndarray, "2 c"]
    offset: int
    scratch: list[tuple[np.ndarray, np.ndarray, np.ndarray]]
    compiled: Sweep

    @classmethod
    def prepare(cls, dot: Dot, sides: Sides, plan: Plan, crew: Crew) -> Float:
        """Normalise the rows; compile the sweep, or take it from the cache.

        Slacks α + β cover `screen_bound` and six roundings of numbers below 8 in the test, 6·2⁻²².
        """
        compiled, d = float_sweep(dot), sides.right.x.shape[1]
        half = np.nextafter(np.float32((screen_bound(d) + 6 * 2.0**-22) / 2), np.float32(1))
        terms = [
            np.stack([np.ones(len(side) + dot.columns, np.float32), np.full(len(side) + dot.columns, half)])
            for side in (sides.left, sides.right)
        ]
        scratch = [_scratch(dot, plan.rows, d) for _ in range(crew.threads)]
        left, right = sides.left.units, sides.right.units
        return cls(dot.name, dot, left, right, terms[0], terms[1], sides.offset, scratch, compiled)

    def sweep(self, tile: Tile, cut: Thresholds, cursor: int, out: Candidates, worker: int) -> tuple[int, int]:
        """Screen one tile from the cursor on; (pairs in `out`, where to go on or −1)."""
        i0, i1, *_ = tile
        rows, panel, sums = self.scratch[worker]
        rows[: i1 - i0] = self.rows[i0:i1]
        keeps = cut.rows, cut.columns, np.float32(cut.floor)
        return self.compiled(
            *(rows, self.columns, panel, sums, (self.row, self.column, *keeps, 2 * self.column[1, 0])),
            *(*tile, cursor, self.offset, out.i, out.j),
        )


def _scratch(dot: Dot, rows: int, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    high = -(-rows // dot.rows) * dot.rows
    return (
        np.zeros((high, d), np.float32),
        aligned((d * dot.columns,), np.float32),
        aligned((high * dot.columns,), np.float32),
    )


def prepare_avx512(sides: Sides, plan: Plan, crew: Crew) -> Kernel:
    """Normalise and compile for AVX-512."""
    return Float.prepare(AVX512, sides, plan, crew)


def prepare_avx2(sides: Sides, plan: Plan, crew: Crew) -> Kernel:
    """Normalise and compile for AVX2."""
    return Float.prepare(AVX2, sides, plan, crew)
