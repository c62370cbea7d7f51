"""What a cosine means here: how it stands among the cosines of random pairs of the same table.

Two sources. `SampledPairs` draws rows with a seed and needs no scan, in well under a second. `ScannedPairs` reads
the histogram of a finished scan. Both say how many pairs stand behind a share and with which error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from armillary.errors import UsageError
from armillary.shapes import Float32
from armillary.table import Table
from armillary.words.cosines import usable_rows

if TYPE_CHECKING:  # the scan's engine takes longer to import than the sample to draw
    from armillary.scan import Histogram, Moments

SAMPLE_ROWS = 2_000  # a side: 4 million pairs


@dataclass(frozen=True)
class Share:
    """A share of all pairs with its standard error; 0 where every pair was counted."""

    value: float
    error: float


class Background(Protocol):
    """The cosines of random pairs: `mean` and `sd` over `pairs` of them, and the share above a value."""

    @property
    def mean(self) -> float: ...
    @property
    def sd(self) -> float: ...
    @property
    def pairs(self) -> int: ...
    @property
    def kind(self) -> Literal["exact", "estimate"]: ...

    def share_above(self, cosine: float) -> Share:
        """Share of random pairs whose cosine is greater, ties counted by half."""
        ...


def z_score(background: Background, cosine: float) -> float:
    """(cosine − mean)/sd over random pairs."""
    return (cosine - background.mean) / background.sd if background.sd else float("nan")


def percentile(background: Background, cosine: float) -> Share:
    """Share of random pairs below, in per cent: 100·(1 − share above)."""
    above = background.share_above(cosine)
    return Share(100 * (1 - above.value), 100 * above.error)


class SampledPairs:
    """Every pair between two seeded draws of rows; all pairs i < j, exactly, where the table is small.

    With m rows a side the m² cosines are no independent draws: the standard error of a share comes from how much
    it varies between rows, √(var of row shares/m + var of column shares/m) (Hoeffding 1948, two-sample U statistic).
    """

    def __init__(self, table: Table, rows: int = SAMPLE_ROWS, seed: int = 0) -> None:
        left, right = _two_draws(table, rows, seed)
        self.kind: Literal["exact", "estimate"] = "exact" if right is left else "estimate"
        cosines = np.clip(left @ right.T, -1.0, 1.0)
        self._pairs = cosines if right is not left else cosines[np.triu_indices(len(left), 1)]
        self.pairs: int = int(self._pairs.size)
        self.mean: float = float(self._pairs.mean(dtype=np.float64))
        self.sd: float = float(self._pairs.std(dtype=np.float64))

    def share_above(self, cosine: float) -> Share:
        value, size = np.float32(cosine), self._pairs.shape[-1]
        above = np.count_nonzero(self._pairs > value, axis=-1) + np.count_nonzero(self._pairs >= value, axis=-1)
        by_row = np.atleast_1d(above) / (2 * size)
        if self.kind == "exact":
            return Share(float(by_row.mean()), 0.0)
        by_column = np.count_nonzero(self._pairs > value, axis=0) / self._pairs.shape[0]
        return Share(float(by_row.mean()), _two_way_error(by_row, by_column))

    def quantile_above(self, shares: np.ndarray) -> np.ndarray:
        """The cosines that these shares of the pairs lie above."""
        return np.quantile(self._pairs, np.clip(1 - np.asarray(shares), 0, 1)).astype(np.float64)


class ScannedPairs:
    """The histogram and moments of a finished scan; within a bin the pairs are taken as evenly spread."""

    def __init__(self, histogram: Histogram, moments: Moments) -> None:
        self.mean: float = moments.mean
        self.pairs: int = histogram.pairs
        self.kind: Literal["exact", "estimate"] = histogram.kind
        self.sd: float = float(np.sqrt(max(0.0, moments.mean_square - moments.mean**2)))
        self._edges = histogram.edges
        self._above = np.concatenate([np.cumsum(histogram.counts[::-1])[::-1], [0]]) / histogram.pairs

    def share_above(self, cosine: float) -> Share:
        share = float(np.interp(cosine, self._edges, self._above))
        error = 0.0 if self.kind == "exact" else float(np.sqrt(share * (1 - share) / self.pairs))
        return Share(share, error)


def _two_draws(table: Table, rows: int, seed: int) -> tuple[Float32[np.ndarray, "m d"], Float32[np.ndarray, "p d"]]:
    """Unit rows of two disjoint draws, or twice the same whole table where it has no more than 2·rows."""
    if len(table) <= 2 * rows:
        _, unit = usable_rows(table, np.arange(len(table)))
        if len(unit) < 2:
            raise UsageError(f"expected at least two rows with a direction, found {len(unit)} among {len(table):,}")
        return unit, unit
    ids = np.random.default_rng(seed).choice(len(table), 2 * rows, replace=False)
    _, unit = usable_rows(table, ids)
    if len(unit) < 4:
        raise UsageError(f"expected rows with a direction, found {len(unit)} in a draw of {2 * rows:,}")
    return unit[: len(unit) // 2], unit[len(unit) // 2 :]


def _two_way_error(by_row: np.ndarray, by_column: np.ndarray) -> float:
    return float(np.sqrt(by_row.var(ddof=1) / len(by_row) + by_column.var(ddof=1) / len(by_column)))
