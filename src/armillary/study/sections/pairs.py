"""The closest pairs of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armillary.answer import cosine, count, quoted
from armillary.bounds import maximal_cosine_quantile
from armillary.report import Column, Section
from armillary.study.sections.part import Part, rows_of, table_of, token_columns

if TYPE_CHECKING:
    from armillary.study.study import Study

NEEDS_SCAN = True
LISTED = 100


def compose(study: Study, scanned: bool) -> Part | None:
    """The 100 closest pairs; None where there is none."""
    pairs = study.closest_pairs(LISTED)
    if not pairs.pairs:
        return None
    columns = [*token_columns("a", "b"), Column(name="cosine", label="cosine", form="cosine")]
    rows = rows_of(list(pairs.columns().values()))
    note = " ".join(pairs.notes)
    a, b = pairs.tokens[0]
    section = Section(
        id="pairs",
        title="Closest pairs",
        sentences=[
            f"The closest pairs of the table, nearest first: {quoted(a)} and {quoted(b)} have a cosine of {cosine(pairs.pairs[0].value)}.",
            _what_they_are(pairs.pairs[0].value, len(study.code), study.shape[1]),
        ],
        tables=[
            table_of("closest-pairs", f"The {count(len(rows))} closest pairs of distinct rows", columns, rows, note)
        ],
        how="From the exact neighbour list of every row. A pair that is in neither list is no nearer than the k-th "
        "neighbour of each of its rows, which is how far down the list is known to be complete.",
    )
    return Part(section)


def _what_they_are(closest: float, rows: int, width: int) -> str:
    """What such pairs mostly are, or that chance alone brings directions so close."""
    if width > 1 and closest <= maximal_cosine_quantile(rows, width, 0.95):
        return (
            "As many directions drawn evenly come as close: that two rows stand in this list says nothing about them."
        )
    return "What stands at the top is often spelling variants, siblings of a list, or tokens that were hardly trained."
