"""A calibrator for production: what a cosine means in one space, kept in two small files and applied without the table.

Fitted once on a table or on a sample of the vectors in use; then a service that compares vectors of that space turns
each cosine into its percentile among random pairs, sets thresholds at a false-alarm rate that it can defend, and takes
off how crowded each vector's surroundings are. It refuses vectors of another width, and another table's hash.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from armillary.errors import UsageError
from armillary.shapes import Float32, Float64
from armillary.table import Table
from armillary.words.background import SAMPLE_ROWS, SampledPairs
from armillary.words.cosines import usable_rows

RATES = (0.1, 0.05, 0.01, 0.001, 0.0001)
REFERENCES = 1_000
CROWD = 10
ITSELF = 1 - 1e-5  # a reference this close is taken for the vector itself
BLOCK_ROWS = 8_192

_TAIL = np.geomspace(1e-6, 1e-3, 61)
SHARES: np.ndarray = np.unique(np.concatenate([[0.0, 1.0], _TAIL, 1 - _TAIL, np.linspace(0.001, 0.999, 999)]))
ERROR_SHARES: np.ndarray = np.unique(
    np.concatenate([[1e-6, 1e-5], RATES, np.linspace(0.1, 0.9, 9), [0.99, 0.999, 0.9999]])
)


@dataclass(frozen=True)
class Threshold:
    """The cosine that a share `rate` of random pairs exceeds, with its 95 % interval."""

    rate: float
    cosine: float
    low: float
    high: float


@dataclass(frozen=True)
class Calibrated:
    """Pairs of vectors, calibrated: cosine, percentile among random pairs, and local score (see `Calibrator`)."""

    cosine: Float64[np.ndarray, "n"]
    percentile: Float64[np.ndarray, "n"]
    local: Float64[np.ndarray, "n"]


@dataclass(frozen=True, eq=False)
class Calibrator:
    """The fitted calibrator. `shares` of random pairs lie above `cosines`; `errors` are standard errors at
    `ERROR_SHARES`. `references` (m, d): unit rows drawn from the table; `crowding` (V): r of each row of the table, the
    mean cosine to its 10 nearest references. The local score of a pair is 2cos − r(a) − r(b), as in CSLS.
    """

    source: str
    sha256: str
    rows: int
    width: int
    pairs: int
    kind: str
    mean: float
    sd: float
    seed: int
    thresholds: tuple[Threshold, ...]
    cosines: Float64[np.ndarray, "s"] = field(repr=False)
    errors: Float64[np.ndarray, "e"] = field(repr=False)
    references: Float32[np.ndarray, "m d"] = field(repr=False)
    crowding: Float32[np.ndarray, "V"] = field(repr=False)

    @classmethod
    def fit(cls, table: Table, *, seed: int = 0, references: int = REFERENCES, sample: int = SAMPLE_ROWS) -> Calibrator:
        """Fit on a table: all pairs between two seeded draws of `sample` rows (4 million; every pair of the table
        where it is small), and one pass for the crowding of its rows."""
        background = SampledPairs(table, sample, seed)
        cosines = background.quantile_above(SHARES)
        errors = np.array([background.share_above(c).error for c in background.quantile_above(ERROR_SHARES)])
        ids = np.sort(np.random.default_rng(seed).choice(len(table), min(references, len(table)), replace=False))
        keep, unit = usable_rows(table, ids)
        drawn = unit.astype(np.float16).astype(np.float32)  # as the files hold them
        crowding = _crowding_of_rows(table, drawn, ids[keep])
        thresholds = tuple(_threshold(background, rate) for rate in RATES)
        return cls(
            table.provenance.source,
            table.row_facts.sha256,
            *table.shape,
            background.pairs,
            background.kind,
            background.mean,
            background.sd,
            seed,
            thresholds,
            cosines,
            errors,
            drawn,
            crowding,
        )

    def percentile(self, cosine: Float64[np.ndarray, "*n"] | float) -> Float64[np.ndarray, "*n"]:
        """Per cent of random pairs that lie below a cosine; 100 means above all `pairs` of them."""
        return np.asarray(100 * (1 - np.interp(cosine, self.cosines[::-1], SHARES[::-1])))

    def percentile_error(self, percentile: float) -> float:
        """Standard error of a percentile, in per cent."""
        return 100 * float(np.interp(1 - percentile / 100, ERROR_SHARES, self.errors))

    def crowd(self, vectors: Float32[np.ndarray, "n d"]) -> Float64[np.ndarray, "n"]:
        """r of any vectors of this space: mean cosine to their 10 nearest references, themselves left out."""
        products = _unit(self._checked(vectors)) @ _unit(self.references).T
        return _top_mean(np.where(products > ITSELF, -1.0, products))

    def apply(
        self, a: Float32[np.ndarray, "n d"], b: Float32[np.ndarray, "n d"], sha256: str | None = None
    ) -> Calibrated:
        """Calibrate the pairs (a_i, b_i). UsageError for another width, or where `sha256` is another table's."""
        if sha256 is not None and sha256 != self.sha256:
            raise UsageError(
                f"expected vectors of the table {self.sha256[:12]}… this calibrator was fitted on ({self.source}), "
                f"found {sha256[:12]}…",
                "fit a calibrator on that table",
            )
        a, b = self._checked(a), self._checked(b)
        if len(a) != len(b):
            raise UsageError(f"expected as many vectors on both sides, found {len(a)} and {len(b)}")
        cosine = np.clip(np.einsum("nd,nd->n", _unit(a).astype(np.float64), _unit(b).astype(np.float64)), -1, 1)
        return Calibrated(cosine, self.percentile(cosine), 2 * cosine - self.crowd(a) - self.crowd(b))

    def check(self, table: Table) -> None:
        """UsageError unless this is the table the calibrator was fitted on, by its bytes."""
        self._checked(table.rows([0]))
        self.apply(self.references[:1], self.references[:1], table.row_facts.sha256)

    def threshold(self, rate: float) -> Threshold:
        """The threshold of one of the fitted rates."""
        for threshold in self.thresholds:
            if threshold.rate == rate:
                return threshold
        raise UsageError(f"expected one of the rates {', '.join(map(str, RATES))}, found {rate}")

    def save(self, path: Path) -> tuple[Path, Path]:
        """Write `path.json` (what people read) and `path.npz` (arrays); both whole or not at all."""
        from armillary.words.calibrator_files import save

        return save(self, Path(path))

    @classmethod
    def load(cls, path: Path) -> Calibrator:
        """Read what `save` wrote; `path` with or without its ending. UnreadableError if it is no calibrator."""
        from armillary.words.calibrator_files import load

        return load(Path(path))

    def to_dict(self) -> dict[str, Any]:
        names = ("source", "sha256", "rows", "width", "pairs", "kind", "mean", "sd", "seed")
        return {**{n: getattr(self, n) for n in names}, "thresholds": [asdict(t) for t in self.thresholds]}

    def _checked(self, vectors: np.ndarray) -> np.ndarray:
        vectors = np.atleast_2d(np.asarray(vectors, np.float32))
        if vectors.ndim != 2 or vectors.shape[1] != self.width:
            raise UsageError(f"expected vectors of width {self.width}, found {vectors.shape[-1]}", "the spaces differ")
        if not (np.isfinite(vectors).all() and vectors.any(axis=1).all()):
            raise UsageError("expected vectors with a direction, found a zero or non-finite one")
        return vectors


