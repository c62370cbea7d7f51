"""Health on real tables: published under-trained tokens, real untied tables, the twin in int8."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import armillary as arm

KNOWN = json.loads((Path(__file__).parent / "known" / "gemma3_270m.json").read_text("utf-8"))["under_trained"]
PUBLISHED = KNOWN["published_for_the_12B_model_same_vocabulary"]

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def gemma():
    return arm.open("demo:gemma3")


@pytest.mark.parametrize(("reference", "most"), [(None, 0.0060), ("6..104", 0.0057)])
def test_published_tokens_are_among_the_lowest(gemma, reference, most) -> None:
    found = gemma.health(reference=reference, round_trip=False)
    suspects = found.under_trained
    shares = [suspects.share_below(id) for id in PUBLISHED]
    assert len(PUBLISHED) == 6 and max(shares) == pytest.approx(most, abs=5e-5)  # the file gives two digits
    assert len(suspects.candidates.ids) <= 0.02 * len(gemma.table)
    assert set(PUBLISHED) <= set(suspects.candidates.ids.tolist())
    norm = suspects.indicators.all[-1]
    assert norm.name == "input_norm" and "norms agree" in norm.void


def test_the_model_cannot_say_its_candidates_and_can_say_others(gemma) -> None:
    found = gemma.verify(most=40)
    assert len(found.candidates.ids) == len(found.ordinary.ids) == 40
    assert found.candidates.fails.mean() >= 0.9 and found.ordinary.fails.mean() <= 0.1


def test_the_vocabulary_of_smollm2_makes_the_round_trip() -> None:
    found = arm.open("demo:smollm2").health()
    assert found.trip is not None
    assert found.trip.returned["alone"] == found.trip.tried > 48_000
    assert found.kinds["unreachable"].tolist() == []


def test_wordpiece_punctuation_inside_a_word_is_unreachable() -> None:
    """BERT splits every punctuation mark off, so a piece `##!` can never be produced."""
    found = arm.open("demo:minilm").health()
    names = [arm.open("demo:minilm").table.vocabulary.names[i] for i in found.kinds["unreachable"][:3].tolist()]
    assert {"##!", '##"'} <= set(names)
    assert np.isin(arm.open("demo:minilm").table.find("king"), found.kinds["unreachable"]).sum() == 0
