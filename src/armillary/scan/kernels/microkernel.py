"""The inner loop of the compiled rungs: a small tile of products and its test, all in registers, as LLVM IR.

A tile is R rows by N vectors of W columns. Its accumulators are the loop's φ values, so that they live in registers
from the first product to the last test; what leaves is one bit a pair, and only where some bit is set. The rungs differ
in one thing, their `Dot`: how four bytes (or one float) of a row meet a vector of columns. Everything else is this file.

Memory, with bytes per step B = 4: a row is K steps of 4 bytes, one after the other; a panel holds its N·W columns step
by step, each step N vectors of W times 4 bytes.

The test, for a row with (scale a, slack α, keep t) and columns with (scale b, slack β, keep u), from the sum S:

    v = fl(a·fl(S·b) + β)        hit  ⇔  v ≥ min(t, u) − α   or   v ≤ (floor + α) + 2β

With |S·a·b − c| ≤ α + β − (what this float32 arithmetic loses), every pair with c ≥ t, c ≥ u or c ≤ floor is a hit.
The hot path asks only whether a row has any: max(v − min(t, u)) ≥ −α or min(v) ≤ (floor + α) + 2·max β.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from llvmlite import ir

I1: Any = ir.IntType(1)
I8: Any = ir.IntType(8)
I16: Any = ir.IntType(16)
I32: Any = ir.IntType(32)
I64: Any = ir.IntType(64)
F32: Any = ir.FloatType()
Builder = Any
Value = Any
"""An `ir.IRBuilder` and what its methods return: llvmlite declares no types for them."""
ARGUMENTS: tuple[str, ...] = (
    *("row", "stride", "panel", "steps", "start", "start_stride", "partial"),
    *("row_scale", "row_slack", "row_keep", "column_scale", "column_slack", "column_keep"),
    *("floor", "spread", "masks"),
)
"""Of the emitted function; all are addresses or counts (int64) but `floor` and `spread` = 2·max β (float32).

