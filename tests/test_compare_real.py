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


def test_the_pruned_twin_of_e5_is_a_subset_with_bit_equal_rows() -> None:
    pruned, whole = (arm.open(name) for name in ("demo:e5-enpt", "demo:e5"))
    found = pruned.compare(whole)
    assert found.found.join.relation == "subset" and found.found.equal == len(found.found.join) == len(pruned.table)
    assert found.verdict == (
        "The joined rows are equal in every number; the first vocabulary is a subset of the second, "
        f"with {len(pruned.table):,} tokens in common."
    )
    assert not np.array_equal(found.found.join.a, found.found.join.b)  # joined by tokens, not by position
    assert [m.value for m in found.measures] == [1.0] * 5


@pytest.mark.parametrize(
    ("name", "first", "second", "rows"),
    [
        ("demo:g2p-en", "dec_emb", "fc_w", 74),
        ("demo:annalog", "decoder.tok_embedding.weight", "decoder.fc_out.weight", 59),
    ],
)
def test_small_untied_models_are_compared_with_themselves(name: str, first: str, second: str, rows: int) -> None:
    study = arm.open(name)
    output = study.output()
    assert study.provenance.tied is False and output is not None
    assert (study.provenance.tensor, output.provenance.tensor) == (first, second)
    found = study.compare()
    x, y = (table.vectors.block(0, rows).astype(np.float64) for table in (study.table, output.table))
    cosines = (x * y).sum(1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)
    assert found.found.measure("cosine_identity").value == pytest.approx(cosines.mean(), abs=1e-12)
    assert found.found.equal == 0 and found.isotropy["mean_norm"] == (
        pytest.approx(np.linalg.norm(x, axis=1).mean()),
        pytest.approx(np.linalg.norm(y, axis=1).mean()),
    )
    health = study.health(round_trip=False)
    assert health.tying.startswith("Untied: input and output are two tables") and first in health.tying
