"""Repairs: closed forms, peers written from their papers, degenerate clouds, and maps that survive a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import codes
from armillary import geometry
from armillary.errors import UnreadableError, UsageError
from armillary.repairs import METHODS, Layer, Repair, filters, fit, load_repair, repaired_table, save_repair
from armillary.sphere import Code, cloud
from armillary.table import Table

KNOWN = Path(__file__).parent / "known"
ROWS = codes.lopsided(400, 12, seed=1)
WEIGHTS = np.random.default_rng(2).random(400)


def code(rows: np.ndarray) -> Code:
    return Code.of(Table.from_array(rows))


def fitted(method: str, rows: np.ndarray = ROWS, **parameters) -> Repair:
    weights = WEIGHTS if METHODS[method].weighted else None
    return fit(code(rows), method, frequencies=weights, **parameters)


def test_centred_mean_is_zero():
    assert fitted("centre").apply(ROWS).mean(0) == pytest.approx(np.zeros(12), abs=1e-12)
    assert WEIGHTS @ fitted("zipf-centre").apply(ROWS) == pytest.approx(np.zeros(12), abs=1e-9)


@pytest.mark.parametrize("k", [None, 5])
def test_whitened_covariance_is_the_identity(k):
    z = fitted("whiten", k=k).apply(ROWS)
    assert np.cov(z.T, bias=True) == pytest.approx(np.eye(k or 12), abs=1e-9)


def test_zipf_whitened_covariance_is_the_identity_under_the_weights():
    z, p = fitted("zipf-whiten").apply(ROWS), WEIGHTS / WEIGHTS.sum()
    assert (z.T * p) @ z == pytest.approx(np.eye(12), abs=1e-9)
    assert p @ z == pytest.approx(np.zeros(12), abs=1e-9)


def test_standardised_coordinates_are_z_scores():
    assert fitted("standardise").apply(ROWS) == pytest.approx(stats.zscore(ROWS.astype(np.float64)), abs=1e-9)


@pytest.mark.parametrize("components", [0, 1, 3])
def test_what_all_but_the_top_leaves_is_orthogonal_to_what_it_removes(components):
    z, top = fitted("all-but-the-top", components=components).apply(ROWS), cloud(code(ROWS)).principal[1][:components]
    assert z @ top.T == pytest.approx(np.zeros((400, components)), abs=1e-9)
    assert z.mean(0) == pytest.approx(np.zeros(12), abs=1e-9)


def test_all_but_the_top_step_by_step():
    """Mu & Viswanath 2018, algorithm 1, and the variant that projects the rows before they are centred."""
    x = ROWS.astype(np.float64)
    centred = x - x.mean(0)
    top = np.linalg.svd(centred, full_matrices=False)[2][:2]
    one, other = fitted("all-but-the-top", components=2), fitted("all-but-the-top", components=2, uncentred=True)
    assert one.apply(ROWS) == pytest.approx(centred - centred @ top.T @ top, abs=1e-9)
    assert other.apply(ROWS) == pytest.approx(centred - x @ top.T @ top, abs=1e-9)
    assert one.parameters["projection"] == "centred" and other.parameters["projection"] == "uncentred"


@pytest.mark.long
@pytest.mark.parametrize(("d", "components"), [(12, 1), (50, 1), (149, 1), (250, 2), (640, 6)])
def test_components_removed_by_default(d, components):
    assert fitted("all-but-the-top", codes.random_rows(700, d)).parameters["components"] == components


def test_conceptor_eigenvalues():
    """C has the eigenvalues λ/(λ + α⁻²) on those of XᵀX/n; what is left of each axis is the rest."""
    x, aperture = ROWS.astype(np.float64), 1.5
    repair = fitted("conceptor", aperture=aperture)
    second = x.T @ x / len(x)
    conceptor = second @ np.linalg.inv(second + np.eye(12) / aperture**2)
    assert repair.matrix == pytest.approx(np.eye(12) - conceptor, abs=1e-9)
    values = np.linalg.eigvalsh(second)
    assert np.linalg.eigvalsh(repair.matrix) == pytest.approx(np.sort(1 / (1 + aperture**2 * values)), abs=1e-9)
    assert repair.parameters["quota"] == pytest.approx((values / (values + aperture**-2)).mean(), abs=1e-12)
    assert not repair.mean.any()


@pytest.mark.parametrize("method", [m for m in METHODS if m != "standardise"])  # which depends on the axes
def test_a_rotated_table_is_repaired_to_the_same_cosines(method):
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((12, 12)))[0]
    one = fitted(method).apply(ROWS)
    other = fitted(method, (ROWS.astype(np.float64) @ turn).astype(np.float32)).apply(ROWS.astype(np.float64) @ turn)
    u, v = (z / np.linalg.norm(z, axis=1, keepdims=True) for z in (one, other))
    np.testing.assert_allclose(
        u @ u.T, v @ v.T, rtol=0, atol=3e-6
    )  # the turned rows are rounded to float32 before the fit


def exact_rotation(seed: int) -> np.ndarray:
    """A rotation of twelve coordinates that mixes all of them and whose entries are multiples of 1/8: no bit is lost."""
    random, hadamard = np.random.default_rng(seed), np.array([[1, 1], [1, -1]])
    mix = np.kron(np.eye(3), np.kron(hadamard, hadamard) / 2)
    turn = np.eye(12)
    for _ in range(3):
        turn = turn[random.permutation(12)] @ mix
    return turn


@pytest.mark.parametrize("method", [m for m in METHODS if m != "standardise"])
def test_an_exact_rotation_changes_no_cosine_of_a_repaired_table(method):
    rows = (np.round(ROWS * 256) / 256).astype(np.float32)
    turned = (rows @ exact_rotation(0)).astype(np.float32)
    assert np.abs(turned - rows).max() > 0.1 and (turned.astype(np.float64) @ exact_rotation(0).T == rows).all()
    u, v = (z / np.linalg.norm(z, axis=1, keepdims=True) for z in (fitted(method, x).apply(x) for x in (rows, turned)))
    np.testing.assert_allclose(u @ u.T, v @ v.T, rtol=0, atol=1e-9)


def test_an_exact_rotation_changes_no_measure_that_has_no_axes():
    rows = (np.round(ROWS * 256) / 256).astype(np.float32)
    found = []
    for x in (rows, (rows @ exact_rotation(1)).astype(np.float32)):
        c = code(x)
        first = geometry.first_pass(c)
        measures = [*geometry.isotropy_measures(first), *geometry.cloud_measures(c, first, WEIGHTS, null=False)]
        found.append({m.name: m.value for m in measures if m.name != "rogue_dimensions"})
    assert len(found[0]) >= 10
    assert found[1] == pytest.approx(found[0], rel=1e-9, abs=1e-9)


def test_filters_are_the_gains_of_each_component():
    c = cloud(code(ROWS))
    found = filters(c, [fitted("all-but-the-top", components=2), fitted("whiten"), fitted("centre")])
    gains = found.gains
    assert gains["all-but-the-top"] == pytest.approx([0] * 2 + [1] * 10, abs=1e-9)
    assert gains["centre"] == pytest.approx(np.ones(12), abs=1e-12)
    assert gains["whiten"] == pytest.approx(np.sqrt(found.variances[-1] / found.variances), rel=1e-9)


# degenerate clouds


def test_constant_columns_and_singular_clouds():
    rows = np.concatenate([codes.lopsided(60, 4), np.full((60, 2), 7.0)], 1).astype(np.float32)
    whitened = fit(code(rows), "whiten")
    assert whitened.shape == (6, 4) and whitened.parameters["k"] == whitened.parameters["rank"] == 4
    assert np.cov(whitened.apply(rows).T, bias=True) == pytest.approx(np.eye(4), abs=1e-9)
    standard = fit(code(rows), "standardise")
    assert standard.parameters["constant_coordinates"] == 2
    assert not standard.apply(rows)[:, 4:].any()


def test_fewer_rows_than_dimensions():
    rows = codes.lopsided(9, 30, seed=3)
    whitened = fit(code(rows), "whiten")
    assert whitened.shape == (30, 8)
    assert np.cov(whitened.apply(rows).T, bias=True) == pytest.approx(np.eye(8), abs=1e-9)
    left = fit(code(rows), "all-but-the-top", components=3).apply(rows)
    assert np.linalg.matrix_rank(left, tol=1e-6) == 5


@pytest.mark.parametrize(
    ("method", "rows", "parameters", "message"),
    [
        ("whiten", codes.lopsided(9, 30), {"k": 9}, "1 to 8 components"),
        ("whiten", np.ones((5, 3)), {}, "1 to 0 components"),
        ("whiten", ROWS, {"k": 0}, "1 to 12 components"),
        (
            "all-but-the-top",
            codes.lopsided(9, 30),
            {"components": 8},
            "fewer than the 8 that the rows vary in, found 8",
        ),
        ("all-but-the-top", ROWS, {"components": -1}, "0 components to remove or more, .* found -1"),
        ("conceptor", ROWS, {"aperture": 0.0}, "aperture above 0"),
        ("centre", ROWS, {"k": 3}, "other parameters for centre, found k"),
        ("zipf-centre", ROWS, {}, "expected token frequencies"),
        ("roundest", ROWS, {}, "expected a repair among centre"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(method, rows, parameters, message):
    with pytest.raises(UsageError, match=message) as caught:
        fit(code(rows), method, **parameters)
    assert "\n" not in caught.value.message


def test_equal_rows_and_float16_at_its_limit():
    twice = np.concatenate([ROWS, ROWS])
    assert fitted("centre").mean == pytest.approx(fit(code(twice), "centre").mean, abs=1e-12)
    assert fit(code(np.ones((5, 3))), "centre").apply(np.ones((5, 3))) == pytest.approx(np.zeros((5, 3)), abs=0)
    large = (ROWS / np.abs(ROWS).max() * 65504).astype(np.float16)  # squares are far beyond float16
    z = fit(code(large), "whiten").apply(large)
    assert np.cov(z.T, bias=True) == pytest.approx(np.eye(12), abs=1e-9)


def test_rows_without_a_direction_have_none_afterwards():
    rows = np.concatenate([ROWS, np.zeros((1, 12)), np.full((1, 12), np.inf)]).astype(np.float32)
    repair = fit(code(rows), "centre")
    assert repair.parameters["rows"] == 400
    z = repair.apply(rows)
    assert not z[400].any() and np.isnan(z[401]).all()
    table = repaired_table(Table.from_array(rows), repair)
    assert [(r, len(ids)) for r, ids in Code.of(table).excluded.items()] == [("zero", 1), ("non-finite", 1)]


def test_values_beyond_float32_become_infinite_rows_that_are_left_out():
    tiny = codes.lopsided(50, 3, seed=4) * np.float32(1e-37)
    repair = Repair("grown", {}, np.eye(3) * 1e80, np.zeros(3))
    assert len(Code.of(repaired_table(Table.from_array(np.concatenate([tiny, np.zeros((1, 3))])), Repair("same", {}, np.eye(3), np.zeros(3))))) == 50  # fmt: skip
    with pytest.raises(UsageError, match="non-finite"):
        Code.of(repaired_table(Table.from_array(tiny), repair))


# maps and files


def test_table_and_vectors_take_the_same_map():
    repair = fitted("whiten", k=6)
    table = repaired_table(Table.from_array(ROWS, [f"w{i}" for i in range(400)]), repair)
    assert table.shape == (400, 6) and table.find("w7") == [7]
    expected = repair.apply(ROWS).astype(np.float32)
    assert (table.vectors.block(3, 9) == expected[3:9]).all()
    assert table.rows([5, 2]) == pytest.approx(expected[[5, 2]], abs=1e-6)
    assert repair.apply(ROWS[4]) == pytest.approx(repair.apply(ROWS)[4], abs=1e-12)
    with pytest.raises(UsageError, match="12 coordinates"):
        repair.apply(np.zeros(5))
    with pytest.raises(UsageError, match="for 5 coordinates"):
        repaired_table(Table.from_array(np.ones((2, 5))), repair)


def test_a_saved_map_gives_new_queries_the_same_geometry(tmp_path):
    hidden = Layer(np.ones((12, 3)), np.zeros(3), np.full((3, 12), 0.1))
    repairs = [fitted(m) for m in METHODS] + [fitted("all-but-the-top", uncentred=True)]
    repairs.append(Repair("contrastive", {"seed": 0}, np.eye(12), np.zeros(12), layer=hidden))
    queries = codes.random_rows(20, 12, seed=9)
    for repair in repairs:
        again = load_repair(save_repair(repair, tmp_path / "map.safetensors"))
        assert (again.apply(queries) == repair.apply(queries)).all(), repair.method
        assert (again.method, dict(again.parameters)) == (
            repair.method,
            json.loads(json.dumps(dict(repair.parameters))),
        )


def _damaged(path: Path, kind: str) -> None:
    from safetensors.numpy import save_file

    good = {"mean": np.zeros(2), "matrix": np.eye(2)}
    facts = {"kind": "armillary repair 1", "repair": '{"method": "centre", "parameters": {}}'}
    if kind == "no file":
        return
    if kind == "other bytes":
        path.write_bytes(b"nonsense" * 9)
        return
    changes = {
        "other tensors": (good, {}),
        "no record": (good, {"kind": facts["kind"]}),
        "record of another kind": (good, {**facts, "repair": "[1]"}),
        "no matrix": ({"mean": np.zeros(2)}, facts),
        "widths that differ": ({**good, "mean": np.zeros(3)}, facts),
        "not finite": ({**good, "mean": np.array([np.nan, 0])}, facts),
        "float32": ({**good, "mean": np.zeros(2, np.float32)}, facts),
        "half a layer": ({**good, "enter": np.eye(2), "bias": np.zeros(2)}, facts),
        "a stranger": ({**good, "more": np.zeros(2)}, facts),
    }
    save_file(*changes[kind][:1], str(path), metadata=changes[kind][1])


@pytest.mark.parametrize(
    "kind",
    [
        *("no file", "other bytes", "other tensors", "no record", "record of another kind", "no matrix"),
        *("widths that differ", "not finite", "float32", "half a layer", "a stranger"),
    ],
)
def test_files_that_hold_no_repair_are_refused(tmp_path, kind):
    path = tmp_path / "map.safetensors"
    _damaged(path, kind)
    with pytest.raises(UnreadableError, match=r"repair|tensors"):
        load_repair(path)
