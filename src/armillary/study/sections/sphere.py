"""How close the rows come on the sphere: coherence, minimum angle, the histogram of all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armillary.answer import cosine, count, quoted
from armillary.bounds import bin_shares
from armillary.report import FigureData, Headline, Section, Series
from armillary.report.findings import sphere as findings
from armillary.study.sections.part import Part, by_name, published

if TYPE_CHECKING:
    from armillary.scan.result import Scan
    from armillary.study.study import Study

NEEDS_SCAN = True
ID = "sphere"
BEYOND = 5e-4  # share of pairs that may lie beyond each side of the picture
MERGED = 8  # bins of the scan that make one of the picture
MATCHED_ROWS = 2_000


def compose(study: Study, scanned: bool) -> Part | None:
    """The sphere; None for fewer than two rows."""
    scan = study.scan()
    if scan.closest is None:
        return None
    measures = published(study.measures("sphere"))
    found = by_name(measures)
    section = Section(
        id=ID,
        title="The sphere",
        sentences=findings.sentences(found),
        figure=_histogram(study, scan),
        measures=[measure.name for measure in measures],
        how="Every pair of kept rows was compared. Pairs are screened with a proved error bound and the survivors computed "
        "again in float64, so the extremes are exact; ties go to the lower id.",
    )
    a, b = study.table.token(scan.closest.i), study.table.token(scan.closest.j)
    headline = Headline(
        label="closest pair",
        value=cosine(scan.closest.value),
        note=f"{quoted(a.text)} and {quoted(b.text)}, of {count(scan.pairs)} pairs",
    )
    return Part(section, measures, tuple(findings.findings(found, ID, (a.text, b.text))), {1: headline})


def _histogram(study: Study, scan: Scan) -> FigureData | None:
    histogram = scan.histogram
    if histogram is None or not histogram.pairs:
        return None
    edges = histogram.edges[::MERGED]
    shares = histogram.counts.reshape(-1, MERGED).sum(axis=1) / histogram.pairs
    random, matched = bin_shares(edges, study.shape[1]), _matched(study, edges)
    low, high = _shown(shares, random, matched)
    per_hundredth = 0.01 / (edges[1] - edges[0])
    places = ((edges[1:] + edges[:-1]) / 2.0)[low:high].tolist()
    how = "all pairs" if histogram.kind == "exact" else f"{count(histogram.pairs)} random pairs"

    def heights(values: np.ndarray) -> list[float]:
        return (values[low:high] * per_hundredth).tolist()

    return FigureData(
        id="cosines",
        title=findings.statement(np.cumsum(histogram.counts) / histogram.pairs, histogram.edges),
        alt="Histogram of the cosines of pairs of rows, beside those of a random code and of a matched code.",
        x_label="cosine of two rows",
        y_label="share of pairs per 0.01",
        series=[
            Series.of("steps", "this table", edges[low : high + 1], heights(shares)),
            Series.of("line", "random code", places, heights(random), "random"),
            Series.of("line", "matched code (same mean and covariance)", places, heights(matched), "matched"),
        ],
        caption=f"From {how}; at most 1 in 2,000 lies beyond the picture on each side. The random code is a formula, "
        f"the matched code one draw of {count(MATCHED_ROWS)} rows whatever the size of the table, seed 0: more rows make "
        "its curve smoother and no wider.",
    )


def _matched(study: Study, edges: np.ndarray) -> np.ndarray:
    """Share of a matched code's pairs in each bin, from one seeded draw."""
    from armillary.geometry import matched_rows

    rows = matched_rows(study.first_pass, MATCHED_ROWS, np.random.default_rng(0))
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = (unit @ unit.T)[np.triu_indices(MATCHED_ROWS, 1)]
    return np.histogram(cosines, edges)[0] / len(cosines)


def _shown(*shares: np.ndarray) -> tuple[int, int]:
    """Bins from the first to the last that any of the histograms needs."""
    cumulative = [np.cumsum(share) for share in shares]
    low = min(int(np.searchsorted(c, BEYOND)) for c in cumulative)
    high = max(int(np.searchsorted(c, c[-1] - BEYOND)) + 1 for c in cumulative)
    return max(0, low - 1), min(len(shares[0]), high + 1)
