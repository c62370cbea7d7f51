"""A study: one table and everything that can be asked of it. It calls the rooms and remembers their answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.errors import UsageError
from armillary.shapes import Float64
from armillary.study.health_questions import HealthQuestions
from armillary.study.lens_questions import LensQuestions
from armillary.study.page_questions import PageQuestions
from armillary.study.repair_questions import RepairQuestions
from armillary.study.report_questions import ReportQuestions
from armillary.study.words import WordQuestions
from armillary.table import Kind, LoadReport, Provenance, RowFacts, Table

if TYPE_CHECKING:
    from armillary.geometry import ClosestPairs, Comparison, FirstPass
    from armillary.lens import LanguageModel
    from armillary.measure import Measure
    from armillary.scan.result import Scan
    from armillary.sphere import Code
    from armillary.study.info import Info
    from armillary.study.lookup import Lookup
    from armillary.study.meaning import Meaning, Readability
    from armillary.study.measures import Group
    from armillary.study.neighbors import Metric, Neighbors, Query
    from armillary.study.projection import Projection
    from armillary.study.scans import HistogramKind, Pairs, ScanSummary
    from armillary.study.tokens import Tokens
    from armillary.words.background import Background
    from armillary.words.frequencies import Frequencies

Progress = Callable[[int, int], None]  # (done, total)


class Study(WordQuestions, HealthQuestions, RepairQuestions, LensQuestions, PageQuestions, ReportQuestions):
    """A table under study, opened at `path` if it came from a file.

    `without`: kinds of row left out of what is measured; `cache`: whether the user's cache is read and written;
    `space`: what the rows are, `raw` or the name of the repaired space that they were brought to.
    """

    def __init__(
        self,
        table: Table,
        *,
        path: Path | None = None,
        without: tuple[Kind, ...] = (),
        cache: bool = True,
        space: str = "raw",
    ) -> None:
        self.table = table
        self.path = path
        self.without = without
        self.cache = cache
        self.space = space
        self.spaces: dict[str, Study] = {}
        self._comparison: Comparison | None = None
        self._scans: dict[tuple[int, str], Scan] = {}
        self._models: dict[str, LanguageModel] = {}

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

        return facts_of(self.table, self.path) if self.cache else self.table.row_facts

    @cached_property
    def code(self) -> Code:
        """The rows that are directions."""
        from armillary.sphere import Code

        _ = self.facts  # from the cache where it is there, so that the code need not pass over the rows
        return Code.of(self.table, self.without)

    @property
    def has_directions(self) -> bool:
        """Whether any row is a direction; where none is, `code` and all that needs it are refused."""
        try:
            return len(self.code) > 0
        except UsageError:
            return False

    @cached_property
    def first_pass(self) -> FirstPass:
        """The sums over the rows of the code that most measures need; one pass on first use."""
        from armillary.geometry import first_pass

        return first_pass(self.code)

    @cached_property
    def cosines_to_mean(self) -> Float64[np.ndarray, "n"]:
        """Cosine of each row of the code to the mean direction Σu/‖Σu‖; NaN where the directions cancel out."""
        total = self.first_pass.unit_sum
        with np.errstate(invalid="ignore"):
            mean = total / np.linalg.norm(total)
        return np.concatenate([unit @ mean for _, unit in self.code.unit_blocks()])

    @cached_property
    def projection(self) -> Projection:
        """The map's plane: the two widest directions of the centred rows."""
        from armillary.study.projection import projection_of

        return projection_of(self)

    def info(self) -> Info:
        """What the header says; reads no row."""
        from armillary.study.info import info_of

        return info_of(self.table)

    @cached_property
    def background(self) -> Background | None:
        """Cosines of random pairs of rows: from a finished scan, else of 4 million seeded pairs; None for a single row."""
        from armillary.words.background import SampledPairs, ScannedPairs

        if len(self.code) < 2:
            return None
        scan = self.finished_scan()
        if scan is not None and scan.histogram and scan.moments:
            return ScannedPairs(scan.histogram, scan.moments)
        return SampledPairs(self.table)

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

    def scan(
        self,
        k: int = 10,
        histogram: HistogramKind = "sampled",
        *,
        kernel: str = "auto",
        progress: Progress | None = None,
    ) -> Scan:
        """The exact comparison of all pairs of rows; kept in the user's cache, an interrupted one too.

        `k`: neighbours a row, clipped to n−1. `histogram`: of 4 million random pairs (sampled), or of all (exact).
        `kernel`: auto, or a rung by name, which is then run even if the answer is known. `progress`: called with
        (pairs done, pairs).
        """
        from armillary.study.scans import scan_of

        if (k, histogram) not in self._scans or kernel != "auto":
            self._scans[k, histogram] = scan_of(self, k, histogram, progress, kernel)
        return self._scans[k, histogram]

    def finished_scan(self, k: int = 10, histogram: HistogramKind = "sampled") -> Scan | None:
        """The scan with these parameters if it was run before; never starts one."""
        from armillary.study.scans import finished_scan_of

        if (k, histogram) not in self._scans:
            kept = finished_scan_of(self, k, histogram)
            if kept is None:
                return None
            self._scans[k, histogram] = kept
        return self._scans[k, histogram]

    def scan_summary(self, k: int = 10, histogram: HistogramKind = "sampled") -> ScanSummary:
        """The scan in a few lines, with the tokens of its extreme pairs."""
        from armillary.study.scans import summary_of

        return summary_of(self, self.scan(k, histogram))

    def closest_pairs(self, count: int = 100, *, distinct: bool = True) -> ClosestPairs:
        """The closest pairs, drawn from the neighbour lists, and above which cosine none is missing."""
        from armillary.geometry import closest_pairs

        return closest_pairs(self.code, self.scan(), count, distinct)

    def pairs_above(self, threshold: float) -> Pairs:
        """Every pair of rows with a cosine of at least `threshold`."""
        from armillary.study.scans import pairs_above_of

        return pairs_above_of(self, threshold)

    def save_pairs_above(
        self, threshold: float, path: str | Path, *, kernel: str = "auto", progress: Progress | None = None
    ) -> int:
        """Write every such pair to a Parquet or CSV file, streamed in bounded memory; how many there are.

        `kernel` and `progress` as in `scan`.
        """
        from armillary.study.near import save_pairs_above

        return save_pairs_above(self, threshold, path, kernel, progress)

    def tokens(
        self,
        where: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        *,
        scan: bool = False,
        health: bool = False,
        wanted: Callable[[], bool] | None = None,
    ) -> Tokens:
        """One row a token, filtered and sorted by DuckDB expressions; never starts a scan unless `scan`.

        `health`: fill the columns of health, which an expression that names one of them does too. `wanted` is asked
        ten times a second, in another thread, while expressions are evaluated: once it says no, they are stopped.
        UsageError for what is no such expression, and for one that was stopped.
        """
        from armillary.study.tokens import tokens_of

        known = self.finished_scan() if self.has_directions and not scan else None
        return tokens_of(self, where, sort, limit, self.scan() if scan else known, health, wanted)

    def output(self) -> Study | None:
        """The study of the model's output table where that is another one; None where tied, or not to be told."""
        from armillary.formats import open_table

        if self.provenance.tied is not False or self.path is None:
            return None
        table = open_table(self.path, role="output", name=self.provenance.source, cache=self.cache)
        if table.provenance.tensor == self.provenance.tensor:  # this is the output table already
            return None
        return Study(table, path=self.path, without=self.without, cache=self.cache)

    def meaning(self, frequencies: Frequencies | None = None) -> Meaning:
        """Norm, first component and neighbours against frequency, script and case: why the table is no ideal code.

        `frequencies`: by default wordfreq's; MissingExtra without the extra `words`. Neighbours from a finished scan.
        """
        from armillary.study.meaning import meaning_of

        return meaning_of(self, frequencies)

    def readability(self, language: str = "en") -> Readability:
        """What a linear layer reads off the rows: held-out probes beside shuffled labels, and argmax_j(x_i·x_j) = i."""
        from armillary.study.meaning import readability_of

        return readability_of(self, language)

    def comparison(self, *, progress: Progress | None = None) -> Comparison:
        """Nulls drawn at random: a random code, and one with this table's mean and covariance. Needs the scan."""
        from armillary.study.measures import comparison_of

        if self._comparison is None:
            self._comparison = comparison_of(self, progress)
        return self._comparison

    def measures(self, group: Group | None = None, *, drawn: bool = True) -> tuple[Measure, ...]:
        """Measures with their definitions and nulls: of one group (isotropy, norms; sphere and crowd scan), or of all.

        `drawn=False` leaves out the nulls that must be drawn and scanned, so that isotropy and norms need no scan.
        """
        from armillary.study.measures import GROUPS, measures_of

        groups = GROUPS if group is None else (group,)
        comparison = self.comparison() if drawn else None
        return tuple(measure for name in groups for measure in measures_of(self, name, comparison))

    def __repr__(self) -> str:
        total, width = self.shape
        return f"Study({self.provenance.source}: {total:,} × {width}, {self.provenance.stored})"

    def to_dict(self) -> dict[str, Any]:
        return self.table.to_dict()
