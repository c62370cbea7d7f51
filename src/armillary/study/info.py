"""What the header of a file says: read without its rows, so that it answers at once."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np

from armillary.answer import Answer, aligned, count, number, percent
from armillary.table import Kind, LoadReport, Provenance, Table

WIDEST = 100  # cells of a line of facts; a longer fact goes on in the next


@dataclass(frozen=True, repr=False)
class Info(Answer):
    """Header facts of a table. `kinds`: how many tokens of each kind; `share`: of the model's parameters, or None.

    `named_by_id`: whether rows have no tokens, so that `kinds` counts ids.
    """

    provenance: Provenance
    load_report: LoadReport
    shape: tuple[int, int]
    kinds: dict[str, int]
    can_encode: bool
    named_by_id: bool = False

    @property
    def share(self) -> float | None:
        """Share of the model's parameters that the table holds; None where the file does not tell."""
        whole = self.provenance.parameters
        return self.shape[0] * self.shape[1] / whole if whole else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "shape": list(self.shape),
            "share_of_parameters": self.share,
            "kinds": self.kinds,
            "can_encode": self.can_encode,
            "named_by_id": self.named_by_id,
            "provenance": self.provenance.to_dict(),
            "load_report": self.load_report.to_dict(),
        }

    def __str__(self) -> str:
        lines_of = [(name, wrap(value, WIDEST)) for name, value in self._facts()]
        rows = [[name if not i else "", line] for name, lines in lines_of for i, line in enumerate(lines)]
        facts = aligned(rows, ["left", "left"], widest=WIDEST)
        report = self.load_report
        lines = [f"{self.provenance.source}", *(f"  {line}" for line in facts.splitlines())]
        lines += [f"  Contradiction: {claim}" for claim in report.contradictions]
        lines += [f"  Note: {note}" for note in report.notes]
        return "\n".join(lines)

    def _facts(self) -> list[tuple[str, str]]:
        p, report = self.provenance, self.load_report
        rows, width = self.shape
        return [
            ("table", f"{count(rows)} × {count(width)} numbers, stored as {p.stored}"),
            ("tensor", p.tensor),
            ("format", report.format),
            ("architecture", p.architecture),
            ("input and output", _tied(p, report)),
            ("embedding scale", "" if p.scale == 1.0 else f"rows are multiplied by {number(p.scale)} on lookup (not here)"),
            ("parameters", self._parameters()),
            ("vocabulary", self._vocabulary()),
            ("rows against tokens", _misfits(report)),
            ("other tables", _others(report, p.tensor)),
            ("files ignored", ", ".join(report.files_ignored)),
            ("licence", p.licence),
        ]  # fmt: skip

    def _parameters(self) -> str:
        whole = self.provenance.parameters
        own = self.shape[0] * self.shape[1]
        if not whole:
            return f"{count(own)} in the table"
        return f"{count(own)} in the table, {percent(self.share)} of the model's {count(whole)}"

    def _vocabulary(self) -> str:
        if self.named_by_id:
            return (
                f'none; ask for rows by id ("#0" … "#{self.shape[0] - 1}"), or name them: --tokens FILE, a token a line'
            )
        kinds = ", ".join(f"{count(n)} {kind}" for kind, n in self.kinds.items())
        return kinds + ("" if self.can_encode else "; no tokenizer, so a text must be one of them")


def info_of(table: Table) -> Info:
    """Header facts of a table; reads no row."""
    counts = np.bincount(table.vocabulary.kinds, minlength=len(Kind))
    kinds = {kind.label: int(counts[kind]) for kind in Kind if counts[kind]}
    vocabulary = table.vocabulary
    can_encode = vocabulary.tokenizer is not None
    return Info(table.provenance, table.load_report, table.shape, kinds, can_encode, vocabulary.named_by_id)


def _tied(provenance: Provenance, report: LoadReport) -> str:
    word = {True: "tied, one table for both", False: "untied, two tables", None: "cannot be told"}[provenance.tied]
    return f"{word} ({report.tied_because})" if report.tied_because else word


def _others(report: LoadReport, tensor: str, most: int = 3) -> str:
    others = [f"{c.tensor} {'×'.join(map(str, c.shape))}" for c in report.candidates if c.tensor != tensor]
    return ", ".join(others[:most]) + (f" and {count(len(others) - most)} more" if len(others) > most else "")


def _misfits(report: LoadReport) -> str:
    facts = {
        "rows without a token": report.padded_rows,
        "tokens without a row": report.tokens_without_row,
        "holes": report.holes,
        "names that occur twice": report.duplicate_names,
    }
    return ", ".join(f"{count(n)} {what}" for what, n in facts.items() if n)
