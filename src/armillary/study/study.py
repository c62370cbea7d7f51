"""A study: one table and everything that can be asked of it. It calls the rooms and remembers their answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float64

from armillary.table import Kind, LoadReport, Provenance, RowFacts, Table

if TYPE_CHECKING:
    from armillary.sphere import Code
    from armillary.study.info import Info
    from armillary.study.lookup import Lookup
    from armillary.study.neighbors import Metric, Neighbors, Query
    from armillary.study.tokens import Tokens

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
    def facts(self) -> RowFacts:
        """Zero, non-finite and equal rows, norms and hash; the first use passes over the rows once."""
        from armillary.study.memory import facts_of

        return facts_of(self.table) if self.cache else self.table.row_facts

    @cached_property
    def code(self) -> Code:
        """The rows that are directions."""
        from armillary.sphere import Code

        _ = self.facts  # from the cache where it is there, so that the code need not pass over the rows
        return Code.of(self.table, self.without)

    @cached_property
    def cosines_to_mean(self) -> Float64[np.ndarray, "n"]:
        """Cosine of each row of the code to the mean direction Σu/n."""
        total = sum(unit.sum(axis=0) for _, unit in self.code.unit_blocks())
        mean = np.asarray(total) / (np.linalg.norm(total) or 1.0)
        return np.concatenate([unit @ mean for _, unit in self.code.unit_blocks()])

    def info(self) -> Info:
        """What the header says; reads no row."""
        from armillary.study.info import info_of

        return info_of(self.table)

    def lookup(self, text: str, *, one_hot: bool = False) -> Lookup:
        """Text to tokens to rows; with `one_hot` also as a product, and what that costs."""
        from armillary.study.lookup import look_up

        return look_up(self, text, one_hot)

    def neighbors(self, query: Query, k: int = 10, metric: Metric = "cosine") -> Neighbors:
        """The k nearest rows of a word, of a row (its id), or of a vector; exact, in the raw space.

        `metric`: cosine, dot or euclidean. Ties by id; a row is never its own neighbour. UsageError for a word the
        table does not have, a row without a direction, or a vector of another width.
        """
        from armillary.study.neighbors import neighbors_of

        return neighbors_of(self, query, k, metric)

    def tokens(
        self, where: str | None = None, sort: str | None = None, limit: int | None = None, *, scan: bool = False
    ) -> Tokens:
        """One row a token, filtered and sorted by DuckDB expressions; never starts a scan unless `scan`."""
        from armillary.study.tokens import tokens_of

        return tokens_of(self, where, sort, limit, self.scan() if scan else self.finished_scan())

    def __repr__(self) -> str:
        total, width = self.shape
        return f"Study({self.provenance.source}: {total:,} × {width}, {self.provenance.stored})"

    def to_dict(self) -> dict[str, Any]:
        return self.table.to_dict()
