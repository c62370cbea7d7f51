"""A repair with its proof: every isotropy measure, hubs and scores before and after, and what got worse.

Hubs are counted on a subsample of the same rows before and after; everything else is over all rows kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float64

from armillary import geometry
from armillary.answer import Answer, aligned, number
from armillary.errors import ArmillaryError, UsageError
from armillary.measure import Measure
from armillary.repairs import METHODS, Repair, fit, repaired_table
from armillary.sphere import Code
from armillary.study.evidence import Difference, similarity_differences
from armillary.table import ArrayRows, Table

if TYPE_CHECKING:
    from armillary.study.study import Progress, Study

HUB_ROWS, SEED = 10_000, 0
# which way is better: up, down, or towards 0
BETTER: Mapping[str, str] = {
    "mean_cosine": "zero",
    "mean_square_cosine": "down",
    "participation_ratio": "up",
    "effective_rank": "up",
    "stable_rank": "up",
    "cone_half_angle": "up",
    "rogue_dimensions": "down",
    "partition_isotropy": "up",
    "uniformity": "down",
    "hubness_skewness": "down",
    "antihub_share": "down",
    "largest_hub": "down",
    "weighted_mean_cosine": "zero",
    "weighted_participation_ratio": "up",
}


@dataclass(frozen=True)
class Change:
    """A measure before and after; None where it is not defined. `verdict` is empty where neither way is better."""

    name: str
    title: str
    before: float | None
    after: float | None
    kind: str

    @property
    def verdict(self) -> str:
        way = BETTER.get(self.name)
        if way is None or self.before is None or self.after is None:
            return ""
        a, b = (abs(self.before), abs(self.after)) if way == "zero" else (self.before, self.after)
        gain = (b - a) if way == "up" else (a - b)
        if abs(gain) <= 1e-3 * max(abs(a), abs(b)):
            return "the same"
        return "better" if gain > 0 else "worse"


@dataclass(frozen=True, repr=False)
class Repaired(Answer):
    """A repair, the repaired table, and what changed."""

    repair: Repair
    table: Table
    changes: tuple[Change, ...]
    scores: tuple[Difference, ...]
    notes: tuple[str, ...] = ()

    @property
    def worse(self) -> tuple[str, ...]:
        """What got worse, by name."""
        return tuple(x.name for x in (*self.changes, *self.scores) if x.verdict == "worse")

    def __str__(self) -> str:
        facts = ", ".join(f"{name} {value}" for name, value in self.repair.parameters.items())
        known = METHODS.get(self.repair.method)
        lines = [self.repair.method + (f": {known.formula}" if known else ""), f"  {facts}"]
        if self.changes:
            rows = [[c.title, number(c.before), number(c.after), _marked(c.verdict)] for c in self.changes]
            lines += ["", aligned(rows, ["left", "right", "right", "left"], ["measure", "before", "after", ""])]
        if self.scores:
            lines += ["", scores_text(self.scores)]
        if self.changes or self.scores:
            lines += ["", f"Worse than before: {', '.join(self.worse)}." if self.worse else "Nothing got worse."]
        return "\n".join([*lines, *self.notes])

    def to_dict(self) -> dict[str, Any]:
        return {
            "repair": self.repair.to_dict(),
            "changes": [{**c.__dict__, "verdict": c.verdict} for c in self.changes],
            "scores": [s.to_dict() for s in self.scores],
            "worse": list(self.worse),
            "notes": list(self.notes),
        }


def repair_of(
    study: Study,
    method: str,
    *,
    proof: bool = True,
    output: Path | None = None,
    frequencies: Float64[np.ndarray, "V"] | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> Repaired:
    """Fit, write (table and `NAME.repair.safetensors`) if there is an `output`, and measure before and after."""
    code, notes = study.code, []
    weights = None
    if method in METHODS and METHODS[method].weighted:
        weights, source = token_frequencies(study, frequencies)
        notes.append(f"Frequencies: {source}.")
    repair = fit(code, method, frequencies=weights, progress=progress, **parameters)
    after = repaired_table(study.table, repair)
    if output is not None:
        after, written = _written(after, repair, output)
        notes.append(f"Written: {', '.join(str(path) for path in written)}.")
    if not proof:
        return Repaired(repair, after, (), (), tuple(notes))
    after = after if output is not None else held_in_memory(after)
    changes = changes_between(code, Code.of(after, study.without))
    scores = tuple(similarity_differences(study.table, after))
    if not scores:
        notes.append("No evaluation set is half covered by this table, or none is here: armillary fetch evaluation.")
    return Repaired(repair, after, changes, scores, tuple(notes))


def token_frequencies(study: Study, given: np.ndarray | None = None) -> tuple[np.ndarray, str]:
    """(frequencies of the rows kept, source): those given, else word lists, else the tokenizer's scores."""
    from armillary.words.frequencies import frequencies, score_frequencies

    if given is not None:
        if len(given) != len(study.table):
            raise UsageError(f"expected {len(study.table):,} frequencies, one a row, found {len(given):,}")
        return np.asarray(given, np.float64)[study.code.ids], "given"
    try:
        found = frequencies(study.table.vocabulary)
    except ArmillaryError:
        found = score_frequencies(study.table.vocabulary)
    return found.values[study.code.ids], f"{found.source}, {found.known:,} tokens"


