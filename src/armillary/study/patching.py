"""A plan carried out: the table alone, or a whole model in a new folder, each with a record of every change."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.answer import Answer
from armillary.errors import UsageError
from armillary.repairs.plan import Plan
from armillary.repairs.replaced import changed_table, check_belongs, made_rows
from armillary.storage import atomic_path, check_places
from armillary.study.proposals import Proposal
from armillary.table import RowDecoder, Table

if TYPE_CHECKING:
    from armillary.study.study import Study

RECORD = "armillary-changes.json"


@dataclass(frozen=True, repr=False)
class Applied(Answer):
    """What was written: `paths`, the record beside or inside them, and what a reader must know."""

    proposal: Proposal
    paths: tuple[Path, ...]
    record: Path
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.proposal.to_dict(),
            "written": [str(path) for path in self.paths],
            "record": str(self.record),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        written = [f"written: {path}" for path in self.paths]
        return "\n".join([str(self.proposal), "", *written, f"record of each change: {self.record}", *self.notes])


def apply_plan(study: Study, plan: Plan, output: str | Path) -> Applied:
    """Write what a plan makes: a whole folder, or with `.safetensors` the table alone with its tokens.

    The original stays. UsageError for a plan of another table, an output that is there already as a folder, or is the
    source; WorkError if the disk fails.
    """
    from armillary.formats import write_safetensors
    from armillary.study.files import check_spared

    target = Path(output)
    plan.check()
    check_belongs(study.table, plan)
    proposal = Proposal(study, plan)
    if target.suffix == ".safetensors":
        record = target.with_name(f"{target.stem}.changes.json")
        check_places(target, record)
        check_spared(target, study)
        changed = changed_table(study.table, plan)
        paths = write_safetensors(changed, target)
        norms = {study.provenance.tensor or "rows": _norms(study.table, plan)}
        with atomic_path(record) as temporary:
            temporary.write_text(_record(plan, norms), "utf-8")
        alone = "The model's other table is not among it: name a folder to write both."
        return Applied(proposal, paths, record, (alone,) if study.provenance.tied is False else ())
    return _whole_model(study, plan, target, proposal)


def _whole_model(study: Study, plan: Plan, target: Path, proposal: Proposal) -> Applied:
    from armillary.formats.rewriting import stored_tables, write_model

    if study.path is None or not study.path.is_dir():
        raise UsageError(
            f"expected a Hugging Face folder to write a whole model, found {study.provenance.source}",
            "name an output that ends in .safetensors: the table alone",
        )
    tables = stored_tables(study.path)
    seen = {t.entry.name: _as_table(t.rows, study.table) for t in tables}
    new = {
        t.entry.name: _made_bias(plan, seen[t.entry.name]) if t.role == "bias" else made_rows(plan, seen[t.entry.name])
        for t in tables
    }
    added = {change.id: change.token for change in plan.changes if change.do == "add"}
    norms = {name: _norms(table, plan, new[name]) for name, table in seen.items()}
    written = write_model(
        study.path, target, new, plan.rows_after, added, record=(RECORD, lambda files: _record(plan, norms, files))
    )
    return Applied(proposal, (target,), target / RECORD, written.notes)


def _as_table(rows: RowDecoder, like: Table) -> Table:
    """Another tensor of the model under the same tokens."""
    return replace(like, vectors=rows)


def _made_bias(plan: Plan, table: Table) -> dict[int, np.ndarray]:
    """Biases of the new rows: the mean of what the row is made of, the mean of all where it is drawn."""
    every = float(table.vectors.block(0, len(table)).astype(np.float64).mean())
    found: dict[int, np.ndarray] = {}
    for change in plan.changes:
        if change.way is not None:
            value = table.rows(list(change.of)).astype(np.float64).mean() if change.of else every
            found[change.id] = np.array([value], np.float32)
    return found


def _norms(table: Table, plan: Plan, new: Mapping[int, np.ndarray] | None = None) -> dict[int, dict[str, float | None]]:
    """Norm of each changed row before and after, by id; None where there is no such row."""
    rows = made_rows(plan, table) if new is None else new
    found: dict[int, dict[str, float | None]] = {}
    for change in plan.changes:
        before = float(np.linalg.norm(table.row(change.id).astype(np.float64))) if change.id < len(table) else None
        after = rows.get(change.id)
        found[change.id] = {
            "norm_before": before if before is None or np.isfinite(before) else None,
            "norm_after": None if after is None else float(np.linalg.norm(after.astype(np.float64))),
        }
    return found


def _record(plan: Plan, norms: Mapping[str, Any], files: Sequence[str] = ()) -> str:
    """The plan as it was applied, with what each row's norm was and is, by tensor; as JSON."""
    from armillary import __version__

    changes = [
        {**change.to_dict(), "tensors": {name: values[change.id] for name, values in norms.items()}}
        for change in plan.changes
    ]
    record = {"armillary": __version__, **plan.to_dict(), "files_changed": list(files), "changes": changes}
    return json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
