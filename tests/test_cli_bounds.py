"""`armillary bounds`: the figures of known/bounds.json as they are printed, and as JSON."""

from __future__ import annotations

import json

import pytest

from armillary.cli import application
from armillary.cli.running import run


def printed(capsys, monkeypatch, *arguments: str) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["armillary", "bounds", *arguments])
    with pytest.raises(SystemExit) as end:
        run(application())
    out, err = capsys.readouterr()
    return int(end.value.code or 0), out, err


def test_the_plan_and_the_three_vocabularies(capsys, monkeypatch):
    code, out, _ = printed(capsys, monkeypatch, "100000", "4096", "--table")
    assert code == 0
    assert "0.01530  89.12°" in out  # Welch
    assert "0 ± 0.0156" in out  # sd of a random cosine, 1/64
    rows = [line.split() for line in out.splitlines() if "4,096  " in line and "°" in line]
    assert [row[2:4] for row in rows] == [["0.01497", "89.14°"], ["0.01530", "89.12°"], ["0.01546", "89.11°"]]
    for coherence in ("0.1", "0.2", "0.3", "0.5"):
        assert any(line.split()[:1] == [coherence] for line in out.splitlines())


def test_json_is_one_document(capsys, monkeypatch):
    code, out, err = printed(capsys, monkeypatch, "100000", "4096", "--json")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert document["command"] == "bounds"
    assert document["result"]["random_sd"] == 1 / 64
    assert [c["coherence"] for c in document["result"]["capacities"]] == [0.1, 0.2, 0.3, 0.5]


def test_one_vector_is_no_code(capsys, monkeypatch):
    code, out, err = printed(capsys, monkeypatch, "1", "4096")
    assert (code, out) == (2, "")
    assert "from 2 to 1,000,000,000, found 1" in err


def test_layers_say_where_a_model_sits(capsys, monkeypatch, tmp_path):
    figure = tmp_path / "f.svg"
    code, out, err = printed(capsys, monkeypatch, "128256", "4096", "--layers", "32", "--json", "--figure", str(figure))
    placed = json.loads(out)["result"]["placed"]
    assert code == 0 and f"wrote {figure}" in err and figure.read_text().lstrip().startswith("<svg")
    assert placed["per_layer"] == 128 and placed["nearest"][0] == "Llama-3(.1)-8B"
    assert placed["table_share"] == 128256 * 4096 / (128256 * 4096 + 12 * 32 * 4096**2)
    code, _, err = printed(capsys, monkeypatch, "128256", "4096", "--figure", str(tmp_path / "g.svg"))
    assert code == 2 and "give its layers too" in err and not (tmp_path / "g.svg").exists()


def test_a_bound_that_says_nothing_is_left_out(capsys, monkeypatch):
    """32,000 lines in 256 dimensions are too few for the orthoplex bound, and 10 vectors can stand at right angles."""
    _, out, _ = printed(capsys, monkeypatch, "32000", "256")
    assert "orthoplex" not in out and "of every code of this size is at least 0.06225:" in out
    _, out, _ = printed(capsys, monkeypatch, "100", "2")
    assert "orthoplex               0.7071  45.00°" in out  # 1/√2
    _, out, _ = printed(capsys, monkeypatch, "10", "256")
    assert "can have coherence 0: so few vectors can all stand at right angles" in out and "Welch" not in out
    assert "Its smallest angle is at most 96.38°, its largest cosine at least −0.111" in out  # −1/9


def test_what_surely_fits_is_never_below_the_dimension(capsys, monkeypatch):
    """128 vectors stand at right angles in 128 dimensions; at ε = 0.5 drawing alone gives e⁸ of them."""
    _, out, _ = printed(capsys, monkeypatch, "4000", "128")
    rows = [line.split() for line in out.splitlines() if line.split()[:1] in (["0.1"], ["0.2"], ["0.3"], ["0.5"])]
    assert rows == [["0.1", "2", "128"], ["0.2", "8", "128"], ["0.3", "50", "128"], ["0.5", "29,337", "2,980"]]
    assert "How many vectors fit" not in out
