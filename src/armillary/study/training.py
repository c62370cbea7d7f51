"""The contrastive repair of a table: pairs from a file, from variants or from neighbours, and the same proof as others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.answer import Answer
from armillary.repairs import Contrastive, Training, groups_of, neighbour_pairs, read_pairs, repaired_table, train
from armillary.repairs import variant_pairs as variants
from armillary.sphere import Code, cloud
from armillary.study.evidence import similarity_differences
from armillary.study.repairing import Repaired, _written, changes_between, held_in_memory

if TYPE_CHECKING:
    from armillary.study.study import Study


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
        return "\n".join([str(self.trained), log, "", str(self.repaired)])

    def to_dict(self) -> dict[str, Any]:
        return {"training": self.trained.to_dict(), **self.repaired.to_dict()}


def contrastive_repair_of(
    study: Study,
    pairs: str = "variants",
    *,
    hidden: int = 0,
    seed: int = 0,
    output: Path | None = None,
    proof: bool = True,
) -> ContrastiveRepair:
    """Train on `pairs` (variants, neighbours, or a file of two words a line), write, and measure before and after."""
    notes: list[str] = []
    if pairs == "variants":
        ids = variants(study.table)
    elif pairs == "neighbours":
        ids = neighbour_pairs(study.scan())
    else:
        ids, lost = read_pairs(pairs, study.table)
        notes.append(f"{len(ids):,} pairs read, {lost:,} left out: their words are no single rows of this table.")
    kept = ids[[bool(x) for x in _in_code(study.code, ids)]]
    left, right = (study.table.rows(kept[:, side]) for side in (0, 1))
    training = Training(hidden=hidden, seed=seed)
    trained = train(left, right, cloud(study.code).mean, groups=groups_of(kept), training=training)
    after = repaired_table(study.table, trained.repair)
    if output is not None:
        after, written = _written(after, trained.repair, output)
        notes.append(f"Written: {', '.join(str(path) for path in written)}.")
    changes, scores = (), ()
    if proof:
        after = after if output is not None else held_in_memory(after)
        changes = changes_between(study.code, Code.of(after, study.without))
        scores = tuple(similarity_differences(study.table, after))
    return ContrastiveRepair(trained, Repaired(trained.repair, after, changes, scores, tuple(notes)))


def _in_code(code: Code, ids: Any) -> Any:
    import numpy as np

    return np.isin(ids, code.ids).all(axis=1)