def changes_between(before: Code, after: Code) -> tuple[Change, ...]:
    """Every isotropy measure and the hubs of two codes of the same rows."""
    one, other = (_measured(code) for code in (before, after))
    names = [*one, *(name for name in other if name not in one)]
    return tuple(_change(name, one.get(name), other.get(name)) for name in names)


def scores_text(scores: Sequence[Difference]) -> str:
    """Scores as a table."""
    rows = [
        [
            s.name,
            f"{s.n:,}",
            number(s.before),
            number(s.after),
            f"[{number(s.low)}, {number(s.high)}]",
            _marked(s.verdict),
        ]
        for s in scores
    ]
    header = [scores[0].what, "items", "before", "after", "difference, 95 %", ""]
    return aligned(rows, ["left", "right", "right", "right", "right", "left"], header)


def held_in_memory(table: Table, progress: Progress | None = None) -> Table:
    """The same table with its rows computed once; `progress` is called with (rows done, rows)."""
    rows = np.empty(table.shape, np.float32)
    for start, block in table.blocks():
        rows[start : start + len(block)] = block
        if progress:
            progress(start + len(block), len(rows))
    return replace(table, vectors=ArrayRows(rows))


def _measured(code: Code) -> dict[str, Measure]:
    first = geometry.first_pass(code)
    measures = [*geometry.isotropy_measures(first), *geometry.cloud_measures(code, first, null=False), *_hubs(code)]
    return {measure.name: measure for measure in measures}


def _hubs(code: Code) -> list[Measure]:
    from armillary.geometry.hubness import hubness
    from armillary.scan import scan

    n = len(code)
    if n > HUB_ROWS:
        at = np.sort(np.random.default_rng(SEED).choice(n, HUB_ROWS, replace=False))
        code = Code.of(Table.from_array(code.take(at)))
    found = hubness(code, scan(code, code.ids, k=10, histogram="none"))
    return found if n <= HUB_ROWS else [replace(measure, kind="estimate") for measure in found]


def _change(name: str, before: Measure | None, after: Measure | None) -> Change:
    one = before or after
    assert one is not None
    values = [None if m is None else m.value for m in (before, after)]
    return Change(name, one.definition.title, values[0], values[1], one.kind)


def _written(table: Table, repair: Repair, output: Path) -> tuple[Table, list[Path]]:
    from armillary.formats import open_table, write_safetensors
    from armillary.repairs import save_repair

    if output.suffix != ".safetensors":
        raise UsageError(f"expected a file that ends in .safetensors, found {output.name}", "name it so")
    paths = [*write_safetensors(table, output), save_repair(repair, output.with_suffix(".repair.safetensors"))]
    return replace(open_table(output), vocabulary=table.vocabulary), paths


def _marked(verdict: str) -> str:
    return "WORSE" if verdict == "worse" else verdict
