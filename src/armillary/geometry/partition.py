"""Partition isotropy: whether the partition function of a log-linear model is the same in all directions."""

from __future__ import annotations

import math

import numpy as np

from armillary.geometry.passes import FirstPass, first_pass
from armillary.measure import Definition, Measure, Null, Nulls
from armillary.shapes import Float64
from armillary.sphere import Code
from armillary.table import Table

NULL_ROWS = 20_000

PARTITION_ISOTROPY = Definition(
    name="partition_isotropy",
    title="Partition isotropy",
    formula="min Z(c)/max Z(c), Z(c) = Σ_x exp(c·x), c over both signs of the unit eigenvectors of XᵀX",
    meaning="1 where every direction has the same sum; near 0 where the cloud leans to one side. The scale of the "
    "rows is part of the value: longer rows make it smaller, so the detail has the mean norm.",
    source="Arora et al. 2016; Mu & Viswanath 2018, with both signs (one sign alone is not defined)",
    space="raw rows as stored, not centred",
    low=0.0,
    high=1.0,
)
DEFINITIONS = (PARTITION_ISOTROPY,)


def partition_isotropy(code: Code, first: FirstPass, seed: int = 0) -> Measure:
    """min Z/max Z over both signs of the eigenvectors; one pass, by log-sum-exp, so that long rows do not overflow."""
    logs = log_partition(code, first)
    n, low, high = first.rows, float(logs.min()), float(logs.max())
    detail = {"mean_norm": float(first.norms.mean()), "log_min": low, "log_max": high}
    chance, rows = _random_isotropy(first, seed)
    how = f"estimate: one draw of {rows:,} uniform directions with norms of this table; more rows come nearer to 1"
    nulls = Nulls(bound=Null(1.0, "every direction alike"), random=Null(chance, how))
    return Measure(PARTITION_ISOTROPY, math.exp(low - high), n, nulls=nulls, detail=detail)


def log_partition(code: Code, first: FirstPass) -> Float64[np.ndarray, "m"]:
    """ln Z(c) for +c and then −c of each eigenvector; directions in which no row reaches count once, with ln n."""
    axes = _uncentred_axes(code, first)
    logs = np.full((2, len(axes)), -np.inf)
    for _, block, _ in code.blocks():
        reach = block.astype(np.float64) @ axes.T
        for sign, total in zip((reach, -reach), logs, strict=True):
            top = sign.max(0)
            np.logaddexp(total, top + np.log(np.exp(sign - top).sum(0)), out=total)
    missing = [math.log(first.rows)] if len(axes) < first.dimension else []
    return np.concatenate([logs.ravel(), missing])


def _uncentred_axes(code: Code, first: FirstPass) -> Float64[np.ndarray, "r d"]:
    """Unit eigenvectors of XᵀX as rows, largest first; r = min(n, d)."""
    if first.rows < first.dimension:
        return np.linalg.svd(code.block(0, first.rows).astype(np.float64), full_matrices=False)[2]
    return np.linalg.eigh(first.spread + np.outer(first.mean, first.mean))[1].T[::-1]


def _random_isotropy(first: FirstPass, seed: int) -> tuple[float, int]:
    """(value, rows) of a draw of uniform directions with norms drawn from the table's own."""
    m = min(first.rows, NULL_ROWS)
    random = np.random.default_rng(seed)
    rows = random.standard_normal((m, first.dimension))
    rows *= (random.permutation(first.norms)[:m] / np.linalg.norm(rows, axis=1))[:, None]
    drawn = Code.of(Table.from_array(rows))
    logs = log_partition(drawn, first_pass(drawn))
    return math.exp(float(logs.min() - logs.max())), m
