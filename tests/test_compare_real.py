"""Comparisons of real tables with published kinship: two MiniLM models of one vocabulary, and a twin in int8."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import armillary as arm
from armillary.catalog import resolve
from armillary.geometry.two_tables import compare_tables
from armillary.table import Table

pytestmark = pytest.mark.real


def initializers(name: str) -> dict[str, np.ndarray]:
    import onnx
    import onnx.numpy_helper

    path = next(p for p in (resolve(name), *resolve(name).parent.glob("*.onnx")) if p.suffix == ".onnx")
    wanted = (i for i in onnx.load(path).graph.initializer if "word_embeddings" in i.name)
    return {i.name.rsplit(".", 1)[-1]: onnx.numpy_helper.to_array(i) for i in wanted}


@pytest.fixture(scope="module")
def minilm() -> Table:
    return arm.open("demo:minilm").table


def with_tokens_of(table: Table, rows: np.ndarray) -> Table:
    return replace(Table.from_array(rows), vocabulary=table.vocabulary)


def test_minilm_and_paraphrase_share_most_of_their_arrangement(minilm) -> None:
    other = with_tokens_of(minilm, initializers("demo:paraphrase")["weight"])
    found = compare_tables(minilm, other)
    values = {m.name: m.value for m in found.measures}
    assert len(found.join) == 30_522 and found.join.relation == "equal"
    assert values["cosine_identity"] == pytest.approx(0.881, abs=5e-4)
    assert values["linear_cka"] == pytest.approx(0.818, abs=5e-4)


def test_the_twin_in_int8_keeps_its_directions(minilm) -> None:
    stored = initializers("demo:minilm-int8")
    twin = with_tokens_of(minilm, stored["weight_q"].astype(np.float32) * stored["weight_scale"])
    found = compare_tables(minilm, twin)
    value = next(m.value for m in found.measures if m.name == "cosine_identity")
    assert value == pytest.approx(0.99997, abs=5e-6)
