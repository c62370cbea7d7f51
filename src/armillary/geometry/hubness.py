"""Hubness: whether a few rows are among the nearest of very many others, and how many are among the nearest of none.

N_k(i) counts the rows that have i among their k nearest; its mean is k. On the sphere independent directions have
little of it at any dimension, so what a table has is its own.
"""

from __future__ import annotations

import numpy as np

from armillary.measure import Definition, Measure
from armillary.scan.result import Scan
from armillary.sphere import Code

_SPACE = "cosine neighbours, not centred, all rows of the code"
_SOURCE = "Radovanović, Nanopoulos & Ivanović 2010"

HUBNESS_SKEWNESS = Definition(
    "hubness_skewness",
    "Skewness of hubness",
    "E(N_k − k)³/σ³",
    "0 where every row is equally often a neighbour; large where a few rows are neighbours of very many. 0 if all "
    "counts agree.",
    _SOURCE,
    _SPACE,
)
ANTIHUB_SHARE = Definition(
    "antihub_share",
    "Share of antihubs",
    "share of rows with N_k = 0",
    "The share of rows that are among the k nearest of no other row: a search for neighbours never finds them.",
    _SOURCE,
    _SPACE,
    unit="share",
    low=0.0,
    high=1.0,
)
LARGEST_HUB = Definition(
    "largest_hub",
    "Largest hub",
    "max N_k",
    "How many rows have the most frequent neighbour among their k nearest; the detail names it.",
    _SOURCE,
    _SPACE,
    unit="rows",
    low=0.0,
)
DEFINITIONS = (HUBNESS_SKEWNESS, ANTIHUB_SHARE, LARGEST_HUB)


def hubness(code: Code, scan: Scan) -> list[Measure]:
    """Skewness, antihub share and largest hub of the scan's k neighbours; none for a single row."""
    if not scan.k:
        return []
    n, counts = len(scan.ids), scan.occurrence
    id = int(scan.ids[int(np.argmax(counts))])  # the first of equals
    hub = {"k": scan.k, "id": id, "token": code.table.token(id).text}
    return [
        Measure(HUBNESS_SKEWNESS, skewness(counts), n, detail={"k": scan.k}),
        Measure(ANTIHUB_SHARE, float((counts == 0).mean()), n, detail={"k": scan.k}),
        Measure(LARGEST_HUB, float(counts.max()), n, detail=hub),
    ]


def skewness(counts: np.ndarray) -> float:
    """E(x − mean)³/σ³ over the population; 0 where nothing varies."""
    away = counts - counts.mean()
    variance = float(np.mean(away**2))
    return float(np.mean(away**3)) / variance**1.5 if variance > 0 else 0.0
