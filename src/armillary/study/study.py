"""A study: one table and everything that can be asked of it. It calls the rooms and remembers their answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from armillary.table import Kind, LoadReport, Provenance, Table

if TYPE_CHECKING:
    from armillary.sphere import Code

Progress = Callable[[int, int], None]  # (done, total)


class Study:
    """A table under study. `without`: kinds of row left out of what is measured; `cache`: whether disk is used."""

    def __init__(self, table: Table, *, without: tuple[Kind, ...] = (), cache: bool = True) -> None:
        self.table = table
        self.without = without
        self.cache = cache

    @property
    def provenance(self) -> Provenance:
        """Where the table came from."""
        return self.table.provenance

    @property
    def load_report(self) -> LoadReport:
        """Header facts: what was read, and what contradicts what."""
        return self.table.load_report

    @property
    def shape(self) -> tuple[int, int]:
        """(V, d)"""
        return self.table.shape

    @cached_property
    def code(self) -> Code:
        """The rows that are directions; the first use passes over the rows once."""
        from armillary.sphere import Code

        return Code.of(self.table, self.without)

    def __repr__(self) -> str:
        total, width = self.shape
        return f"Study({self.provenance.source}: {total:,} × {width}, {self.provenance.stored})"

    def to_dict(self) -> dict[str, Any]:
        return self.table.to_dict()
