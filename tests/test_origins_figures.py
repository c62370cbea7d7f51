"""Figures hold the numbers of their results, and draw as SVG."""

from __future__ import annotations

import numpy as np
import pytest

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
