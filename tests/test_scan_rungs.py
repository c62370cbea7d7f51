"""The rungs: their certificates hunted for a violation, their machine code read, and those of other processors run.

No processor at hand need have AVX-512: its float32 rung is run here in halves, as LLVM does it, and the int8 rung with
its one instruction written out in plain operations. What is left untested is that instruction alone.
"""

import re
from collections import Counter
from dataclasses import replace

import llvmlite.binding as llvm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llvmlite import ir

import oracle
from armillary.errors import UsageError
from armillary.scan import ArrayRows, kernels, scan
from armillary.scan.crew import Crew
from armillary.scan.kernels import PADDING, Candidates, Rung, Sides, Thresholds, avx2, float32, integer, vnni
from armillary.scan.kernels.integer import Integer
from armillary.scan.kernels.microkernel import module_text
from armillary.scan.plan import Plan
from armillary.scan.rows import distinct
from codes import e8
from test_scan_bound import adversarial, made
from test_scan_exact import CODES, RUNGS, agree, random


def machine_code(dot, processor):
    """What LLVM makes of a rung's tile for a processor."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("x86_64-unknown-linux-gnu").create_target_machine(cpu=processor, opt=3)
    module = llvm.parse_assembly(module_text(dot))
    module.verify()
    builder = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    return target.emit_assembly(module)


def inner_loop(assembly, instruction):
    """The instructions of the block that holds `instruction` most often."""
    blocks = re.split(r"^\.L\w+:.*$", assembly, flags=re.M)
    return max(blocks, key=lambda block: block.count(instruction))


@pytest.mark.parametrize(
    ("dot", "processor", "instruction", "times"),
    [
        (vnni.DOT, "icelake-server", "vpdpbusd", 24),
        (vnni.DOT, "znver4", "vpdpbusd", 24),
        (float32.AVX512, "skylake-avx512", "vfmadd", 24),
        (float32.AVX512, "znver4", "vfmadd", 24),
        (avx2.DOT, "haswell", "vpmaddubsw", 24),
        (avx2.DOT, "znver1", "vpmaddubsw", 24),
        (float32.AVX2, "haswell", "vfmadd", 8),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_sums_stay_in_registers(dot, processor, instruction, times):
    loop = inner_loop(machine_code(dot, processor), instruction)
    assert loop.count(instruction) == times == dot.rows * dot.vectors * dot.group
    assert "%rsp" not in loop and "%rbp" not in loop  # nothing is put aside and fetched again
    if dot is vnni.DOT:
        assert len(set(re.findall(r"vpdpbusd\t.*, (%zmm\d+)$", loop, re.M))) == 24


def plain_dot(builder, total, row, column):
    """vpdpbusd as Intel's manual defines it: four unsigned times four signed bytes, added to an int32."""
    kind = total.type

    def lanes(value):
        return ir.Constant(kind, [value] * kind.count)

    for left, right in zip(row, column, strict=True):
        for byte in range(4):
            unsigned = builder.and_(builder.lshr(left, lanes(8 * byte)), lanes(255))
            signed = builder.ashr(builder.shl(right, lanes(24 - 8 * byte)), lanes(24))
            total = builder.add(total, builder.mul(unsigned, signed))
    return total


PLAIN = replace(vnni.DOT, name="avx512-vnni in plain operations", features=frozenset(), emit=plain_dot)


def prepare_plain(sides, _plan, crew):
    return Integer.prepare(PLAIN, vnni.SPEC, sides, crew)


@pytest.fixture
def elsewhere(monkeypatch):
    """The AVX-512 rungs, as far as any processor runs them."""
    rungs = kernels.KERNELS
    monkeypatch.setitem(rungs, "plain", Rung(frozenset(), 1 << 16, __name__, "prepare_plain"))
    monkeypatch.setitem(rungs, "halves", replace(rungs["avx512-float32"], features=frozenset()))


@pytest.mark.parametrize("kernel", ["plain", "halves"])
@pytest.mark.parametrize("name", ["random", "E8", "50-fold duplicates", "near ties", "scales", "a block and one"])
def test_rungs_of_other_processors_equal_the_oracle(elsewhere, kernel, name):
    agree(scan(ArrayRows(CODES[name]), k=7, kernel=kernel, histogram="none"), CODES[name], 7)


@pytest.mark.parametrize("kernel", ["plain", "halves", *RUNGS])
def test_rows_longer_than_a_block_of_steps(elsewhere, kernel):
    rows = random(70, 777)
    agree(scan(ArrayRows(rows), k=5, kernel=kernel, histogram="none"), rows, 5)


def quantised(rows, dot, spec):
    merged = distinct(rows)
    with Crew(1) as crew:
        return merged, Integer.prepare(dot, spec, Sides(merged, merged), crew)


def numbers_of(kernel, m, spec, columns):
    """(p, q): the whole numbers of the rows and of the columns, unpacked."""
    steps = kernel.rows.rows.shape[1] // 4
    p = kernel.rows.rows[:m].astype(np.int64) - spec.top - 1
    panels = kernel.columns.panels.reshape(-1, steps, columns, 4)
    return p, panels.transpose(0, 2, 1, 3).reshape(-1, 4 * steps)[:m].astype(np.int64)


