"""Packing against the tables of best known angles, tight frames, and what chance gives."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from armillary import formats
from armillary.cli import main
from armillary.errors import UsageError
from armillary.origins import packing, saving
from armillary.origins.packing import energy, frontier, large, pack, polish, tighten
from armillary.origins.packing import pack as pack_function
from armillary.table import Table

KNOWN = Path(__file__).parent / "known"
SPHERE = json.loads((KNOWN / "sphere_packing_s2.json").read_text())["min_angle_deg"]
SPHERE_3 = json.loads((KNOWN / "sphere_packing_s3.json").read_text())["min_angle_deg"]
STARTS = {"16": 64, "26": 512, "27": 512, "28": 256}  # the rare ones need more than the default


def naive_angle(rows: np.ndarray, lines: bool = False) -> float:
    """Smallest angle in degrees, pair by pair, by the two-argument arctangent."""
    best = math.pi
    for i in range(len(rows)):
        for j in range(i):
            u, v = rows[i] / np.linalg.norm(rows[i]), rows[j] / np.linalg.norm(rows[j])
            angle = 2 * math.atan2(float(np.linalg.norm(u - v)), float(np.linalg.norm(u + v)))
            best = min(best, angle, math.pi - angle if lines else math.pi)
    return math.degrees(best)


@pytest.mark.long
@pytest.mark.parametrize("size", ["4", "5", "7", "12", "14"])
def test_the_2_sphere_to_a_millionth_of_a_degree(size):
    found = pack(int(size), 3, starts=8)
    assert naive_angle(found.rows) == pytest.approx(SPHERE[size], abs=1e-6)
    assert found.residual is not None and found.residual < 1e-14
    assert found.best_known == pytest.approx(math.cos(math.radians(SPHERE[size])), abs=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("size", SPHERE)
def test_every_size_of_the_2_sphere(size):
    found = pack(int(size), 3, starts=STARTS.get(size, 64))
    assert naive_angle(found.rows) == pytest.approx(SPHERE[size], abs=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("size", ["24"])
def test_the_24_cell(size):
    assert naive_angle(pack(24, 4, starts=3).rows) == pytest.approx(SPHERE_3["24"], abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("size", SPHERE_3)
def test_the_3_sphere(size):
    assert naive_angle(pack(int(size), 4, starts=8 if size == "120" else 64).rows) == pytest.approx(
        SPHERE_3[size], abs=1e-6
    )


@pytest.mark.long
@pytest.mark.parametrize(("size", "dimension", "cosine"), [(6, 3, 5**-0.5), (28, 7, 1 / 3), (16, 6, 1 / 3)])
def test_equiangular_frames_as_lines(size, dimension, cosine):
    found = pack(size, dimension, lines=True, starts=3, seed=9)  # 16/6 is rare: one start in fifty
    gram = np.abs(found.rows @ found.rows.T)[np.triu_indices(size, 1)]
    assert gram == pytest.approx(np.full(len(gram), cosine), abs=1e-9)
    assert found.bound == pytest.approx(cosine, abs=1e-12)


@pytest.mark.parametrize("lines", [False, True])
def test_the_gradient_of_the_soft_maximum(lines):
    rows = np.random.default_rng(3).standard_normal((7, 3))
    value, gradient = energy.soft_maximum(rows, 20.0, lines)
    numeric = approx_fprime(rows.ravel(), lambda x: energy.soft_maximum(x.reshape(7, 3), 20.0, lines)[0], 1e-7)
    assert gradient.ravel() == pytest.approx(numeric, abs=1e-5)
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = (units @ units.T)[~np.eye(7, dtype=bool)]
    both = np.concatenate([cosines, -cosines]) if lines else cosines
    assert value == pytest.approx(math.log(np.exp(20.0 * both).sum()) / 20.0, abs=1e-12)


def test_polish_and_linear_programmes_agree():
    first = energy.random_code(10, 3, np.random.default_rng([0, 0]))
    rows = energy.descend(first, 60.0)
    polished = polish.polish(rows)
    squeezed, active = tighten.tighten(rows)
    assert polish.largest_cosine(squeezed) == pytest.approx(polished.largest, abs=1e-8)
    assert polish.largest_cosine(squeezed) >= polished.largest - 1e-15
    assert active[3].sum() == pytest.approx(1.0, abs=1e-12) and (active[3] > 0).all()


@pytest.mark.long
def test_the_same_seed_gives_the_same_code_and_the_share_counts_starts():
    first, again = pack(9, 3, starts=4, seed=5), pack(9, 3, starts=4, seed=5)
    assert np.array_equal(first.rows, again.rows) and first.starts == again.starts
    assert first.reached == sum(s.cosine <= first.cosine + 1e-9 for s in first.starts) == 4
    assert first.cosine == pytest.approx(1 / 3, abs=1e-12)  # N = 9: cos θ = 1/3
    assert first.plain_cosine is not None and first.plain_cosine > first.cosine


def test_an_interrupt_keeps_the_best_so_far():
    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    found = pack(12, 3, starts=10, progress=stop)
    assert found.interrupted and len(found.starts) == 2 and found.asked == 10
    assert naive_angle(found.rows) == pytest.approx(SPHERE["12"], abs=1e-6)
    assert "Interrupted after 2 of 10 starts" in str(found)


def test_an_interrupt_in_the_first_start_keeps_its_rows(monkeypatch):
    def interrupted(rows, *_, keep=None, **__):
        keep(rows * 2.0)
        raise KeyboardInterrupt

    monkeypatch.setattr(energy, "descend", interrupted)
    found = pack(5, 3, starts=2)
    assert found.interrupted and found.starts == ()
    assert "Interrupted after 0 of 2 starts" in str(found) and "end at the best value" not in str(found)
    assert np.array_equal(found.rows, energy.unit(2.0 * energy.random_code(5, 3, np.random.default_rng([0, 0]))))


def test_blocks_see_every_pair():
    rows = energy.random_code(2500, 8, np.random.default_rng(1)).astype(np.float32)
    for lines in (False, True):
        units = rows.astype(np.float64)
        units /= np.linalg.norm(units, axis=1, keepdims=True)
        cosines = np.abs(units @ units.T) if lines else units @ units.T
        cosines[np.tril_indices(2500)] = -2.0
        best = np.unravel_index(np.argmax(cosines), cosines.shape)
        assert large.closest_pair(rows, lines) == (pytest.approx(cosines.max(), abs=1e-15), *map(int, best))


def test_blocks_end_below_the_random_code_and_say_what_they_are():
    found = pack(2500, 24, epochs=2)
    assert found.method == "blocks" and found.residual is None and found.rows.dtype == np.float32
    assert found.bound < found.cosine < found.plan.random_cosine.q05
    assert "not a minimum" in str(found)
    assert "Interrupted; this is the best so far." in str(replace(found, interrupted=True))


@pytest.mark.slow
def test_a_thousand_points_in_64_dimensions():
    """The gap to the bound beside the random code's: descent closes more than four fifths of it."""
    found = pack(1000, 64, starts=1)
    assert found.cosine - found.bound < 0.2 * (found.random - found.bound)


