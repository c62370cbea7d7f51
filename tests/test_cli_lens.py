"""The commands `lens` and `drift`, as a person calls them, on a small model built here."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import armillary as arm
from armillary.answer import size
from armillary.cli import main
from armillary.report import read
from armillary.table import Vocabulary
from armillary.words.frequencies import word_frequencies
from lens_models import LAYERS, network, save_folder

PROMPT = "w5 w40 w3"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(save_folder(network("llama", tie_word_embeddings=True), tmp_path_factory.mktemp("m") / "tiny"))


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["armillary", *arguments])
    with pytest.raises(SystemExit) as exit:
        main()
    return int(exit.value.code or 0)


def test_lens_as_text(folder: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(monkeypatch, "lens", folder, PROMPT, "--decompose", "--path", "1") == 0
    out, err = capsys.readouterr()
    count = sum(p.numel() for p in network("llama", tie_word_embeddings=True).parameters())
    assert f"opening the model: {count:,} parameters, {size(4 * count)} of memory in float32" in err
    lines = out.splitlines()
    assert " is first at the output, with " in lines[0] and f"of {LAYERS}." in lines[0]
    assert lines[2].split()[:5] == ["layer", "<s>", "▁w5", "▁w40", "▁w3"]
    assert [line.split()[0] for line in lines[3:7]] == ["0", "1", "2", "output"]
    rank, _, percent, divergence = lines[6].split()[-4:]
    assert (rank, percent, divergence) == ("1", "%", "0")  # at the output
    assert "has been since layer" in lines[0] or "in no layer before it" in lines[0]
    assert "Belrose" in out and "logit = ‖h‖ · ‖w‖ · cos + bias" in out and "The way of ▁w5 (position 1)" in out


def test_lens_as_json_and_report(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / name for name in ("lens.json", "lens.html", "lens.md")]
    for file in files:
        assert call(monkeypatch, "lens", folder, PROMPT, "--json", "--decompose", "-o", str(file)) == 0
        out, err = capsys.readouterr()
        assert str(file) in err
        document = json.loads(out)
    assert document["command"] == "lens" and document["source"]["source"] == folder
    layers = document["result"]["lens"]["layers"]
    assert len(layers) == LAYERS + 1 and layers[-1]["rank"] == [1, 1, 1, 1]
    assert document["result"]["decomposition"]["candidates"]["token"][0] == layers[-1]["top"][3][0]["text"]
    report = read(files[0])
    assert [s.id for s in report.sections] == ["grid", "answer", "decomposition"]
    grid = report.sections[0].tables[0]
    assert [row[0] for row in grid.rows] == [3, 2, 1, 0] and grid.rows[0][1] == layers[-1]["top"][0][0]["text"]
    assert grid.shades[0][1] == pytest.approx(layers[-1]["top"][0][0]["probability"])
    html = files[1].read_text()
    assert html.count("--shade:") == 4 * (LAYERS + 1) and "<svg" in html
    assert "| layer |" in files[2].read_text()


def test_the_path_lies_on_the_map_and_biases_are_told(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "lens.json"
    assert call(monkeypatch, "lens", folder, PROMPT, "--path", "2", "--bias", "--json", "-o", str(report)) == 0
    result = json.loads(capsys.readouterr().out)["result"]
    study = arm.open(folder, cache=False)
    plane, row = study.projection, study.table.row(40).astype(float)
    length = np.linalg.norm(study.table.rows(range(64)).astype(float), axis=1).mean()
    place = plane.axes @ (length * row / np.linalg.norm(row) - plane.mean)
    np.testing.assert_allclose(result["path"]["layers"][0]["coordinates"], place, atol=1e-6)
    spots = study.table.rows(plane.ids).astype(float) @ plane.axes.T - plane.axes @ plane.mean
    np.testing.assert_allclose(plane.xy, spots, atol=1e-6)  # the same map that the page shows
    assert result["bias"]["against_frequency"] is None  # an RMS norm, and no bias of the head
    figure = next(s for s in read(report).sections if s.id == "path").figure
    assert figure is not None and len(figure.series[1].x) == LAYERS + 1 and len(figure.series[0].x) == 64


def test_states_become_a_table_that_every_room_works_on(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "states.safetensors"
    words = "w5 w40 w3 w7 w5 w8"
    assert call(monkeypatch, "lens", folder, words, "--states", str(file), "--layer", "2") == 0
    assert "a row for each position" in capsys.readouterr().err
    study, model = arm.open(file, cache=False), arm.open(folder, cache=False).model()
    rows = model.states(words).at(2)
    np.testing.assert_array_equal(study.table.rows(range(7)), rows)
    assert [t.text for t in study.table.vocabulary] == ["<s>", "▁w5", "▁w40", "▁w3", "▁w7", "▁w5", "▁w8"]
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    near = study.neighbors(1, k=3)
    others = sorted((i for i in range(7) if i != 1), key=lambda i: -float(unit[1] @ unit[i]))[:3]
    assert [t.id for t in near.tokens] == others
    sections = [s.id for s in study.report(scan=False).sections]
    assert {"isotropy", "health"} <= set(sections)
    centred = study.repair("centre")
    np.testing.assert_allclose(centred.repair.mean, rows.astype(float).mean(0), rtol=1e-6)
    assert call(monkeypatch, "lens", folder, words, "--states", str(file), "--layer", "9") == 2
    assert "expected a layer from 0 to 3, found 9" in capsys.readouterr().err
    assert call(monkeypatch, "lens", folder, words, "--states", str(tmp_path / "x.npy")) == 2


def test_biases_against_word_frequency() -> None:
    from scipy.stats import spearmanr
    from wordfreq import top_n_list

    from armillary.lens import Norm, Readout
    from armillary.study.lens import bias_told

    words = [w for w in top_n_list("en", 90) if w.isalpha()][:64]
    rng = np.random.default_rng(0)
    bias, rows = rng.normal(size=64).astype("f4"), rng.normal(size=(64, 4)).astype("f4")
    vocabulary = Vocabulary.of_words(words)
    found = bias_told(Readout(rows, rows, Norm(), bias=bias), vocabulary)
    known = word_frequencies(vocabulary).log
    assert found.found is not None and found.found.n == np.isfinite(known).sum() > 50
    told = np.isfinite(known)
    assert found.found.spearman == pytest.approx(spearmanr(bias[told], known[told]).statistic)
    assert [t.id for t in found.favoured] == np.argsort(-bias)[:5].tolist()
    assert "The biases of final norm and head prefer" in str(found) and "wordfreq" in str(found)


def test_the_lens_in_the_main_report(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.json"
    arguments = ("report", folder, "--no-scan", "--no-cache", "--lens", PROMPT, "-o", str(report))
    assert call(monkeypatch, *arguments) == 0
    assert "first at the output" in capsys.readouterr().out
    sections = [s.id for s in read(report).sections]
    assert sections[-3:] == ["grid", "answer", "decomposition"] and "health" in sections


def test_cuda_asked_for_and_absent_is_one_line(
    folder: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert call(monkeypatch, "lens", folder, PROMPT, "--device", "cuda") == 2
    assert "expected a CUDA device, found none" in capsys.readouterr().err


def test_bos_is_told_and_can_be_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = network("llama", tie_word_embeddings=True)
    without = str(save_folder(model, tmp_path / "without", framed=False))
    assert call(monkeypatch, "lens", without, PROMPT) == 0
    assert "This tokenizer adds no BOS" in capsys.readouterr().out
    assert call(monkeypatch, "lens", without, PROMPT, "--bos", "--json") == 0
    assert [t["text"] for t in json.loads(capsys.readouterr().out)["result"]["lens"]["tokens"]][:2] == ["<s>", "▁w5"]
    model.config.bos_token_id = None
    none = str(save_folder(model, tmp_path / "none", framed=False))
    assert call(monkeypatch, "lens", none, PROMPT, "--bos") == 2
    assert "expected a BOS token to put first, found none" in capsys.readouterr().err


def test_each_wrong_thing_is_one_line(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    encoder = str(save_folder(network("bert"), tmp_path / "bert"))
    np.save(tmp_path / "rows.npy", np.ones((4, 2), np.float32))
    lone = str(tmp_path / "rows.npy")
    cases = [
        (("lens", folder, ""), "expected a text, found an empty one"),
        (("lens", folder, " ".join(["w5"] * 50)), "expected at most 40 tokens, the model's context, found 51"),
        (("lens", encoder, PROMPT), "an encoder"),
        (("lens", lone, PROMPT), "expected a model that can run, found rows.npy, which is a table alone"),
        (("lens", folder + "x", PROMPT), "expected a file or folder, found nothing at"),
        (("drift", lone, "w5 w6", "--word", "w5"), "expected a model that can run, found rows.npy"),
        (("lens", folder, PROMPT, "--answer", "w99"), "an answer that is one token, found 'w99'"),
        (("lens", folder, PROMPT, "--path", "9"), "a position from 0 to 3, found 9"),
        (("lens", folder, PROMPT, "--device", "tpu"), "the device cpu or cuda, found 'tpu'"),
        (("lens", folder, PROMPT, "-o", "lens.pdf"), "ends in .html, .json or .md"),
        (("drift", folder, "w5 w6"), "expected --word WORD"),
        (("drift", folder, "w5 w6", "--word", "w9"), "expected the word 'w9' in each sentence"),
        (("drift", folder, "--word", "w9"), "expected one of bank, bat"),
        (("drift", folder, "w5", "--word", "w5", "--pool", "max"), "expected --pool mean or first"),
    ]
    text = tmp_path / "text.txt"
    text.write_text("w5 w6 w7\n\nw8 w9 w10 w11 w12")
    for arguments, message in cases:
        extra = ("--text", str(text)) if arguments[0] == "drift" else ()
        assert call(monkeypatch, *arguments, *extra) == 2, arguments
        out, err = capsys.readouterr()
        assert out == "" and any(message in line for line in err.splitlines()), (arguments, err)  # after any progress
    monkeypatch.setitem(sys.modules, "torch", None)
    assert call(monkeypatch, "lens", folder, PROMPT) == 2
    assert "pip install 'armillary[lens]'" in capsys.readouterr().err


def test_drift_of_sentences_and_of_senses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(save_folder(network("llama", tie_word_embeddings=True), tmp_path / "tiny"))
    text = tmp_path / "text.txt"
    text.write_text("w5 w6 w7 w20 w21 w22 w23\n\nw8 w9 w10 w11 w12 w30 w31")
    report = tmp_path / "drift.json"
    arguments = ("drift", folder, "w5 w9", "w6 w7 w9", "--word", "w9", "--text", str(text), "--cone", "--json")
    assert call(monkeypatch, *arguments, "-o", str(report)) == 0
    result = json.loads(capsys.readouterr().out)["result"]
    assert result["word"]["self_similarity"][0] == pytest.approx(1) and len(result["cone"]["layers"]) == LAYERS + 1
    assert [s.id for s in read(report).sections] == ["word", "cone", "dimensions"]
    senses = tmp_path / "senses.txt"
    senses.write_text("# w9: one\nw5 w9\nw6 w9 w5\nw7 w9\n# w9: two\nw30 w9\nw31 w9 w30\nw32 w9\n")
    monkeypatch.setattr("armillary.lens.permuted.permuted.__defaults__", ("w5 w6 w7", "w7 w6 w5"))
    assert call(monkeypatch, "drift", folder, "--senses", str(senses), "-o", str(tmp_path / "senses.html")) == 0
    out = capsys.readouterr().out
    assert "Do senses part in" in out and "one bag of words" in out
    assert "<svg" in (tmp_path / "senses.html").read_text()
