"""Under-training verified with the running model: candidates and ordinary tokens, asked to be repeated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.answer import Listing, count
from armillary.errors import UsageError
from armillary.lens.repetition import FAILS_BELOW, WORDINGS, Repetition, repeat
from armillary.table import Table

if TYPE_CHECKING:
    from armillary.study.health import Health
    from armillary.study.study import Progress, Study

MOST = 20


@dataclass(frozen=True, eq=False, repr=False)
class Verification(Listing):
    """Candidates with the probability that the model repeats them; `ordinary` tokens drawn at random are the null."""

    table: Table
    candidates: Repetition
    ordinary: Repetition

    @property
    def title(self) -> str:
        failed, total = int(self.candidates.fails.sum()), len(self.candidates.ids)
        null, drawn = int(self.ordinary.fails.sum()), len(self.ordinary.ids)
        return (
            f"Asked to repeat it, the model fails on {count(failed)} of {count(total)} candidates, and on {count(null)} of "
            f"{count(drawn)} ordinary tokens drawn at random."
        )

    @property
    def notes(self) -> Sequence[str]:
        return (
            f"It fails where none of {len(WORDINGS)} wordings gives the token {100 * FAILS_BELOW:g} % where it is due (Land & "
            "Bartolo 2024). The token is put in by its id.",
        )

    def columns(self) -> Mapping[str, Sequence[Any]]:
        found = self.candidates
        return {
            "id": found.ids.tolist(),
            "token": [self.table.token(int(i)).text for i in found.ids],
            "best_probability": found.best.tolist(),
            "best_rank": found.ranks.min(axis=1).tolist(),
            "fails": found.fails.tolist(),
        }

    def to_dict(self) -> dict[str, Any]:
        return {
            "fails_below": FAILS_BELOW,
            "candidates": self._plain(self.candidates),
            "ordinary": self._plain(self.ordinary),
        }

    def _plain(self, found: Repetition) -> dict[str, Any]:
        each = zip(
            found.ids.tolist(), found.probabilities.tolist(), found.ranks.tolist(), found.fails.tolist(), strict=True
        )
        tokens = [
            {"id": id, "text": self.table.token(id).text, "probabilities": p, "ranks": r, "fails": fails}
            for id, p, r, fails in each
        ]  # fmt: skip
        return {"failed": int(found.fails.sum()), "asked": len(found.ids), "tokens": tokens}


def verification_of(
    study: Study,
    found: Health,
    most: int = MOST,
    *,
    seed: int = 0,
    device: str = "cpu",
    progress: Progress | None = None,
) -> Verification:
    """Ask the model of a study to repeat the first `most` candidates, and as many of the other rows that were judged.

    UsageError where there is no candidate, or the table belongs to no model that predicts.
    """
    if found.under_trained is None or not len(found.under_trained.candidates.ids):
        raise UsageError(
            "expected candidates for under-training to verify, found none", "--reference names reference rows"
        )
    candidates = found.under_trained.candidates.ids
    others = np.setdiff1d(found.under_trained.indicators.judged, candidates)
    most = min(most, len(candidates), len(others))
    drawn = np.sort(np.random.default_rng(seed).choice(others, most, replace=False))
    asked = [*candidates[:most].tolist(), *drawn.tolist()]
    both = repeat(study.model(device), asked, progress)
    halves = [
        Repetition(both.ids[part], both.probabilities[part], both.ranks[part])
        for part in (slice(0, most), slice(most, None))
    ]
    return Verification(study.table, *halves)
