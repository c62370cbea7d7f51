"""Drawn nulls: a random code, and one with this table's mean and covariance, measured as the table is.

What has no closed form is drawn once, with a seed, in at most 20,000 rows, and the table is measured on a subsample of
that size too, since extremes and hubs grow with the number of rows. The covariance-matched code separates a lopsided
cloud from meaning: what it shows as well is owed to the shape of the cloud alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from armillary.geometry.angle import MINIMUM_ANGLE, minimum_angle
from armillary.geometry.coherence import COHERENCE, LARGEST_COSINE, SMALLEST_COSINE, coherence
from armillary.geometry.cosines import MEAN_COSINE, MEAN_SQUARE_COSINE, mean_cosine, mean_square_cosine
from armillary.geometry.hubness import ANTIHUB_SHARE, HUBNESS_SKEWNESS, LARGEST_HUB, hubness
from armillary.geometry.passes import FirstPass, first_pass
from armillary.measure import Measure, Null
from armillary.scan.result import Scan
from armillary.shapes import Float32
from armillary.sphere import BLOCK_ROWS, Code
from armillary.table import Table

MOST_ROWS = 20_000
SEED = 0

HUBS: tuple[str, ...] = (
    HUBNESS_SKEWNESS.name,
    ANTIHUB_SHARE.name,
    LARGEST_HUB.name,
)  # no closed form for a random code
MATCHED: tuple[str, ...] = (
    *(d.name for d in (COHERENCE, LARGEST_COSINE, SMALLEST_COSINE, MINIMUM_ANGLE, MEAN_COSINE, MEAN_SQUARE_COSINE)),
    *HUBS,
)

Scanner = Callable[[Code, int], Scan]  # (code, k) -> its exact scan; a study passes one that tells its progress


@dataclass(frozen=True)
class Comparison:
    """Values by measure name of the table's subsample, a random code and a matched code, all of `rows` rows."""

    rows: int
    whole: bool
    table: Mapping[str, float]
    random: Mapping[str, float]
    matched: Mapping[str, float]

    def attach(self, measures: Iterable[Measure]) -> list[Measure]:
        """The measures with their drawn nulls, and in the detail the table's own value at that size."""
        return [self._with_nulls(measure) for measure in measures]

    def _with_nulls(self, measure: Measure) -> Measure:
        name, nulls = measure.name, measure.nulls
        if name not in self.table:
            return measure
        how = f"estimate: one draw of {self.rows:,} rows"
        if name in self.matched:
            nulls = replace(nulls, matched=Null(self.matched[name], f"{how} with this mean and covariance"))
        if name in HUBS and name in self.random:
            nulls = replace(nulls, random=Null(self.random[name], f"{how}, uniform on the sphere"))
        size = {} if self.whole else {"subsample": {"rows": self.rows, "value": self.table[name]}}
        return replace(measure, nulls=nulls, detail={**measure.detail, **size})


def exact_scan(code: Code, k: int) -> Scan:
    """The exact scan of a code's rows, without a histogram."""
    from armillary.scan import scan

    return scan(code, code.ids, k=k, histogram="none")


def compare(
    code: Code,
    first: FirstPass,
    scan: Scan,
    scanner: Scanner = exact_scan,
    *,
    rows: int = MOST_ROWS,
    seed: int = SEED,
) -> Comparison:
    """Draw the nulls of a code and measure them with the scan's k, the table on a subsample of the same size.

    `scanner(code, k)` makes the scans; a table of at most `rows` rows is its own subsample and is not scanned again.
    """
    n, d = code.shape
    m = min(n, rows)
    random = np.random.default_rng(seed)
    if m == n:
        table = _values(code, first, scan)
    else:
        table = _measured(code.take(np.sort(random.choice(n, m, replace=False))), scan.k, scanner)
    uniform = _measured(random.standard_normal((m, d), dtype=np.float32), scan.k, scanner)
    matched = _measured(matched_rows(first, m, random), scan.k, scanner)
    return Comparison(m, m == n, table, uniform, matched)


def matched_rows(first: FirstPass, rows: int, random: np.random.Generator) -> Float32[np.ndarray, "rows d"]:
    """Rows of one draw from N(mean, covariance) of the kept rows; their directions are the matched code.

    Scaled to lengths near 1, so that rows at the ends of float32 neither overflow nor vanish.
    """
    variances, axes = first.principal
    size = (
        2.0 ** -np.frexp(max(np.abs(first.mean).max(), np.sqrt(variances.max(initial=0.0))))[1]
    )  # a power of two: no bit moves
    scaled = size * np.sqrt(variances)[:, None] * axes
    drawn = np.empty((rows, first.dimension), np.float32)
    for start in range(0, rows, BLOCK_ROWS):
        block = drawn[start : start + BLOCK_ROWS]
        block[:] = size * first.mean + random.standard_normal((len(block), len(variances))) @ scaled
    return drawn


def _measured(rows: np.ndarray, k: int, scanner: Scanner) -> dict[str, float]:
    code = Code.of(Table.from_array(rows))
    return _values(code, first_pass(code), scanner(code, max(1, min(k, len(code) - 1))))


def _values(code: Code, first: FirstPass, scan: Scan) -> dict[str, float]:
    measures = [
        *coherence(code, scan),
        *minimum_angle(code, scan),
        *mean_cosine(first),
        *mean_square_cosine(first),
        *hubness(code, scan),
    ]
    return {measure.name: measure.value for measure in measures if measure.name in MATCHED}
