"""int8 for processors with AVX2: 32 products an instruction, four steps summed in int16 before they become int32.

`vpmaddubsw` multiplies 32 unsigned by 32 signed bytes and adds neighbours to 16 int16 numbers, *saturating*; `vpmaddwd`
by ones then adds neighbours to 8 int32 numbers. The second instruction costs as much as the first, so that four of the
first are summed before one of the second.

**No sum saturates or wraps.** Row values are stored as u = p + 64 with |p| ≤ 63, so 1 ≤ u ≤ 127. An int16 sums the
products of G = 4 steps, two a step: numbers q with Σ|q| ≤ 258, as `quantise` chooses the scale of a column (`reach`).
So |Σ u·q| ≤ 127·258 = 32,766 ≤ 32,767, and the same holds of every part of the sum, the two products of one
instruction included. In the last steps, taken singly, an int16 sums two products: 127·2·127 = 32,258. An int32 sums
at most 127·127·d < 2³¹ (d ≤ 2¹⁶), and its start 64·Σ|q| is less.

Six accumulators a row, of int32 and of int16, leave four of the sixteen registers; more rows would not fit.
"""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from armillary.scan.crew import Crew
from armillary.scan.kernels import Kernel, Sides
from armillary.scan.kernels.integer import Integer
from armillary.scan.kernels.microkernel import I8, I16, I32, Builder, Dot, Value, intrinsic
from armillary.scan.kernels.quantise import Range
from armillary.scan.plan import Plan

_BYTES, _WORDS, _SUMS = ir.VectorType(I8, 32), ir.VectorType(I16, 16), ir.VectorType(I32, 8)
SPEC = Range(top=63, group=4, reach=258)


def _emit(builder: Builder, total: Value, row: Sequence[Value], column: Sequence[Value]) -> Value:
    words: Value | None = None
    for left, right in zip(row, column, strict=True):
        pair = builder.bitcast(left, _BYTES), builder.bitcast(right, _BYTES)
        product = intrinsic(builder, "llvm.x86.avx2.pmadd.ub.sw", _WORDS, *pair)
        words = product if words is None else builder.add(words, product)
    ones = ir.Constant(_WORDS, [1] * 16)
    return builder.add(total, intrinsic(builder, "llvm.x86.avx2.pmadd.wd", _SUMS, words, ones))


DOT = Dot("avx2", frozenset(("avx2", "fma")), width=8, rows=1, vectors=6, group=4, integer=True, emit=_emit)


def prepare(sides: Sides, plan: Plan, crew: Crew) -> Kernel:
    """Quantise and compile."""
    return Integer.prepare(DOT, SPEC, sides, crew)