def _threshold(background: SampledPairs, rate: float) -> Threshold:
    cosine = float(background.quantile_above(np.array([rate]))[0])
    error = background.share_above(cosine).error
    low, high = background.quantile_above(np.array([rate + 1.96 * error, rate - 1.96 * error]))
    return Threshold(rate, cosine, float(low), float(high))


def _crowding_of_rows(table: Table, references: np.ndarray, ids: np.ndarray) -> Float32[np.ndarray, "V"]:
    """r of every row; NaN where a row has no direction."""
    crowding = np.full(len(table), np.nan, np.float32)
    for start in range(0, len(table), BLOCK_ROWS):
        keep, unit = usable_rows(table, np.arange(start, min(start + BLOCK_ROWS, len(table))))
        rows = start + np.flatnonzero(keep)
        products = unit @ _unit(references).T
        products[rows[:, None] == ids] = -1.0
        crowding[rows] = _top_mean(products)
    return crowding


def _top_mean(products: np.ndarray) -> Float64[np.ndarray, "n"]:
    k = min(CROWD, max(1, products.shape[1] - 1))
    return np.partition(products, products.shape[1] - k, axis=1)[:, -k:].mean(axis=1, dtype=np.float64)


def _unit(vectors: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    return (vectors / norms).astype(np.float32)
