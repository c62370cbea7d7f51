"""A repair with its proof: every isotropy measure, hubs and scores before and after, and what got worse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.answer import Answer, aligned, number
from armillary.errors import ArmillaryError, UsageError
from armillary.repairs import METHODS, Repair, fit, held_in_memory, repaired_table
from armillary.shapes import Float64
from armillary.sphere import Code
from armillary.storage import check_places, output_path
from armillary.study.changes import Change, changes_between
from armillary.study.evidence import Difference, differences
from armillary.study.files import check_spared
from armillary.study.stages import Progress, Stages
from armillary.table import Table

if TYPE_CHECKING:
    from armillary.report import Report
    from armillary.study.study import Study


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

    def report(self, study: Study) -> Report:
        """The same as a report with its figures, of the study it was made from."""
        from armillary.study.proof_report import repair_report

        return repair_report(study, self)

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
    """Fit, write (table and `NAME.repair.safetensors`) if there is an `output`, and measure before and after.

    `frequencies` (V, one a row, NaN unknown) are for the Zipf repairs; None takes them from word lists, or from the
    tokenizer's scores, and UsageError where neither knows the tokens. `progress`: of the whole, in steps of no unit.
    """
    check_output(study, output)
    weights, notes = None, []
    if method in METHODS and METHODS[method].weighted:
        weights, source = token_frequencies(study, frequencies)
        notes.append(f"Frequencies: {source}.")
    stages = Stages(progress, 1, 9)
    repair = fit(study.code, method, frequencies=weights, progress=stages.next(), **parameters)
    return proved(study, repair, proof=proof, output=output, notes=notes, progress=stages.next())


def proved(
    study: Study,
    repair: Repair,
    *,
    proof: bool = True,
    output: Path | None = None,
    notes: Sequence[str] = (),
    progress: Progress | None = None,
) -> Repaired:
    """A fitted repair applied to a study's table: written to `output`, and measured before and after where `proof`."""
    after, told = repaired_table(study.table, repair), list(notes)
    if output is not None:
        after, written = _written(after, repair, output)
        told.append(f"Written: {', '.join(str(path) for path in written)}.")
    if not proof:
        return Repaired(repair, after, (), (), tuple(told))
    stages = Stages(progress, 1, 6, 4)
    hold = stages.next()
    after = after if output is not None else held_in_memory(after, hold)
    changes = changes_between(study.code, _repaired_code(after, repair, study), stages.next())
    scores = tuple(differences(study.table, after, progress=stages.next()))
    if not scores:
        told.append("No evaluation set is half covered by this table, or none is here: armillary fetch evaluation.")
    return Repaired(repair, after, changes, scores, tuple(told))


def _repaired_code(after: Table, repair: Repair, study: Study) -> Code:
    facts = after.row_facts
    if len(facts.zero) + len(facts.non_finite) == len(after):
        raise UsageError(
            f"expected rows that keep a direction after {repair.method}, found none: what it takes away is all they have",
            "a table of equal rows, or of one, cannot be repaired so",
        )
    return Code.of(after, study.without)


def token_frequencies(
    study: Study, given: Float64[np.ndarray, "V"] | None = None
) -> tuple[Float64[np.ndarray, "n"], str]:
    """(frequencies of the rows kept, source): those given, else word lists, else the tokenizer's scores.

    UsageError, with what each source lacked, where none of them knows two rows.
    """
    from armillary.words.frequencies import frequencies, score_frequencies

    if given is not None:
        if len(given) != len(study.table):
            raise UsageError(f"expected {len(study.table):,} frequencies, one a row, found {len(given):,}")
        return np.asarray(given, np.float64)[study.code.ids], "given"
    lacking: list[str] = []
    for name, source in (("word lists", frequencies), ("the tokenizer's scores", score_frequencies)):
        try:
            found = source(study.table.vocabulary)
        except ArmillaryError as error:
            lacking.append(f"{name}: {error.message}")
            continue
        values = found.values[study.code.ids]
        if (values > 0).sum() > 1:
            return values, f"{found.source}, {found.known:,} tokens"
        lacking.append(f"{name} know no token of this table")
    raise UsageError(
        f"expected token frequencies for a Zipf repair, found none ({'; '.join(lacking)})",
        "give a text in this vocabulary with --corpus FILE, or choose the same repair without zipf-",
    )


def scores_text(scores: Sequence[Difference]) -> str:
    """Scores as a table."""
    rows = [
        [
            s.name,
            s.what,
            f"{s.n:,}",
            number(s.before),
            number(s.after),
            f"[{number(s.low)}, {number(s.high)}]",
            _marked(s.verdict),
        ]
        for s in scores
    ]
    header = ["set", "score", "items", "before", "after", "difference, 95 %", ""]
    return aligned(rows, ["left", "left", "right", "right", "right", "right", "left"], header)


def check_output(study: Study, output: Path | None) -> None:
    """UsageError, before any work, if a repaired table cannot be written there or would replace what is read."""
    if output is not None:
        from armillary.formats.sidecar import sidecar_to_write

        output_path(output, (".safetensors",), "a file that ends in .safetensors")
        check_spared(output, study)
        sidecar_to_write(output, study.table.vocabulary)
        check_places(record_of(output))


def record_of(output: Path) -> Path:
    """Where the map of a repaired table is written."""
    return output.with_suffix(".repair.safetensors")


def _written(table: Table, repair: Repair, output: Path) -> tuple[Table, list[Path]]:
    from armillary.formats import open_table, write_safetensors
    from armillary.repairs import save_repair

    paths = [*write_safetensors(table, output), save_repair(repair, record_of(output))]
    return replace(open_table(output), vocabulary=table.vocabulary), paths


def _marked(verdict: str) -> str:
    return "WORSE" if verdict == "worse" else verdict
