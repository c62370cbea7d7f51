"""What repairs would change: the gain of each on the principal components, on one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armillary.report import FigureData, Section, Series
from armillary.study.sections.part import Part

if TYPE_CHECKING:
    from armillary.study.study import Study

NEEDS_SCAN = False
ID = "repairs"
SHOWN = ("centre", "all-but-the-top", "whiten", "conceptor")


def compose(study: Study, scanned: bool) -> Part | None:
    """The filters of the repairs; None for a table with fewer rows than dimensions or without variance."""
    from armillary.repairs import filters, fit_cloud
    from armillary.sphere import Cloud

    first = study.first_pass
    if first.rows <= first.dimension or first.dimension < 2 or not first.variances.any():
        return None
    cloud = Cloud(first.mean, first.spread, first.rows, first.rows)
    found = filters(cloud, [fit_cloud(cloud, method) for method in SHOWN if cloud.rank > 1])
    place = [1.0 + i for i in range(first.dimension)]
    figure = FigureData(
        id="filters",
        title="Repairs differ only in the gain they give to each principal component",
        alt="Gain of each repair on the principal components, from the largest component to the smallest.",
        x_label="principal component, largest first",
        y_label="gain, largest = 1",
        series=[
            Series(name=name, role="category", form="line", x=place, y=gain.tolist())
            for name, gain in found.gains.items()
        ],
        caption="Length that a unit vector along each component keeps. What a repair buys and costs: armillary repair.",
        x_log=True,
    )
    section = Section(
        id=ID,
        title="What repairs would change",
        sentences=[
            "A spectral repair multiplies every principal component by a gain: centring keeps them all and takes the mean "
            "away, all-but-the-top drops the first, whitening raises the small ones, a conceptor lowers the large ones."
        ],
        figure=figure,
        how="Maps fitted to the mean and covariance of the rows kept, with the defaults of armillary repair.",
    )
    return Part(section)
