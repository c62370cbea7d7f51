"""The exported folder: every answer equal to the library's, nothing half-written, limits told."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armillary as arm
import armillary.web.export as room
from armillary.errors import UsageError
from armillary.web import views
from armillary.web.export import export

ROWS = np.random.default_rng(3).standard_normal((90, 12)).astype(np.float32)
ROWS[20] = 0
ROWS[21] = np.nan
WORDS = [
    "<script>alert(1)</script>", "a\tb\n", b"\xe4\xba", " dog", " cat", " red", " blue", " one", " two", " king",
    *(f" w{i}" for i in range(80)),
]  # fmt: skip


@pytest.fixture(scope="module")
def study() -> arm.Study:
    return arm.open(arm.Table.from_array(ROWS, tokens=WORDS), cache=False)


@pytest.fixture(scope="module", autouse=True)
def small_grid():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(views, "SIZES", (10, 1_000))
        patch.setattr(views, "WIDTHS", (2, 64))
        yield


@pytest.fixture(scope="module")
def folder(study, small_grid, tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("exported") / "page"
    export(study, target, repairs=False)
    return target


def read(folder: Path, name: str) -> Any:
    return json.loads((folder / "data" / f"{name}.json").read_bytes())


def arrays(folder: Path, name: str) -> dict[str, np.ndarray]:
    body = (folder / "data" / f"{name}.bin").read_bytes()
    (length,) = struct.unpack("<I", body[4:8])
    entries = json.loads(body[8 : 8 + length])["arrays"]
    start = -(-(8 + length) // 8) * 8
    return {
        e["name"]: np.frombuffer(body, "<" + e["dtype"], int(np.prod(e["shape"])), start + e["offset"]).reshape(
            e["shape"]
        )
        for e in entries
    }


def test_neighbours_of_every_token_are_the_server_s(study, folder):
    near = arrays(folder, "neighbours")
    assert near["ids"].tolist() == [i for i in range(90) if i not in (20, 21)]
    for place, id in enumerate(near["ids"].tolist()):
        found = study.card(id, 10).to_dict()["neighbours"]
        assert near["neighbours"][place].tolist() == [n["id"] for n in found]
        assert near["values"][place].tolist() == [n["value"] for n in found]
        assert near["norms"][id] == pytest.approx(np.linalg.norm(ROWS[id].astype(np.float64)), rel=1e-12)


def test_rounded_rows_are_within_half_a_step(folder):
    rounded = arrays(folder, "rounded")
    finite = np.where(np.isfinite(ROWS), ROWS, 0)
    np.testing.assert_allclose(rounded["step"], np.abs(finite).max(axis=1) / 127, rtol=1e-6)
    error = np.abs(rounded["rows"] * rounded["step"][:, None].astype(np.float64) - finite)
    assert (error <= 0.5001 * rounded["step"][:, None]).all()


def test_tokens_travel_as_text_and_the_page_says_where_it_asks(study, folder):
    tokens = read(folder, "tokens")
    assert tokens["text"][0] == "<script>alert(1)</script>"
    assert tokens["bytes"][2] == "e4ba"
    page = (folder / "index.html").read_text("utf-8")
    assert '<html lang="en" data-source="folder">' in page
    assert "default-src 'none'; script-src 'self'" in page and "frame-ancestors" not in page
    assert read(folder, "model")["free"] is True
    assert read(folder, "model")["spaces"] == ["raw"]


def test_answers_are_the_library_s(study, folder):
    assert read(folder, "plans")["plans"][0] == json.loads(json.dumps(study.plan(10, 2).to_dict()))
    categories = read(folder, "categories-language-en")
    ids = {word["ids"][0] for word in categories["words"]}
    exact = arrays(folder, "rows")
    assert ids == {3, 4, 5, 6, 7, 8}
    np.testing.assert_array_equal(exact["rows"], ROWS[exact["ids"]])
    assert read(folder, "report")["scanned"] is True


def test_quantiles_of_random_pairs_are_those_of_all_pairs(study, folder):
    kept = [i for i in range(90) if i not in (20, 21)]
    unit = ROWS[kept] / np.linalg.norm(ROWS[kept].astype(np.float64), axis=1, keepdims=True)
    cosines = (unit @ unit.T)[np.triu_indices(len(kept), 1)]
    told = read(folder, "background")
    assert told["mean"] == pytest.approx(cosines.mean(), abs=1e-9)
    expected = np.quantile(cosines, np.linspace(0, 1, 1001))
    assert np.abs(np.array(told["quantiles"]) - expected)[20:-20].max() < 0.02  # bins are 0.001 wide, pairs are few


def test_a_folder_with_something_in_it_is_refused(study, tmp_path):
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(UsageError, match="expected a new or empty folder"):
        export(study, tmp_path)
    with pytest.raises(UsageError, match="expected a folder to make page in"):
        export(study, tmp_path / "missing" / "page")
    assert [p.name for p in tmp_path.iterdir()] == ["kept.txt"]


def test_above_the_limit_rows_stay_at_home_and_it_says_so(study, tmp_path, monkeypatch):
    monkeypatch.setattr(room, "MOST_ROUNDED", 90 * 12 - 1)
    monkeypatch.setattr(room, "_word_documents", lambda study: iter(()))  # they are no part of the question
    monkeypatch.setattr(room, "find_spec", lambda name: None)  # nor is the lesson
    found = export(study, tmp_path / "page", repairs=False)
    assert found.free_questions is False
    assert "free questions need armillary serve" in str(found)
    assert not (tmp_path / "page" / "data" / "rounded.bin").exists()
    assert read(tmp_path / "page", "model")["free"] is False


def test_nothing_is_left_where_writing_fails(study, tmp_path, monkeypatch):
    def broken(*_: Any) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(room, "_neighbours", broken)
    with pytest.raises(arm.errors.WorkError, match="No space left on device"):
        export(study, tmp_path / "page", repairs=False)
    assert list(tmp_path.iterdir()) == []
