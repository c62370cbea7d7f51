"""All repairs side by side: what each does to the cosines, the dimensions, the hubs and the scores, and their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary import geometry
from armillary.answer import Answer, aligned, cosine, number
from armillary.errors import ArmillaryError
from armillary.repairs import METHODS, Filters, Repair, filters, fit_cloud, held_in_memory, repaired_table
from armillary.shapes import Float64
from armillary.sphere import Cloud, Code, cloud
from armillary.study.changes import hub_measures
from armillary.study.evidence import Difference, Scored, answers_of, difference, evidence_sets, scores_of
from armillary.study.pair_cosines import Histogram, pair_histogram
from armillary.study.repairing import token_frequencies

if TYPE_CHECKING:
    from armillary.report import Report
    from armillary.study.study import Progress, Study

NONE = "none"
SHOWN: dict[str, str] = {
    "mean_cosine": "mean cosine",
    "participation_ratio": "participation ratio",
    "hubness_skewness": "hubness, skewness",
    "antihub_share": "share of antihubs",
}
RIVALS = ("zipf-whiten", "whiten", "all-but-the-top")  # whose order is told with the intervals of their differences


@dataclass(frozen=True)
class Row:
    """One repair (or none): its measures by name, its scores against no repair, and the cosines of random pairs."""

    name: str
    measures: Mapping[str, float]
    scores: tuple[Difference, ...]
    histogram: Histogram = field(repr=False)


@dataclass(frozen=True)
class Order:
    """Repairs by their score on one set, the best first; `steps`: from each to the next, with the interval."""

    name: str
    names: tuple[str, ...]
    steps: tuple[Difference, ...]

    def __str__(self) -> str:
        """`a > b ≈ c`: > where the interval of the difference leaves out 0."""
        signs = [" > " if step.low > 0 else " ≈ " for step in self.steps]
        return "".join(part for pair in zip(self.names, [*signs, ""], strict=True) for part in pair)

    def to_dict(self) -> dict[str, Any]:
        return {"set": self.name, "order": list(self.names), "steps": [step.to_dict() for step in self.steps]}


@dataclass(frozen=True, repr=False)
class RepairComparison(Answer):
    """`rows`: no repair first; `orders` of the rivals by set; `filters`: the gain of each on the principal components."""

    rows: tuple[Row, ...]
    orders: tuple[Order, ...]
    filters: Filters
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Measures and sets as rows, repairs as columns."""
        sets = self.rows[0].scores
        rows = [[title, *_measured(self.rows, name)] for name, title in SHOWN.items()]
        rows += [[score.name, *(_score(row.scores[i]) for row in self.rows)] for i, score in enumerate(sets)]
        header = ["", *(row.name for row in self.rows)]
        text = aligned(rows, ["left", *("right" for _ in self.rows)], header)
        tail = (
            "Scores are Spearman's correlation, of Google the share of first places; + and − mark a 95 % interval of the "
            "difference to no repair that leaves out 0."
        )
        none = "No evaluation set is covered, or none is here: armillary fetch evaluation."
        return "\n".join([text, "", tail if sets else none, *_orders_text(self.orders), *self.notes])

    def report(self, study: Study) -> Report:
        """The same as a report with its figures, of the study it was made from."""
        from armillary.study.proof_report import comparison_report

        return comparison_report(study, self)

    def to_dict(self) -> dict[str, Any]:
        rows = [
            {
                "repair": r.name,
                "measures": dict(r.measures),
                "scores": [s.to_dict() for s in r.scores],
                "cosines": r.histogram.to_dict(),
            }
            for r in self.rows
        ]
        orders = [order.to_dict() for order in self.orders]
        return {"rows": rows, "orders": orders, "filters": self.filters.to_dict(), "notes": list(self.notes)}


def comparison_of_repairs(
    study: Study, frequencies: Float64[np.ndarray, "V"] | None = None, progress: Progress | None = None
) -> RepairComparison:
    """Every method with its defaults; the Zipf ones where token frequencies are known. Tables are held one at a time."""
    plain, weighted, notes = _clouds(study, frequencies)
    repairs = _fitted(plain, weighted, notes)
    sets = evidence_sets()
    answers, measures, histograms = {}, {}, {}
    for done, (name, repair) in enumerate([(NONE, None), *((r.method, r) for r in repairs)]):
        if progress:
            progress(done, len(repairs) + 1)
        table = study.table if repair is None else held_in_memory(repaired_table(study.table, repair))
        code = study.code if repair is None else Code.of(table, study.without)
        answers[name], measures[name] = answers_of(table, sets), _measures(code)
        histograms[name] = pair_histogram(study.code, repair)
    scores = scores_of(answers, sets)
    rows = [
        Row(name, measures[name], tuple(map(difference, scores[NONE], scores[name])), histograms[name])
        for name in answers
    ]
    return RepairComparison(tuple(rows), _orders(scores), filters(plain, repairs), tuple(notes))


def _clouds(study: Study, frequencies: np.ndarray | None) -> tuple[Cloud, Cloud | None, list[str]]:
    """(cloud, cloud under token frequencies or None, what to say of them)."""
    plain = cloud(study.code)
    try:
        weights, source = token_frequencies(study, frequencies)
    except ArmillaryError as error:
        return plain, None, [f"The Zipf repairs are left out: {error.message}."]
    return plain, cloud(study.code, weights), [f"Frequencies: {source}."]


def _fitted(plain: Cloud, weighted: Cloud | None, notes: list[str]) -> list[Repair]:
    """Every method that this cloud allows; what it does not is said."""
    repairs: list[Repair] = []
    for method in METHODS.values():
        chosen = weighted if method.weighted else plain
        if chosen is None:
            continue
        try:
            repairs.append(fit_cloud(chosen, method.name))
        except ArmillaryError as error:
            notes.append(f"{method.name} is left out: {error.message}.")
    return repairs


def _orders(scores: Mapping[str, Sequence[Scored]]) -> tuple[Order, ...]:
    rivals = [name for name in RIVALS if name in scores]
    found = []
    for own in zip(*(scores[name] for name in rivals), strict=True):
        ranked = sorted(zip(rivals, own, strict=True), key=lambda rival: -rival[1].value)
        steps = tuple(difference(lower, upper) for (_, upper), (_, lower) in pairwise(ranked))
        found.append(Order(own[0].name, tuple(name for name, _ in ranked), steps))
    return tuple(found)


def _orders_text(orders: Sequence[Order]) -> list[str]:
    if not orders:
        return []
    rows = [
        [
            o.name,
            str(o),
            *(f"{s.after - s.before:+.3f} [{s.low:+.3f}, {s.high:+.3f}]".replace("-", "−") for s in o.steps),
        ]
        for o in orders
    ]
    header = ["set", "order", "first over second", "second over third"][: len(rows[0])]
    return [
        "",
        "The order of three of them on each set, with the difference of each step and its 95 % interval; ≈ where that holds 0:",
        "",
        aligned(rows, ["left", "left", *("right" for _ in header[2:])], header, widest=60),
        "",
    ]


def _measures(code: Code) -> dict[str, float]:
    measures = [*geometry.isotropy_measures(geometry.first_pass(code)), *hub_measures(code)]
    return {m.name: m.value for m in measures if m.name in SHOWN}


def _measured(rows: Sequence[Row], name: str) -> list[str]:
    write = cosine if name == "mean_cosine" else number
    return [write(row.measures.get(name)) for row in rows]


def _score(score: Difference) -> str:
    sign = {"better": "+", "worse": "−", "no difference shown": " "}
    return f"{number(score.after)}{sign[score.verdict]}"
