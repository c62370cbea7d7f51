"""Superposition: frames built by hand, the arrangements that training finds, the phase boundary, groups, random codes."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from armillary.cli import main
from armillary.errors import UsageError
from armillary.origins import superposition
from armillary.origins.superposition import FRAMES
from armillary.origins.superposition.phase import arrangement, expected_loss

KNOWN = json.loads((Path(__file__).parent / "known" / "superposition.json").read_text())


@pytest.mark.parametrize(("name", "share"), KNOWN["constructed_frames_D"].items())
def test_constructed_frames(name, share):
    weights = FRAMES[name]()
    expected = float(Fraction(share))
    assert superposition.dimensionality(weights) == pytest.approx(np.full(weights.shape[1], expected), abs=1e-12)
    assert superposition.dimensions_per_feature(weights) == pytest.approx(expected, abs=1e-12)
    assert np.linalg.norm(weights, axis=0) == pytest.approx(np.ones(weights.shape[1]), abs=1e-12)


def test_measures_by_their_definitions():
    weights = np.random.default_rng(0).standard_normal((3, 4))
    weights[:, 2] = 0.0
    for i in range(4):
        length = np.linalg.norm(weights[:, i])
        unit = weights[:, i] / length if length else np.zeros(3)
        total = sum(float(unit @ weights[:, j]) ** 2 for j in range(4))
        other = sum(float(unit @ weights[:, j]) ** 2 for j in range(4) if j != i)
        share = length**2 / total if length else 0.0
        assert superposition.dimensionality(weights)[i] == pytest.approx(share, abs=1e-12)
        assert superposition.interference(weights)[i] == pytest.approx(other, abs=1e-12)
    assert superposition.cosines(weights)[2].tolist() == [0.0] * 4
    stacked = np.stack([weights, 2 * weights])
    assert superposition.dimensionality(stacked)[1] == pytest.approx(superposition.dimensionality(weights), abs=1e-12)


@pytest.mark.long
def test_the_pentagon():
    models = superposition.train(5, 2, (0.05,), instances=2, steps=800, batch=1024)
    best = models.weights[0]
    assert superposition.dimensionality(best) == pytest.approx(np.full(5, 0.4), abs=3e-3)
    assert np.linalg.norm(best, axis=0) == pytest.approx(np.full(5, 1.134), abs=6e-3)
    assert models.biases[0] == pytest.approx(np.full(5, -0.246), abs=6e-3)
    angles = np.sort(np.arctan2(best[1], best[0]))
    assert np.diff(angles) == pytest.approx(np.full(4, 2 * np.pi / 5), abs=0.02)
    assert (np.diff(models.losses) >= 0).all()


@pytest.mark.long
@pytest.mark.parametrize(
    "case",
    [
        "n=2,m=1,p=.05",
        pytest.param("n=3,m=2,p=.05", marks=pytest.mark.slow),
        pytest.param("n=4,m=3,p=.05", marks=pytest.mark.slow),
    ],
)
def test_antipodal_pairs_take_one_dimension_and_leave_the_rest(case):
    n, m = (int(part[2:]) for part in case.split(",")[:2])
    quick = {"instances": 4, "steps": 600, "learning_rate": 2e-2} if n == 2 else {"instances": 10, "steps": 1500}
    models = superposition.train(n, m, (0.05,), **quick)
    found = np.sort(superposition.dimensionality(models.weights[0]))[::-1]
    assert found == pytest.approx(KNOWN["trained"][case], abs=5e-3)


@pytest.mark.parametrize("ratio", [0.1, 1.0, 3.0])
def test_the_constructed_boundary(ratio):
    closed = min(4 * ratio / (2 + 5 * ratio), 4 / (5 + 2 * ratio))
    assert superposition.boundary(ratio) == pytest.approx(closed, abs=1e-12)


@pytest.mark.parametrize(("p", "r"), [(0.05, 1.0), (0.4, 0.3), (0.9, 4.0)])
def test_the_constructed_losses(p, r):
    one, other, both = superposition.constructed_losses(p, r)
    alone = p / 3 - p * p / 4
    assert (one, other, both) == pytest.approx((r * alone, alone, (1 + r) * p * p / 6), abs=1e-14)


def test_the_quadrature_against_many_draws():
    """A pair with negative biases, so that the outputs switch inside the square."""
    weights, bias, generator = np.array([1.1, -0.8]), np.array([-0.2, -0.1]), np.random.default_rng(0)
    x = generator.random((2_000_000, 2)) * (generator.random((2_000_000, 2)) < 0.6)
    losses = ((x - np.maximum((x @ weights)[:, None] * weights + bias, 0)) ** 2) @ [1.0, 2.0]
    error = losses.std() / len(x) ** 0.5
    assert expected_loss(weights, bias, 0.6, 2.0) == pytest.approx(losses.mean(), abs=4 * error)


@pytest.mark.long
def test_a_trained_pair_stays_opposite_beyond_the_constructed_boundary():
    """The trained diagram is another one: shrunken weights and a raised bias keep the pair at p = .611."""
    assert superposition.boundary(1.0) == pytest.approx(4 / 7, abs=1e-12)
    models = superposition.train(2, 1, (0.611,), instances=3, steps=600, learning_rate=2e-2)
    assert arrangement(models.weights[0, 0]) == 2
    assert np.abs(models.weights[0]) == pytest.approx(np.full((1, 2), 0.852), abs=0.02)
    assert models.biases[0] == pytest.approx(np.full(2, 0.232), abs=0.02)


def test_random_codes_interfere_by_k_over_d():
    found = superposition.random_interference(64, 16, trials=20_000)
    assert found.expected == 16 / 64
    assert found.measured == pytest.approx(0.25, abs=4 * found.error) and found.error < 0.004


def test_an_interrupt_keeps_what_is_trained():
    def stop(done: int, total: int) -> None:
        if done == 7:
            raise KeyboardInterrupt

    models = superposition.train(3, 2, instances=2, steps=50, progress=stop)
    assert models.interrupted and models.steps == 7 and "Interrupted" in str(models)


@pytest.mark.long
def test_an_interrupt_keeps_the_rows_of_the_phase_diagram():
    def stop(done: int, total: int) -> None:
        if done == 7:  # the first step of the third row
            raise KeyboardInterrupt

    found = superposition.phase_diagram((0.05, 0.9), (0.5, 1.0, 2.0), instances=2, steps=3, progress=stop)
    assert found.interrupted and found.ratios.tolist() == [0.5, 1.0] and found.trained.shape == (2, 2)
    assert "Interrupted" in str(found) and found.to_dict()["interrupted"] is True


@pytest.mark.long
def test_the_same_seed_gives_the_same_numbers_and_a_table():
    first, again = (superposition.train(3, 2, instances=2, steps=20, seed=3) for _ in range(2))
    assert np.array_equal(first.weights, again.weights) and np.array_equal(first.losses, again.losses)
    table = first.to_table()
    assert table.shape == (3, 2) and table.token(2).text == "feature▁2"
    assert np.array_equal(table.row(1), first.weights[0, :, 1].astype(np.float32))


@pytest.mark.parametrize("bad", [{"features": 0}, {"probabilities": (0.0,)}, {"importance": (1.0,)}])
def test_settings_out_of_range(bad):
    with pytest.raises(UsageError, match="expected"):
        superposition.train(**{"features": 3, "dimensions": 2, **bad})


def test_co_occurrence_is_as_asked():
    import torch

    from armillary.origins.superposition.groups import _Law

    sets, kinds = np.repeat([0, 1, 2], 5), np.repeat([0, 1, 2], 5)
    active = _Law(sets, kinds, 0.1, batch=40_000).draw(0, torch.Generator().manual_seed(0))[0].numpy() > 0
    assert active.mean(axis=0) == pytest.approx(np.full(15, 0.1), abs=0.006)  # 4 standard errors
    assert active[:, :5].sum(axis=1).max() == 1
    assert set(active[:, 5:10].sum(axis=1).tolist()) == {0, 5}
    assert active[:, 10:].sum(axis=1).max() > 1


@pytest.mark.slow
def test_short_of_room_those_that_always_meet_merge_and_with_room_only_those_that_never_do_share():
    """Beside the null, pairs of different sets (docs/origins.md)."""
    short, roomy = ({c.kind: c for c in superposition.groups(150, m, steps=1200).companies} for m in (30, 75))
    for found in (short, roomy):
        assert (
            found["never"].mean_cosine < 0 and found["never"].mean_absolute > 2 * found["different sets"].mean_absolute
        )
        assert found["never"].shared > 5 * found["different sets"].shared
    assert short["always"].mean_cosine > 0.5 and short["always"].shared > 0.9
    assert short["always"].dimensionality < 0.5 * short["never"].dimensionality  # one direction for all of a set
    assert roomy["always"].shared == 0.0 and roomy["always"].mean_absolute < roomy["never"].mean_absolute


def test_groups_say_which_company_shares_more_and_want_a_set_of_each_kind():
    found = superposition.groups(15, 3, steps=2)
    never, always = (c.mean_absolute for c in found.companies[:2])
    assert f"{'more' if never > always else 'less'} than those that always do" in found.notes[0]
    assert f"{never:.3f} and {always:.3f}" in found.notes[0]
    for bad in ({"features": 14}, {"probability": 0.21}, {"probability": 0.0}):
        with pytest.raises(UsageError, match=r"features from 15 to 16,384|a probability above 0 and up to"):
            superposition.groups(**bad)


@pytest.mark.slow
def test_the_phase_diagram():
    found = superposition.phase_diagram((0.05, 0.3, 0.9), (0.2, 1.0), instances=6, steps=1200)
    assert found.constructed.tolist() == [[2, 0, 0], [2, 2, 0]]
    assert found.trained[:, 0].tolist() == [2, 2]


def test_the_command(capsys, monkeypatch, tmp_path):
    target = tmp_path / "features.safetensors"
    arguments = ["superpose", "-n", "3", "-m", "2", "--instances", "2", "--steps", "30", "--json", "-o", str(target)]
    monkeypatch.setattr("sys.argv", ["armillary", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    result = json.loads(capsys.readouterr().out)["result"]
    assert end.value.code == 0 and target.exists()
    assert result["features"] == 3 and len(result["loss"]) == 2 and len(result["dimensionality"][0]) == 3


@pytest.mark.parametrize(
    "bad",
    [
        ["--preset", "phase", "-n", "3"],
        ["--preset", "groups", "--instances", "2"],
        ["--preset", "groups", *["--probability", "0.1"] * 2],
    ],
)
def test_what_a_preset_does_not_use_is_refused(bad, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["armillary", "superpose", *bad])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2 and f"with --preset {bad[1]}" in capsys.readouterr().err


def test_groups_of_any_size(capsys, monkeypatch):
    arguments = ["--preset", "groups", "-n", "30", "-m", "6", "--probability", "0.1", "--steps", "2", "--json"]
    monkeypatch.setattr("sys.argv", ["armillary", "superpose", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    models = json.loads(capsys.readouterr().out)["result"]["models"]
    assert end.value.code == 0 and (models["features"], models["dimensions"]) == (30, 6)
    assert models["probability"] == pytest.approx([0.1]) and models["steps"] == 2
