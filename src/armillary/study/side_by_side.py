"""All repairs side by side: what each does to the cosines, the dimensions, the hubs and the scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from armillary.answer import Answer, aligned, cosine, number
from armillary.answer.columns import Align
from armillary.errors import ArmillaryError
from armillary.repairs import METHODS, Filters, Repair, filters
from armillary.sphere import Code, cloud
from armillary.study.evidence import Difference, similarity_differences
from armillary.study.repairing import held_in_memory, token_frequencies

if TYPE_CHECKING:
    from armillary.study.study import Progress, Study

SHOWN = ("mean_cosine", "participation_ratio", "hubness_skewness", "antihub_share")


@dataclass(frozen=True)
class Row:
    """One repair (or none): its measures by name, and its scores against no repair."""

    name: str
    measures: Mapping[str, float]
    scores: tuple[Difference, ...]


@dataclass(frozen=True, repr=False)
class RepairComparison(Answer):
    """`rows`: no repair first; `filters`: the gain of each on the principal components; `notes`: what was left out."""

    rows: tuple[Row, ...]
    filters: Filters
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        names = [score.name for score in self.rows[-1].scores]
        header = ["repair", "mean cosine", "participation", "hub skew", "antihubs", *names]
        rows = [[row.name, cosine(row.measures.get("mean_cosine")), *_numbers(row), *_scores(row)] for row in self.rows]
        text = aligned(rows, _columns(len(header)), header)
        tail = "Scores are Spearman; + and − mark a 95 % interval of the difference to no repair that leaves out 0."
        return "\n".join(
            [text, "", tail if names else "No evaluation set is here: armillary fetch evaluation.", *self.notes]
        )

    def to_dict(self) -> dict[str, Any]:
        rows = [
            {"repair": r.name, "measures": dict(r.measures), "scores": [s.to_dict() for s in r.scores]}
            for r in self.rows
        ]
        return {"rows": rows, "filters": self.filters.to_dict(), "notes": list(self.notes)}


def comparison_of_repairs(study: Study, progress: Progress | None = None) -> RepairComparison:
    """Every method with its defaults; the Zipf ones where token frequencies are known."""
    from armillary.repairs import fit_cloud, repaired_table

    plain, notes = cloud(study.code), []
    try:
        weights, source = token_frequencies(study)
        weighted = cloud(study.code, weights)
        notes.append(f"Frequencies: {source}.")
    except ArmillaryError as error:
        weighted = None
        notes.append(f"The Zipf repairs are left out: {error.message}.")
    rows: list[Row] = [Row("none", _measures(study.code), tuple(similarity_differences(study.table, study.table)))]
    repairs: list[Repair] = []
    for done, method in enumerate(METHODS.values()):
        if progress:
            progress(done, len(METHODS))
        chosen = weighted if method.weighted else plain
        if chosen is None:
            continue
        repair = fit_cloud(chosen, method.name)
        after = held_in_memory(repaired_table(study.table, repair))
        scores = tuple(similarity_differences(study.table, after))
        rows.append(Row(method.name, _measures(Code.of(after, study.without)), scores))
        repairs.append(repair)
    return RepairComparison(tuple(rows), filters(plain, repairs), tuple(notes))


def _measures(code: Code) -> dict[str, float]:
    from armillary import geometry
    from armillary.study.repairing import _hubs

    measures = [*geometry.isotropy_measures(geometry.first_pass(code)), *_hubs(code)]
    return {m.name: m.value for m in measures if m.name in SHOWN}


def _columns(count: int) -> list[Align]:
    """The name of a repair on the left, numbers on the right."""
    return ["left", *("right" for _ in range(count - 1))]


def _numbers(row: Row) -> list[str]:
    return [number(row.measures.get(name)) for name in SHOWN[1:]]


def _scores(row: Row) -> list[str]:
    sign = {"better": "+", "worse": "−", "no difference shown": " "}
    return [f"{number(score.after)}{sign[score.verdict]}" for score in row.scores]
