"""The choice of dimension: fits against numpy's, and exact on made-up models that follow a law."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from armillary.errors import UsageError
from armillary.origins import dimension
from armillary.origins.dimension import Model

KNOWN = json.loads((Path(__file__).parent / "known" / "models.json").read_text())["models"]


def test_the_shipped_models_are_the_published_ones():
    assert [(m.model, m.vocab, m.dim, m.layers, m.total_params) for m in dimension.models()] == [
        (k["model"], k["vocab"], k["dim"], k["layers"], k["total_params"]) for k in KNOWN
    ]
    gpt2 = dimension.models()[0]
    assert gpt2.table_share == pytest.approx(38_597_376 / 124_439_808) and gpt2.tables == 50257 * 768


def test_the_fit_is_ordinary_regression():
    found = dimension.dimension_choice().width
    x = np.log([k["total_params"] for k in KNOWN])
    y = np.log([k["dim"] for k in KNOWN])
    theirs = stats.linregress(x, y)
    half = stats.t.ppf(0.975, len(x) - 2) * theirs.stderr
    assert (found.exponent, found.intercept) == pytest.approx((theirs.slope, theirs.intercept), rel=1e-10)
    assert (found.low, found.high) == pytest.approx((theirs.slope - half, theirs.slope + half), rel=1e-9)


def test_models_that_follow_the_laws_exactly():
    made = tuple(
        Model(f"m{d}", 100, d, d // 128, True, 100 * d, 100 * d + 12 * d * d * (d // 128)) for d in (256, 512, 1024)
    )
    found = dimension.dimension_choice(made)
    assert found.layer.exponent == pytest.approx(2.0, abs=1e-12) and found.layer.spread < 1e-10
    assert found.ratio_mean == pytest.approx(0.0, abs=1e-12) and found.ratio_sd == pytest.approx(0.0, abs=1e-12)
    grown = found.growth(100.0)
    assert grown[0] == pytest.approx(100**found.width.exponent) and grown[1] <= grown[0] <= grown[2]


def test_a_published_model_sits_at_itself():
    placed = dimension.place(50257, 768, 12, parameters=124_439_808)
    assert placed.nearest[0] == "GPT-2" and placed.per_layer == 64.0
    law = dimension.dimension_choice().width
    assert placed.deviation == pytest.approx((math.log(768) - math.log(law.at(124_439_808))) / law.spread, rel=1e-12)
    with pytest.raises(UsageError, match="expected V from 1 to 1,000,000,000, found 0"):
        dimension.place(0, 768, 12)
    with pytest.raises(UsageError, match="three models"):
        dimension.dimension_choice(dimension.models()[:2])
