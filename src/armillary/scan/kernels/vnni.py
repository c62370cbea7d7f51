"""int8 for processors with AVX-512 VNNI: 64 products an instruction, summed in int32 by the instruction itself.

`vpdpbusd` multiplies unsigned by signed bytes and adds each four products to an int32, without saturation. Row values
are stored as u = p + 128, 1 ≤ u ≤ 255, column values |q| ≤ 127: a sum is at most 255·127·d < 2³¹ for d ≤ 2¹⁶.

Eight rows by three vectors are 24 accumulators of 32 registers. The tile is that of every integer rung
(`microkernel`) but for this one instruction.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from armillary.scan.crew import Crew
from armillary.scan.kernels import Kernel, Sides
from armillary.scan.kernels.integer import Integer
from armillary.scan.kernels.microkernel import I8, I32, Builder, Dot, Value, intrinsic
from armillary.scan.kernels.quantise import Range
from armillary.scan.plan import Plan

_BYTES, _SUMS = ir.VectorType(I8, 64), ir.VectorType(I32, 16)
SPEC = Range(top=127)


def _emit(builder: Builder, total: Value, row: Sequence[Value], column: Sequence[Value]) -> Value:
    for left, right in zip(row, column, strict=True):
        pair = builder.bitcast(left, _BYTES), builder.bitcast(right, _BYTES)
        total = intrinsic(builder, "llvm.x86.avx512.vpdpbusd.512", _SUMS, total, *pair)
    return total


FEATURES: frozenset[str] = frozenset(("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vnni"))
DOT = Dot("avx512-vnni", FEATURES, width=16, rows=8, vectors=3, group=1, integer=True, emit=_emit)


def prepare(sides: Sides, plan: Plan, crew: Crew) -> Kernel:
    """Quantise and compile."""
    return Integer.prepare(DOT, SPEC, sides, crew)
