"""Verification with a running model: what it is asked, and how it is counted."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from armillary.cli import main
from armillary.errors import UsageError
from armillary.lens import model_of
from armillary.lens.framing import Framing
from armillary.lens.repetition import Repetition, Wording, repeat
from armillary.study import open as open_study
from lazy import torch
from lens_models import WORDS, network, save_folder, table_for

WORDINGS = (Wording("w5 w6", "w7", 1), Wording("w8", "w9 w10", 3))


@pytest.fixture(autouse=True)
def short_wordings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armillary.lens.repetition.WORDINGS", WORDINGS)


def test_a_token_is_asked_for_where_it_is_due() -> None:
    made = network("llama")
    model = model_of(made, table_for(made), framing=Framing((1,), (2,), 1))
    asked = [20, 40, 3]
    steps: list[tuple[int, int]] = []
    found = repeat(model, asked, lambda done, total: steps.append((done, total)))
    for w, (before, between, times) in enumerate([([5, 6], [7], 1), ([8], [9, 10], 3)]):
        for i, id in enumerate(asked):
            prompt = [1, *before, *([id, *between] * times)]  # BOS before, nothing after
            scores = model.logits(prompt)[-1].astype(float)
            p = np.exp(scores - scores.max())
            p /= p.sum()
            assert found.probabilities[i, w] == pytest.approx(p[id], rel=1e-4)
            assert found.ranks[i, w] == 1 + (p > p[id]).sum()
    assert steps == [(3, 6), (6, 6)]
    np.testing.assert_array_equal(found.best, found.probabilities.max(1))


def test_a_token_fails_below_one_percent_in_every_wording() -> None:
    ids = np.arange(3)
    found = Repetition(ids, np.array([[0.009, 0.002], [0.009, 0.01], [0.5, 0.0]]), np.ones((3, 2), np.int64))
    assert found.fails.tolist() == [True, False, False]


def test_an_encoder_cannot_be_asked() -> None:
    made = network("bert")
    with pytest.raises(UsageError, match="an encoder"):
        repeat(model_of(made, table_for(made), encoder=True), [5])


@pytest.mark.long
def test_the_command_asks_candidates_and_as_many_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made, start = (
        network("llama", tie_word_embeddings=True),
        torch.randn(32, generator=torch.Generator().manual_seed(1)),
    )
    with torch.no_grad():
        made.get_input_embeddings().weight[3:13] = start + 0.01 * torch.randn(
            10, 32, generator=torch.Generator().manual_seed(2)
        )
        made.get_input_embeddings().weight[20] = start  # as near to the references as they are to one another
    folder = save_folder(made, tmp_path / "tiny")
    arguments = ["armillary", "health", str(folder), "--reference", "3..12", "--verify", "--most", "5", "--no-cache"]
    for extra in ([], ["--json"]):
        monkeypatch.setattr(sys, "argv", [*arguments, *extra])
        with pytest.raises(SystemExit) as end:
            main()
        assert not end.value.code, capsys.readouterr().err
        out = capsys.readouterr().out
        if not extra:
            assert "Asked to repeat it, the model fails on" in out and "ordinary tokens drawn at random" in out
    verified = json.loads(out)["result"]["verification"]
    candidates = json.loads(out)["result"]["under_trained"]["candidates"]
    most = min(5, len(candidates))
    assert [t["id"] for t in verified["candidates"]["tokens"]] == [c["id"] for c in candidates[:most]] == [20]
    drawn = [t["id"] for t in verified["ordinary"]["tokens"]]
    assert len(set(drawn)) == most >= 1 and not set(drawn) & {c["id"] for c in candidates}
    study = open_study(folder, cache=False)
    again = study.verify(study.health(reference="3..12", round_trip=False), 5)
    assert again.to_dict()["ordinary"]["tokens"][0]["id"] == drawn[0] and len(study.table) == WORDS
    with pytest.raises(UsageError, match="expected candidates for under-training to verify, found none"):
        open_study(np.eye(10), cache=False).verify()  # of ten rows, 2 % are none
