"""A measure: a number that says what it is, how sure it is, and what it would be by chance.

A `Definition` is written once, beside the function that computes it; the documentation's page of measures and the
report's "how this is computed" are both made from these, so neither can drift from the code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Certainty = Literal["exact", "bound", "estimate"]


@dataclass(frozen=True)
class Definition:
    """What a measure is, independent of any table.

    `name` is its key in JSON (snake_case), `title` how people call it, `formula` in plain Unicode, `meaning` one
    or two sentences that a newcomer understands, `source` author and year, `space` which rows it sees (raw,
    normalised, centred …), `unit` empty for pure numbers, `share` for one that
    is written as a percentage, `low` and `high` the range it can take.
    """

    name: str
    title: str
    formula: str
    meaning: str
    source: str
    space: str
    unit: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Null:
    """What a measure would be by chance or at best.

    `value` with its `error` (None where it is a formula); `how` says in a few words how it was found.
    """

    value: float
    how: str
    error: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return {"value": self.value, "error": self.error, "how": self.how}


@dataclass(frozen=True)
class Nulls:
    """The three nulls of a measure; None where one has no meaning for it.

    `bound`: the best any code of this size can do. `random`: a random code of this size. `matched`: a random code
    with this table's mean and covariance.
    """

    bound: Null | None = None
    random: Null | None = None
    matched: Null | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            name: null.to_dict() if null else None
            for name, null in (("bound", self.bound), ("random", self.random), ("matched", self.matched))
        }


@dataclass(frozen=True)
class Measure:
    """A measured value with its definition, certainty, count and nulls.

    `n`: how many rows (or pairs, when the definition says so) it is over. `detail`: what belongs to the value and
    is no number of its own: the pair of a coherence, the quantiles of a norm.
    """

    definition: Definition
    value: float
    n: int
    kind: Certainty = "exact"
    error: float | None = None
    nulls: Nulls = field(default_factory=Nulls)
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.definition.name

    def __repr__(self) -> str:
        unit = f" {self.definition.unit}" if self.definition.unit not in ("", "share") else ""
        error = f" ± {self.error:.2g}" if self.error is not None else ""
        return f"{self.definition.title}: {self.value:.6g}{error}{unit} ({self.kind}, n = {self.n:,})"

    def to_dict(self) -> dict[str, Any]:
        """The JSON form of the design: name, value, unit, kind, error, n, nulls, definition, source, detail."""
        d = self.definition
        return {
            "name": d.name,
            "title": d.title,
            "value": self.value,
            "unit": d.unit,
            "kind": self.kind,
            "error": self.error,
            "n": self.n,
            "nulls": self.nulls.to_dict(),
            "definition": f"{d.formula} — {d.meaning}",
            "space": d.space,
            "source": d.source,
            "detail": dict(self.detail),
        }