Sums start from `start` (a tile's, or with a stride of 0 one row for all). Where `partial` is not 0, they are stored
there as a tile and nothing is tested: the steps of a long row can be taken in several blocks.
"""
FLOATS: frozenset[str] = frozenset(("floor", "spread"))

Emit = Callable[[Builder, Value, Sequence[Value], Sequence[Value]], Value]


@dataclass(frozen=True)
class Dot:
    """One rung: how a group of steps adds to an accumulator of `width` lanes.

    emit(builder, accumulator, row values, column vectors) takes `group` of each, as vectors of `width` 32-bit lanes
    (the row value in every lane). `rows` × `vectors` accumulators make a tile. `integer`: sums are int32, else float32.
    """

    name: str
    features: frozenset[str]
    width: int
    rows: int
    vectors: int
    group: int
    integer: bool
    emit: Emit

    @property
    def columns(self) -> int:
        """Columns of a tile, and of a packed panel."""
        return self.vectors * self.width

    @property
    def lane(self) -> ir.Type:
        """What an accumulator holds."""
        return I32 if self.integer else F32


def intrinsic(builder: Builder, name: str, result: ir.Type, *arguments: Value) -> Value:
    """Call an intrinsic function of LLVM."""
    module = builder.module
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    function = module.globals.get(name) or ir.Function(module, kind, name)
    return builder.call(function, arguments)


def splat(builder: Builder, value: Value, width: int) -> Value:
    """A scalar in every lane."""
    vector = ir.VectorType(value.type, width)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(I32, 0))
    lanes = ir.Constant(ir.VectorType(I32, width), [0] * width)
    return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), lanes)


def load(builder: Builder, address: Value, kind: ir.Type, offset: int = 0) -> Value:
    """A scalar or vector at an address of any alignment of 4 bytes."""
    place = builder.add(address, ir.Constant(I64, offset)) if offset else address
    value = builder.load(builder.inttoptr(place, kind.as_pointer()), typ=kind)
    value.align = 4
    return value


def store(builder: Builder, value: Value, address: Value, offset: int) -> None:
    """Store a value at an address of any alignment of 2 bytes."""
    place = builder.inttoptr(builder.add(address, ir.Constant(I64, offset)), value.type.as_pointer())
    builder.store(value, place).align = 2


def emit_tile(builder: Builder, dot: Dot, arguments: Sequence[Value]) -> Value:
    """The tile, inlined at the builder: int64, zero if there is no hit; else its masks are stored, one of `width`
    bits (as int16) for each vector of each row."""
    given = dict(zip(ARGUMENTS, arguments, strict=True))
    sums = _start(builder, dot, given)
    done = builder.mul(builder.sdiv(given["steps"], ir.Constant(I64, dot.group)), ir.Constant(I64, dot.group))
    sums = _loop(builder, dot, given, sums, ir.Constant(I64, 0), done, dot.group)
    if dot.group > 1:
        sums = _loop(builder, dot, given, sums, done, given["steps"], 1)
    function = builder.function
    keep, test, after = (function.append_basic_block(name) for name in ("keep", "test", "after"))
    builder.cbranch(builder.icmp_unsigned("!=", given["partial"], ir.Constant(I64, 0)), keep, test)
    builder.position_at_end(keep)
    for at, value in enumerate(sums):
        store(builder, value, given["partial"], 4 * dot.width * at)
    builder.branch(after)
    builder.position_at_end(test)
    found, last = _test(builder, dot, given, sums), builder.block
    builder.branch(after)
    builder.position_at_end(after)
    result = builder.phi(I64)
    result.add_incoming(ir.Constant(I64, 0), keep)
    result.add_incoming(found, last)
    return result


def _start(builder: Builder, dot: Dot, given: dict[str, Value]) -> list[Value]:
    vector, row, sums = ir.VectorType(dot.lane, dot.width), given["start"], list[Value]()
    for _ in range(dot.rows):
        sums += [load(builder, row, vector, 4 * dot.width * n) for n in range(dot.vectors)]
        row = builder.add(row, given["start_stride"])
    return sums


def _loop(
    builder: Builder,
    dot: Dot,
    given: dict[str, Value],
    sums: Sequence[Value],
    start: Value,
    stop: Value,
    group: int,
) -> list[Value]:
    """Steps start … stop−1, `group` at a time; perhaps none. A count of steps not given is not run."""
    function = builder.function
    before, body, after = builder.block, function.append_basic_block("steps"), function.append_basic_block("summed")
    builder.cbranch(builder.icmp_signed("<", start, stop), body, after)
    builder.position_at_end(body)
    step = builder.phi(I64)
    step.add_incoming(start, before)
    running = [builder.phi(value.type) for value in sums]
    for phi, value in zip(running, sums, strict=True):
        phi.add_incoming(value, before)
    added = _group(builder, dot, given, running, step, group)
    following = builder.add(step, ir.Constant(I64, group))
    end = builder.block
    step.add_incoming(following, end)
    for phi, value in zip(running, added, strict=True):
        phi.add_incoming(value, end)
    builder.cbranch(builder.icmp_signed("<", following, stop), body, after)
    builder.position_at_end(after)
    result = [builder.phi(value.type) for value in sums]
    for phi, old, new in zip(result, sums, added, strict=True):
        phi.add_incoming(old, before)
        phi.add_incoming(new, end)
    return result


def _group(
    builder: Builder, dot: Dot, given: dict[str, Value], sums: Sequence[Value], step: Value, group: int
) -> list[Value]:
    vector = ir.VectorType(dot.lane, dot.width)
    panel = builder.add(given["panel"], builder.mul(step, ir.Constant(I64, 4 * dot.columns)))
    row = builder.add(given["row"], builder.shl(step, ir.Constant(I64, 2)))
    columns = [
        [load(builder, panel, vector, 4 * (dot.columns * g + dot.width * n)) for g in range(group)]
        for n in range(dot.vectors)
    ]
    added: list[Value] = []
    for r in range(dot.rows):
        values = [splat(builder, load(builder, row, dot.lane, 4 * g), dot.width) for g in range(group)]
        added += [dot.emit(builder, sums[r * dot.vectors + n], values, columns[n]) for n in range(dot.vectors)]
        row = builder.add(row, given["stride"])
    return added


def _test(builder: Builder, dot: Dot, given: dict[str, Value], sums: Sequence[Value]) -> Value:
    """Whether any pair of the tile is a hit, and in that rare case its masks."""
    vector, width = ir.VectorType(F32, dot.width), dot.width
    row = [
        {name: splat(builder, load(builder, given[f"row_{name}"], F32, 4 * r), width) for name in _NAMES}
        for r in range(dot.rows)
    ]
    column = [
        {name: load(builder, given[f"column_{name}"], vector, 4 * width * n) for name in _NAMES}
        for n in range(dot.vectors)
    ]
    floor, spread = splat(builder, given["floor"], width), splat(builder, given["spread"], width)
    pairs = [(r, n) for r in row for n in column]
    values = [_value(builder, dot, total, *pair) for total, pair in zip(sums, pairs, strict=True)]
    hot: Value | None = None
    for at, own in enumerate(row):
        mine = values[at * dot.vectors : (at + 1) * dot.vectors]
        over = [builder.fsub(v, _least(builder, own["keep"], n["keep"])) for v, n in zip(mine, column, strict=True)]
        high = builder.fcmp_ordered(">=", _reduce(builder, ">", over), builder.fneg(own["slack"]))
        limit = builder.fadd(builder.fadd(floor, own["slack"]), spread)
        hit = builder.or_(high, builder.fcmp_ordered("<=", _reduce(builder, "<", mine), limit))
        hot = hit if hot is None else builder.or_(hot, hit)
    found = builder.zext(builder.bitcast(hot, ir.IntType(width)), I64)
    function = builder.function
    hits, done = function.append_basic_block("hits"), function.append_basic_block("tested")
    builder.cbranch(builder.icmp_unsigned("!=", found, ir.Constant(I64, 0)), hits, done)
    builder.position_at_end(hits)
    for at, (value, (own, other)) in enumerate(zip(values, pairs, strict=True)):
        store(builder, _mask(builder, value, own, other, floor), given["masks"], 2 * at)
    builder.branch(done)
    builder.position_at_end(done)
    return found


_NAMES = ("scale", "slack", "keep")


def _value(builder: Builder, dot: Dot, total: Value, row: dict[str, Value], column: dict[str, Value]) -> Value:
    """a·(S·b) + β, rounded after each product and after the fused sum."""
    vector = ir.VectorType(F32, dot.width)
    total = builder.sitofp(total, vector) if dot.integer else total
    scaled = builder.fmul(total, column["scale"])
    return intrinsic(builder, f"llvm.fma.v{dot.width}f32", vector, scaled, row["scale"], column["slack"])


def _least(builder: Builder, left: Value, right: Value) -> Value:
    return builder.select(builder.fcmp_ordered("<", left, right), left, right)


def _reduce(builder: Builder, sign: str, values: Sequence[Value]) -> Value:
    """The largest (sign >) or least (<) of vectors, lane by lane."""
    best = values[0]
    for value in values[1:]:
        best = builder.select(builder.fcmp_ordered(sign, best, value), best, value)
    return best


def _mask(builder: Builder, value: Value, row: dict[str, Value], column: dict[str, Value], floor: Value) -> Value:
    """The hits of one vector as an int16."""
    least = builder.fsub(_least(builder, row["keep"], column["keep"]), row["slack"])
    twice = builder.fadd(column["slack"], column["slack"])
    low = builder.fadd(twice, builder.fadd(floor, row["slack"]))
    hit = builder.or_(builder.fcmp_ordered(">=", value, least), builder.fcmp_ordered("<=", value, low))
    width = hit.type.count
    word = builder.bitcast(hit, ir.IntType(width))
    return word if width == 16 else builder.zext(word, I16)


def module_text(dot: Dot) -> str:
    """A module of one function `tile` with the arguments above, for a look at its machine code on any processor."""
    module = ir.Module("tile")
    kinds = [F32 if name in FLOATS else I64 for name in ARGUMENTS]
    function = ir.Function(module, ir.FunctionType(I64, kinds), "tile")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    builder.ret(emit_tile(builder, dot, function.args))
    return str(module)
