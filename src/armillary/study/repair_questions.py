"""What a study answers about repairs: one of them with its proof, all side by side, and cuts of the dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from armillary.study.documents import RepairedDocuments
    from armillary.study.repairing import Repaired
    from armillary.study.side_by_side import RepairComparison
    from armillary.study.study import Study
    from armillary.study.truncation import Truncation


def repair_methods() -> list[dict[str, Any]]:
    """Every repair by name: formula, source, whether it needs token frequencies, and the space it leads to, if any."""
    from armillary.repairs import METHODS
    from armillary.study.spaces import SPACES

    leads = {method: space for space, method in SPACES.items()}
    return [
        {"name": m.name, "formula": m.formula, "source": m.source, "weighted": m.weighted, "space": leads.get(m.name)}
        for m in METHODS.values()
    ]


class RepairQuestions:
    """The questions about repairs; a base of `Study`, apart from it so that each file has one idea."""

    def repair(self, method: str = "all-but-the-top", *, output: Path | None = None, **parameters: Any) -> Repaired:
        """The table repaired, with every isotropy measure, hubs and scores before and after; written to `output`.

        Methods and their parameters: `armillary.repairs.METHODS` and `fit`. UsageError for an unknown one.
        """
        from armillary.study.repairing import repair_of

        return repair_of(cast("Study", self), method, output=output, **parameters)

    def compare_repairs(self) -> RepairComparison:
        """All repairs with their defaults, side by side."""
        from armillary.study.side_by_side import comparison_of_repairs

        return comparison_of_repairs(cast("Study", self))

    def repair_task(
        self, task: str = "dictionary-en", method: str = "centre", *, layer: int | None = None, **parameters: Any
    ) -> RepairedDocuments:
        """The sentence vectors that this model makes of a built-in task, repaired, with what queries find before and after.

        Tasks: dictionary-en (WordNet's definitions ask for their headwords), help-en, help-zh, help-zh-en. `layer`: by
        default the last of an encoder, the middle of a causal model. Needs the extra lens.
        """
        from armillary.study.tasks import repair_task

        return repair_task(cast("Study", self), task, method, layer=layer, **parameters)

    def dims(self, sizes: Sequence[int] = ()) -> Truncation:
        """What is lost when only the first components or coordinates are kept, or numbers are made coarse."""
        from armillary.study.truncation import truncation_of

        return truncation_of(cast("Study", self), sizes)