@pytest.mark.long
def test_the_frontier_pays_angle_for_alignment():
    labels = np.repeat(range(4), 6)
    found = frontier(labels, 6, weights=(0.0, 0.3, 1.0), starts=2)
    angles, within = found.columns()["angle"], found.columns()["within_cosine"]
    assert angles[0] == pytest.approx(math.degrees(math.acos(polish.largest_cosine(found.codes[0]))), abs=1e-9)
    assert angles[0] > angles[1] > angles[2] and within[0] < within[1] < within[2]
    assert found.points[0].alignment == pytest.approx(2 - 2 * within[0], abs=1e-12)


def test_the_gradient_of_the_frontier():
    from armillary.origins.packing.frontier import objective

    rows = np.random.default_rng(0).standard_normal((5, 3))
    same = np.zeros((5, 5), bool)
    same[0, 1] = same[1, 0] = same[3, 4] = same[4, 3] = True
    numeric = approx_fprime(rows.ravel(), lambda x: objective(x.reshape(5, 3), 9.0, same, 0.7)[0], 1e-7)
    assert objective(rows, 9.0, same, 0.7)[1].ravel() == pytest.approx(numeric, abs=1e-5)


def test_a_table_beside_the_code_leaves_equal_rows_out():
    rows = np.array([[1, 0], [2, 0], [1, 0], [0, 1], [0, 0]], np.float32)
    assert packing.closest_distinct(Table.from_array(rows)) == 1.0  # a multiple is another row
    assert packing.closest_distinct(Table.from_array(rows[[0, 2, 3, 4]])) == 0.0


@pytest.mark.parametrize(("size", "dimension"), [(1, 3), (5, 1), (2_000_000, 3)])
def test_sizes_out_of_range(size, dimension):
    with pytest.raises(UsageError, match=r"expected [Vd] from"):
        pack_function(size, dimension)


def test_no_category_is_no_frontier():
    with pytest.raises(UsageError, match="expected two categories or more"):
        frontier([0, 0, 0], 3)


def test_a_packing_is_a_table_that_opens_again(tmp_path):
    found = pack(6, 3, starts=1)
    saving.save(found.to_table(), tmp_path / "code.safetensors")
    again = formats.open_table(tmp_path / "code.safetensors")
    assert again.shape == (6, 3) and np.array_equal(again.vectors.block(0, 6), found.rows.astype(np.float32))
    with pytest.raises(UsageError, match=r"ends in \.safetensors"):
        saving.check_target(tmp_path / "code.npy")


def test_the_command(capsys, monkeypatch, tmp_path):
    target = tmp_path / "six.safetensors"
    monkeypatch.setattr("sys.argv", ["armillary", "pack", "6", "3", "--starts", "2", "--json", "-o", str(target)])
    with pytest.raises(SystemExit) as end:
        main()
    out, err = capsys.readouterr()
    result = json.loads(out)["result"]
    assert end.value.code == 0 and target.exists() and "wrote" in err
    assert result["angle_degrees"] == pytest.approx(90.0, abs=1e-9) and result["reached"] == 2
    assert result["best_known_cosine"] == pytest.approx(0.0, abs=1e-15) and len(result["per_start"]) == 2
