"""Whether the rows spread evenly in all directions: the mean cosine, the spectrum, the dimension."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from armillary.answer import cosine, count
from armillary.report import FigureData, Headline, MeasureValue, Section, Series
from armillary.report.findings import isotropy as findings
from armillary.study.sections.part import Part, by_name, published

if TYPE_CHECKING:
    from armillary.study.study import Study

NEEDS_SCAN = False
ID = "isotropy"


def compose(study: Study, scanned: bool) -> Part:
    """Isotropy of the rows kept."""
    measures = published(study.measures("isotropy", drawn=scanned))
    found = by_name(measures)
    section = Section(
        id=ID,
        title="How evenly it fills its space",
        sentences=findings.sentences(found),
        figure=_spectrum(study, found),
        measures=[measure.name for measure in measures],
        how="Every mean over pairs is exact: it follows from the sum of the unit rows and from their d × d product, "
        "without visiting pairs. Spectra are eigenvalues of the covariance of the raw rows, float64 throughout.",
    )
    return Part(section, measures, tuple(findings.findings(found, ID)), _headline(found))


def _headline(found: Mapping[str, MeasureValue]) -> dict[int, Headline]:
    mean = found.get("mean_cosine")
    if mean is None:  # a single row
        return {}
    note = f"against 0 for a random code; exact, all pairs of {count(mean.n)} rows"
    return {2: Headline(label="mean cosine", value=cosine(mean.value), note=note)}


def _spectrum(study: Study, found: Mapping[str, MeasureValue]) -> FigureData | None:
    from armillary.bounds import marchenko_pastur_quantiles
    from armillary.geometry import spectrum

    cloud = spectrum(study.first_pass)
    if cloud is None:
        return None
    shares = cloud.variances / cloud.variances.sum()
    null = marchenko_pastur_quantiles(*study.code.shape, len(shares))
    place = (1.0 + np.arange(len(shares))).tolist()
    edge = cloud.noise_edges[1] / cloud.variances.sum()
    return FigureData(
        id="spectrum",
        title=findings.statement(found, shares),
        alt="Share of the variance along each principal component, from the largest to the smallest.",
        x_label="principal component, largest first",
        y_label="share of the variance",
        series=[
            Series.of("line", "this table", place, shares),
            Series.of("line", "random code of the same size", place, null / null.sum(), "random"),
            Series.of("line", "edge of noise", [1.0, place[-1]], [edge, edge], "bound"),
        ],
        caption="Covariance of the raw rows. The grey line is the Marchenko–Pastur law: independent rows, no direction "
        "preferred; the dashed line is its upper edge, (1 + √(d/n))²/d of the variance: what stands above it is no such noise.",
        x_log=True,
        y_log=True,
    )
