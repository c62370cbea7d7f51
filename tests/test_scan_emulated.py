"""The AVX-512 rungs on an emulated processor: every instruction of their tiles, where none at hand has them."""

import numpy as np
import pytest

from armillary.scan.kernels import float32, vnni
from bochs.emulator import missing, run_tile

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing()), reason=f"no emulator: {missing()} (Debian packages bochs, bochsbios, vgabios)"),
]
F = np.float32


def terms(random, sums):
    """Scales that bring the sums into [−1, 1], slacks, and thresholds that some pairs reach."""
    return {
        "ROW_SCALE": random.uniform(0.5, 1, 8).astype(F),
        "ROW_SLACK": random.uniform(0, 0.05, 8).astype(F),
        "ROW_KEEP": random.uniform(0.3, 0.8, 8).astype(F),
        "COLUMN_SCALE": (random.uniform(0.5, 1, 48) / np.abs(sums).max()).astype(F),
        "COLUMN_SLACK": random.uniform(0, 0.05, 48).astype(F),
        "COLUMN_KEEP": random.uniform(0.3, 0.8, 48).astype(F),
    }


def agree(answer, sums, given, floor):
    """The masks are those of the test in float64, but where a value lies at a threshold to 10⁻⁶."""
    found, masks = answer
    a, alpha, t = (given[f"ROW_{name}"].astype(float)[:, None] for name in ("SCALE", "SLACK", "KEEP"))
    b, beta, u = (given[f"COLUMN_{name}"].astype(float) for name in ("SCALE", "SLACK", "KEEP"))
    value = sums * b * a + beta
    high, low = np.minimum(t, u) - alpha, floor + alpha + 2 * beta
    wanted, edge = (value >= high) | (value <= low), np.minimum(np.abs(value - high), np.abs(value - low)) < 1e-6
    bits = (np.frombuffer(masks, np.uint16).reshape(8, 3, 1) >> np.arange(16)) & 1
    assert wanted.any() and not wanted.all()
    assert ((bits.reshape(8, 48) == 1) == wanted)[~edge].all()
    assert int.from_bytes(found, "little") != 0


@pytest.mark.parametrize(("steps", "extreme"), [(1, False), (13, False), (160, False), (160, True)])
def test_vpdpbusd_sums_as_the_rung_takes_it_to(tmp_path, steps, extreme):
    random = np.random.default_rng(steps)
    rows = random.integers(1, 256, (8, 4 * steps)).astype(np.uint8)
    columns = random.integers(-127, 128, (48, 4 * steps)).astype(np.int8)
    if extreme:
        rows[:], columns[:24], columns[24:] = 255, 127, -127
    start = random.integers(-(10**6), 10**6, 48).astype(np.int32)
    sums = rows.astype(np.int64) @ columns.astype(np.int64).T + start
    given = terms(random, sums)
    numbers = {"ROW": rows, "PANEL": columns.reshape(48, steps, 4).transpose(1, 0, 2), "START": start, **given}
    sizes = {
        "STRIDE": 4 * steps,
        "STEPS": steps,
        "START_STRIDE": 0,
        "FLOOR": "-0.6f",
        "SPREAD": f"{2 * given['COLUMN_SLACK'].max()}f",
    }
    answer = run_tile(tmp_path, vnni.DOT, numbers, sizes)
    assert np.frombuffer(answer[0], np.int32).reshape(8, 48).tolist() == sums.tolist()
    agree(answer[1:], sums, given, -0.6)


@pytest.mark.parametrize("steps", [1, 50, 256])
def test_float32_sums_within_their_bound(tmp_path, steps):
    random = np.random.default_rng(steps)
    rows, columns = (random.standard_normal((count, steps)).astype(F) for count in (8, 48))
    sums = rows.astype(float) @ columns.astype(float).T
    given = terms(random, sums)
    numbers = {"ROW": rows, "PANEL": columns.T, "START": np.zeros((8, 48), F), **given}
    sizes = {
        "STRIDE": 4 * steps,
        "STEPS": steps,
        "START_STRIDE": 192,
        "FLOOR": "-0.6f",
        "SPREAD": f"{2 * given['COLUMN_SLACK'].max()}f",
    }
    answer = run_tile(tmp_path, float32.AVX512, numbers, sizes)
    bound = steps * 2.0**-24 * np.outer(*(np.linalg.norm(side.astype(float), axis=1) for side in (rows, columns)))
    assert (np.abs(np.frombuffer(answer[0], F).reshape(8, 48) - sums) <= 1.01 * bound).all()
    agree(answer[1:], sums, given, -0.6)
