"""Whose side a table takes: the input's or the output's of an untied model with the same tokens.

Tying makes one table serve both ends. Beside a model of the same vocabulary that has two, it can be seen which of the
ends had its way (Press & Wolf 2017; Lopardo 2026). Only measures that no rotation changes can tell, since two trainings
share no axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from armillary.answer import Answer, aligned, number
from armillary.errors import UsageError
from armillary.geometry.two_tables import TableComparison, compare_tables

if TYPE_CHECKING:
    from armillary.study.study import Study

TELLING = ("cosine_procrustes", "linear_cka", "neighbor_overlap")


@dataclass(frozen=True, repr=False)
class Sides(Answer):
    """A table beside both tables of an untied model."""

    table: Study
    untied: Study
    to_input: TableComparison
    to_output: TableComparison

    @property
    def values(self) -> dict[str, tuple[float, float]]:
        """(to the input, to the output) by measure."""
        found: dict[str, tuple[float, float]] = {}
        for name in TELLING:
            first, second = self.to_input.measure(name), self.to_output.measure(name)
            if first is not None and second is not None:
                found[name] = first.value, second.value
        return found

    @property
    def side(self) -> str | None:
        """`input` or `output` where every measure says so; None where they disagree."""
        sides = {"input" if a > b else "output" for a, b in self.values.values() if a != b}
        return sides.pop() if len(sides) == 1 else None

    @property
    def verdict(self) -> str:
        """The finding in one line."""
        name, other = self.table.provenance.source, self.untied.provenance.source
        if self.side is None:
            return f"The measures do not agree on whether {name} resembles the input or the output table of {other}."
        return f"{name} resembles the {self.side} table of {other} more, by every measure."

    def to_dict(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "side": self.side,
            "joined": len(self.to_input.join),
            "to_input": [measure.to_dict() for measure in self.to_input.measures],
            "to_output": [measure.to_dict() for measure in self.to_output.measures],
        }

    def __str__(self) -> str:
        rows = []
        for name, (first, second) in self.values.items():
            measure = self.to_output.measure(name)
            assert measure is not None
            chance = measure.nulls.random
            rows.append(
                [measure.definition.title, number(first), number(second), number(chance.value) if chance else ""]
            )
        head = ["", "to the input", "to the output", "by chance"]
        return "\n".join([self.verdict, "", aligned(rows, ["left", "right", "right", "right"], head)])


def sides_of(table: Study, untied: Study, k: int = 10) -> Sides:
    """Which table of an untied model another one resembles; UsageError where that model has one table only."""
    output = untied.output()
    if output is None:
        raise UsageError(
            f"expected an untied model with an input and an output table, found one table in {untied.provenance.source}",
            "armillary compare TABLE UNTIED --sides",
        )
    for study in (table, untied, output):
        _ = study.facts  # from the cache where it is there
    first, second = (compare_tables(table.table, other.table, k) for other in (untied, output))
    return Sides(table, untied, first, second)
