"""Why a real table is no ideal code: its geometry follows frequency, script and kind.

Norm and first principal component against log frequency, by script; and the share of nearest neighbours that have the
same script, frequency decile or case, beside the share expected by chance. Neighbours come from a finished scan, or
from a seeded sample of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.shapes import Float64, Int64
from armillary.table import Kind, Table, Vocabulary
from armillary.words.evaluation import spearman
from armillary.words.metrics import row_norms
from armillary.words.trends import permutation_p

SMALLEST_SCRIPT = 50
COMPONENT_ROWS = 20_000


@dataclass(frozen=True)
class FrequencyTrend:
    """Spearman's ρ of a quantity with log frequency over the tokens of a script whose frequency is known."""

    script: str
    quantity: str
    rho: float
    p: float
    tokens: int


@dataclass(frozen=True)
class SameShare:
    """Share of the k nearest neighbours with the same label, and the share among random pairs."""

    label: str
    share: float
    chance: float
    rows: int


def frequency_trends(
    table: Table, log_frequency: Float64[np.ndarray, "V"], script_of: np.ndarray
) -> list[FrequencyTrend]:
    """Norm and first component (of centred unit rows) against log frequency, over all tokens and by script."""
    norms = row_norms(table)
    component = first_component(table, norms)
    known = np.isfinite(log_frequency) & np.isfinite(norms)
    groups = [("all", known)]
    groups += [(s, known & (script_of == s)) for s in np.unique(script_of[known].astype(str)).tolist()]
    trends = []
    for name, members in groups:
        if members.sum() < SMALLEST_SCRIPT:
            continue
        for quantity, values in (("norm", norms), ("first component", component)):
            rho, p = rank_trend(log_frequency[members], values[members])
            trends.append(FrequencyTrend(name, quantity, rho, p, int(members.sum())))
    return trends


def first_component(table: Table, norms: Float64[np.ndarray, "V"]) -> Float64[np.ndarray, "V"]:
    """Projection of each unit row on the first principal direction (of at most 20,000 seeded rows), its sign such that
    the largest coefficient is positive; NaN without a direction."""
    usable = np.flatnonzero(np.isfinite(norms))
    drawn = usable
    if len(usable) > COMPONENT_ROWS:
        drawn = np.sort(np.random.default_rng(0).choice(usable, COMPONENT_ROWS, replace=False))
    rows = table.rows(drawn) / norms[drawn][:, None]
    mean = rows.mean(axis=0)
    _, axes = np.linalg.eigh((rows - mean).T @ (rows - mean))
    axis = axes[:, -1] * np.sign(axes[np.abs(axes[:, -1]).argmax(), -1])
    return np.concatenate([(b @ axis) / norms[s : s + len(b)] - mean @ axis for s, b in table.blocks()])


def same_share(
    label: str, ids: Int64[np.ndarray, "n"], neighbors: Int64[np.ndarray, "n k"], labels: np.ndarray, known: np.ndarray
) -> SameShare:
    """Share of neighbours with the row's own label, over rows and neighbours whose label is `known`.

    Chance: the sum of squared shares of the labels among the known rows.
    """
    _, code = np.unique(labels.astype(str), return_inverse=True)
    rows = known[ids]
    own, theirs = code[ids[rows]][:, None], code[neighbors[rows]]
    counted = known[neighbors[rows]]
    share = float((own == theirs)[counted].mean()) if counted.any() else float("nan")
    sizes = np.bincount(code[known]) / max(1, known.sum())
    return SameShare(label, share, float((sizes**2).sum()), int(rows.sum()))


def cases(vocabulary: Vocabulary) -> np.ndarray:
    """`lower`, `upper`, `title` or `` of every token (V, object): its letters' case where it has cased letters alone."""
    found = np.full(len(vocabulary), "", dtype=object)
    for id in np.flatnonzero(vocabulary.kinds == Kind.NORMAL).tolist():
        text = vocabulary.raw[id].decode("utf-8", "replace").strip()
        if not text.isalpha():
            continue
        if text.islower():
            found[id] = "lower"
        elif text.isupper() and len(text) > 1:
            found[id] = "upper"
        elif text.istitle():
            found[id] = "title"
    return found


def to_dict(trends: list[FrequencyTrend], shares: list[SameShare]) -> dict[str, Any]:
    return {"frequency": [t.__dict__ for t in trends], "neighbors": [s.__dict__ for s in shares]}


def rank_trend(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """ρ and p: by permutation for few values, else by the normal law of ρ·√(n−1) under independence."""
    if len(x) <= 500:
        return permutation_p(x, y)
    from math import erfc, sqrt

    rho = spearman(x, y)
    return rho, erfc(abs(rho) * sqrt((len(x) - 1) / 2))
