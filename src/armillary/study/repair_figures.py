"""The pictures of repairs: cosines before and after, filters on one axis, scores side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from armillary.answer import cosine, count
from armillary.bounds import bin_shares
from armillary.report import FigureData, Series
from armillary.report.model import Role
from armillary.study.pair_cosines import Histogram

if TYPE_CHECKING:
    from armillary.repairs import Filters
    from armillary.study.side_by_side import RepairComparison

BEYOND = 5e-4  # share of pairs that may lie beyond each side of the picture


def cosines_figure(before: Histogram, after: Mapping[str, Histogram], dimension: int) -> FigureData:
    """Cosines of the same random pairs as they are and after repairs, beside those of random directions."""
    null = bin_shares(before.edges, dimension)
    low, high = _shown([before.shares, null, *(h.shares for h in after.values())])
    edges = before.edges[low : high + 1]
    per_hundredth = 0.01 * len(before.shares) / 2.0

    def steps(name: str, role: Role, shares: np.ndarray) -> Series:
        return Series.of("steps", name, edges, shares[low:high] * per_hundredth, role)

    told = ", ".join(f"{cosine(h.mean)} after {name}" for name, h in after.items())
    return FigureData(
        id="repaired-cosines",
        title=f"Random pairs have a mean cosine of {cosine(before.mean)} as they are, {told}",
        alt="Histograms of the cosines of the same random pairs before and after repairs, beside random directions.",
        x_label="cosine of two random rows",
        y_label="share of pairs per 0.01",
        series=[
            steps("as it is", "measured", before.shares),
            *(steps(name, "category", found.shares) for name, found in after.items()),
            steps("random directions", "random", null),
        ],
        caption=f"The same {count(before.pairs)} seeded random pairs throughout. The grey line is the law of the cosine of "
        f"two random directions in {count(dimension)} dimensions.",
    )


def filters_figure(found: Filters) -> FigureData:
    """Gains of repairs on the principal components, on one axis."""
    place = [1.0 + i for i in range(len(found.variances))]
    return FigureData(
        id="filters",
        title="Repairs differ only in the gain they give to each principal component",
        alt="Gain of each repair on the principal components, from the largest component to the smallest.",
        x_label="principal component, largest first",
        y_label="gain, largest = 1",
        series=[Series.of("line", name, place, gain, "category") for name, gain in found.gains.items()],
        caption="Length that a unit vector along each component keeps. What a repair buys and costs: armillary repair.",
        x_log=True,
    )


def scores_figure(found: RepairComparison) -> FigureData | None:
    """What each repair adds to the scores; None where no set is covered."""
    rows = found.rows[1:]
    if not rows or not rows[0].scores:
        return None
    gains = np.array([[s.after - s.before for s in row.scores] for row in rows])  # (repairs, sets)
    places = np.arange(1.0, len(rows) + 1)
    best = int(gains.mean(1).argmax())
    return FigureData(
        id="scores",
        title=f"Over {gains.shape[1]} sets {rows[best].name} adds most: {gains[best].mean():+.3f} on average".replace(
            "-0.", "−0."
        ),
        alt="Change of each score by repair, a point for each evaluation set, with the mean over the sets.",
        x_label=" · ".join(f"{i} {row.name}" for i, row in enumerate(rows, 1)),
        y_label="score after − before",
        series=[
            Series.of("bars", "mean over the sets", places, gains.mean(1)),
            Series.of("points", "each set", np.repeat(places, gains.shape[1]), gains.ravel(), "category"),
        ],
        caption="Spearman's correlation with people's scores, and the share of first places for analogies, each on the items "
        "that all tables cover. The intervals of the differences are in the table.",
    )


def _shown(shares: Sequence[np.ndarray]) -> tuple[int, int]:
    """Bins from the first to the last that any of the histograms needs."""
    cumulative = [np.cumsum(share) for share in shares]
    low = min(int(np.searchsorted(c, BEYOND)) for c in cumulative)
    high = max(int(np.searchsorted(c, c[-1] - BEYOND)) + 1 for c in cumulative)
    return max(0, low - 1), min(len(shares[0]), high + 1)