SPECS = [(avx2.DOT, avx2.SPEC), (PLAIN, vnni.SPEC)]
turned = st.booleans()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(adversarial, st.sampled_from(SPECS), turned)
def test_no_row_leaves_its_certificate(case, rung, turn):
    """|a·b·S − c| ≤ α + β for every pair, with or without the rotation; S in exact whole numbers."""
    dot, spec = rung
    rows = made(case)
    d = rows.shape[1]
    real = integer.rotation
    integer.rotation = (lambda n, d: real(16 * d, d)) if turn and d <= 400 else (lambda n, d: None)
    try:
        merged, kernel = quantised(rows, dot, spec)
    finally:
        integer.rotation = real
    m = len(merged)
    p, q = numbers_of(kernel, m, spec, dot.columns)
    defined = oracle.cosine_matrix(rows)[np.ix_(merged.first, merged.first)]
    estimate = np.outer(*(terms[0, :m].astype(np.float64) for terms in (kernel.row, kernel.column))) * (p @ q.T)
    bound = kernel.row[1, :m].astype(np.float64)[:, None] + kernel.column[1, :m].astype(np.float64)
    assert (np.abs(estimate - defined) <= bound).all()
    assert np.abs(p).max() <= spec.top and np.abs(q).max() <= 127
    assert (kernel.columns.start[:m] == -(spec.top + 1) * q.sum(axis=1)).all()


@pytest.mark.long
@settings(max_examples=60, deadline=None, derandomize=True)
@given(adversarial)
def test_no_int16_can_saturate(case):
    """Of the AVX2 rung: Σ|q| over what one int16 sums, times the largest row value, fits; by the numbers packed."""
    rows = made(case)
    merged, kernel = quantised(rows, avx2.DOT, avx2.SPEC)
    _, q = numbers_of(kernel, len(merged), avx2.SPEC, avx2.DOT.columns)
    steps = q.shape[1] // 4
    whole = steps // avx2.SPEC.group * avx2.SPEC.group
    pairs = np.abs(q).reshape(len(q), steps, 2, 2).sum(axis=3)  # what one instruction adds to each int16
    groups = pairs[:, :whole].reshape(len(q), -1, avx2.SPEC.group, 2).sum(axis=2)
    largest = max(groups.max(initial=0), pairs[:, whole:].max(initial=0))
    assert (2 * avx2.SPEC.top + 1) * largest <= 2**15 - 1


def test_the_certificate_is_not_idle():
    """Rounding does move products by a good part of what the bound allows; a bound ten times less would be violated."""
    rows = random(400, 24)
    merged, kernel = quantised(rows, avx2.DOT, avx2.SPEC)
    p, q = numbers_of(kernel, len(merged), avx2.SPEC, avx2.DOT.columns)
    estimate = np.outer(kernel.row[0, :400], kernel.column[0, :400]) * (p @ q.T)
    bound = kernel.row[1, :400, None] + kernel.column[1, :400]
    assert (np.abs(estimate - oracle.cosine_matrix(rows)) > bound / 10).any()


@pytest.mark.parametrize("kernel", ["plain", "halves", *RUNGS])
@pytest.mark.parametrize("name", ["random", "near ties", "integers", "ratios within a row"])
def test_every_wanted_pair_is_handed_out(elsewhere, kernel, name):
    """With thresholds at cosines themselves, where a pair just reaches them."""
    rows = distinct(CODES[name])
    m = len(rows)
    cosines = oracle.cosine_matrix(CODES[name])[np.ix_(rows.first, rows.first)]
    keep = np.sort(cosines, axis=1)[:, -4]  # the third nearest, itself counted
    floor = np.sort(cosines[np.triu_indices(m, 1)])[20]
    cut = np.full(m + PADDING, np.inf, np.float32)
    cut[:m] = keep - 2.0**-24
    sides, room = Sides(rows, rows), Candidates.room(1 << 13)
    found = Counter()
    with Crew(1) as crew:
        made_ready = kernels.prepare(kernel, sides, Plan.of(m, m, rows.x.shape[1], 3, 1), crew)
        cursor = 0
        while cursor >= 0:
            count, cursor = made_ready.sweep(
                (0, m, 0, m), Thresholds(cut, cut, np.float32(floor + 2.0**-24)), cursor, room, 0
            )
            found.update(zip(room.i[:count].tolist(), room.j[:count].tolist(), strict=True))
    wanted = (cosines >= keep[:, None]) | (cosines >= keep) | (cosines <= floor)
    assert set(zip(*(side.tolist() for side in np.nonzero(np.triu(wanted, 1))), strict=True)) <= set(found)
    assert max(found.values()) == 1 and all(0 <= i < j < m for i, j in found)


@pytest.mark.parametrize("kernel", ["plain", *RUNGS])
def test_overflow_is_handled_by_splitting(elsewhere, kernel, monkeypatch):
    """All pairs tie, so that all are candidates, and a worker has room for few."""
    monkeypatch.setattr(Plan, "candidates", property(lambda plan: 1400))
    rows = e8()
    agree(scan(ArrayRows(rows), k=4, kernel=kernel, histogram="none"), rows, 4)
    rows = np.eye(300, dtype=np.float32)
    agree(scan(ArrayRows(rows), k=4, kernel=kernel, histogram="none"), rows, 4)


def test_the_ladder_follows_the_processor(monkeypatch):
    every = frozenset.union(*(rung.features for rung in kernels.KERNELS.values()))
    for present, name in (
        (every, "avx512-vnni"),
        (every - {"avx512vnni"}, "avx2"),
        ({"avx2"}, "portable"),
        (frozenset(), "portable"),
    ):
        monkeypatch.setattr(kernels, "host_features", lambda present=present: frozenset(present))
        assert kernels.choose(640) == name
    assert kernels.choose((1 << 16) + 1) == "portable"
    with pytest.raises(UsageError, match="expected a processor with avx2, fma for the kernel avx2"):
        scan(ArrayRows(random(5, 3)), kernel="avx2")


def test_rows_too_long_for_int32_sums_take_another_rung(monkeypatch):
    monkeypatch.setattr(kernels, "host_features", lambda: frozenset(("avx2", "fma")))
    assert kernels.choose((1 << 16) + 1) == "avx2-float32"
