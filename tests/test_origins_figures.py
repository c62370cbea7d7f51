"""Figures hold the numbers of their results, and draw as SVG."""

from __future__ import annotations

import numpy as np
import pytest

from armillary.cli import main
from armillary.errors import UsageError
from armillary.origins import dimension, figures, packing, tying
from armillary.origins.superposition.toy import ToyModels
from armillary.origins.tying.run import Moment, Run
from armillary.origins.word2vec import PmiCheck


def test_the_starts_of_a_packing():
    found = packing.pack(6, 3, starts=3)
    figure = figures.packing_figure(found)
    assert list(figure.series[0].y) == sorted(s.cosine for s in found.starts)
    assert {s.name: s.y[0] for s in figure.series[1:]} == {
        "no code can be below": found.bound,
        "random code, median": found.random,
        "best known": found.best_known,
    }


def test_the_features_in_the_plane():
    weights = np.array([[[1.0, -1.0]], [[0.5, 0.0]]])
    models = ToyModels(weights, np.zeros((2, 2)), np.array([0.1, 0.2]), np.full(2, 0.05), np.ones(2), 0, 1)
    assert [list(s.x) for s in figures.features_figure(models).series] == [[0, 1], [0, -1]]
    assert [list(s.y) for s in figures.features_figure(models).series] == [[0, 0], [0, 0]]


def test_residuals_and_gradients():
    check = PmiCheck(9, 5.0, 0.8, 0.1, 0.7, ((0.5, 0.1), (-0.5, 0.2)), 3, -1.0, 1.0, 0.5, 0.1, 0.4)
    assert [list(s.y) for s in figures.residuals_figure(check).series] == [
        [0.5, -0.5], pytest.approx([0.6, -0.3]), pytest.approx([0.4, -0.7]), [0, 0],
    ]  # fmt: skip
    run = Run(True, np.ones((2, 2)), np.ones((2, 2)), (Moment(0, 1, 0, 0, 0.1, 0.2, (), ()),), True)
    result = tying.Tying("text", ("a", "b"), run, None, None, None, 0)
    assert [(s.name, list(s.y)) for s in figures.tying_figure(result).series] == [
        ("tied, input", [0.1]),
        ("tied, output", [0.2]),
    ]


def test_the_fit_stands_on_its_line_and_draws():
    figure = figures.dimension_figure()
    law = dimension.dimension_choice().width
    assert list(figure.series[1].y) == [law.at(x) for x in figure.series[1].x]
    assert len(figure.series[0].x) == len(dimension.models())
    assert figures.svg(figure).lstrip().startswith("<svg")


def test_a_page_holds_the_figure_and_the_table_of_each_result(tmp_path):
    from armillary.origins import pages, superposition
    from armillary.report import read, save

    found = packing.pack(6, 3, starts=2)
    groups = superposition.groups(features=30, dimensions=6, steps=2)
    report = pages.lab_report("two laboratories", [found, groups])
    assert [s.id for s in report.sections] == ["packing-1", "groups-2"]
    assert report.sections[0].figure == figures.packing_figure(found)
    (table,) = report.sections[1].tables
    assert [row[0] for row in table.rows] == ["never", "always", "independent", "different sets"]
    assert [row[2] for row in table.rows] == groups.columns()["mean_cosine"]
    assert read(save(report, tmp_path / "page.json")) == report
    page = save(report, tmp_path / "page.html").read_text()
    assert page.count("<figure>") == 2 and "two laboratories" in page
    written = pages.save_figures([found, groups], tmp_path / "f.svg")
    assert [p.name for p in written] == ["f.svg", "f.groups-2.svg"]
    assert all(p.read_text().lstrip().startswith("<svg") for p in written)
    with pytest.raises(UsageError, match=r"ends in \.svg"):
        pages.check_figure(tmp_path / "f.png")


@pytest.mark.long
def test_commands_write_figures_and_pages(tmp_path, monkeypatch, capsys):
    (tmp_path / "text.txt").write_text("\n".join(["a b c d a b c d", "w x y z w x y z"] * 50))
    for number, arguments in enumerate(
        (
            ["pack", "5", "3", "--starts", "2"],
            ["superpose", "--steps", "3", "--instances", "2"],
            ["train", str(tmp_path / "text.txt"), "-d", "2", "--epochs", "2"],
        )
    ):
        figure, page = tmp_path / f"{number}.svg", tmp_path / f"{number}.html"
        monkeypatch.setattr("sys.argv", ["armillary", *arguments, "--figure", str(figure), "--report", str(page)])
        with pytest.raises(SystemExit) as end:
            main()
        err = capsys.readouterr().err
        assert end.value.code == 0 and f"wrote {figure}" in err and f"wrote {page}" in err
        assert figure.read_text().lstrip().startswith("<svg") and "<figure>" in page.read_text()
    monkeypatch.setattr("sys.argv", ["armillary", "pack", "5", "3", "--report", str(tmp_path / "x.pdf")])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2 and "ends in .html, .json or .md" in capsys.readouterr().err
