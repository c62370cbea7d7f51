"""The contrastive repair of a table: pairs from a file, from variants or from neighbours, and the same proof as others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.answer import Answer
from armillary.repairs import Contrastive, Training, groups_of, neighbour_pairs, read_pairs, train, variant_pairs
from armillary.shapes import Int64
from armillary.sphere import cloud
from armillary.study.repairing import Repaired, check_output, proved

if TYPE_CHECKING:
    from armillary.report import Report
    from armillary.study.study import Progress, Study


@dataclass(frozen=True, repr=False)
class ContrastiveRepair(Answer):
    """What training found on its own held-out pairs, and what the repaired table is like."""

    trained: Contrastive
    repaired: Repaired

    def __str__(self) -> str:
        last = self.trained.log[-1]
        log = (
            f"{len(self.trained.log)} epochs; at the end alignment {last['alignment']:.3f}, uniformity "
            f"{last['uniformity']:.3f}, loss {last['loss']:.3f}, on the pairs that stop it {last['held_out_loss']:.3f}."
        )
        return "\n".join([str(self.trained), log.replace("-", "−"), "", str(self.repaired)])

    def report(self, study: Study) -> Report:
        """The same as a report with its figures, of the study it was made from."""
        from armillary.study.proof_report import repair_report

        return repair_report(study, self.repaired)

    def to_dict(self) -> dict[str, Any]:
        return {"training": self.trained.to_dict(), **self.repaired.to_dict()}


def contrastive_repair_of(
    study: Study,
    pairs: str = "variants",
    *,
    training: Training | None = None,
    output: Path | None = None,
    proof: bool = True,
    progress: Progress | None = None,
) -> ContrastiveRepair:
    """Train on `pairs` (variants, neighbours, or a file of two words a line), write, and measure before and after."""
    check_output(study, output)
    ids, notes = _pairs(study, pairs)
    kept = ids[np.isin(ids, study.code.ids).all(axis=1)]
    left, right = (study.table.rows(kept[:, side]) for side in (0, 1))
    mean = cloud(study.code).mean
    trained = train(left, right, mean, groups=groups_of(kept), training=training, progress=progress)
    return ContrastiveRepair(trained, proved(study, trained.repair, proof=proof, output=output, notes=notes))


def _pairs(study: Study, pairs: str) -> tuple[Int64[np.ndarray, "p 2"], list[str]]:
    if pairs == "variants":
        return variant_pairs(study.table), []
    if pairs == "neighbours":
        return neighbour_pairs(study.scan()), []
    ids, lost = read_pairs(pairs, study.table)
    return ids, [f"{len(ids):,} pairs read, {lost:,} left out: their words are no single rows of this table."]
