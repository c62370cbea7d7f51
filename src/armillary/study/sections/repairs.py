"""What repairs would change: the gain of each on the principal components, on one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armillary.report import Section
from armillary.study.repair_figures import filters_figure
from armillary.study.sections.part import Part

if TYPE_CHECKING:
    from armillary.repairs import Repair
    from armillary.sphere import Cloud
    from armillary.study.study import Study

NEEDS_SCAN = False
ID = "repairs"
SHOWN = ("centre", "all-but-the-top", "whiten", "conceptor")


def compose(study: Study, scanned: bool) -> Part | None:
    """The filters of the repairs; None for a table with fewer rows than dimensions or without variance."""
    from armillary.repairs import filters

    fitted = fitted_to(study)
    if fitted is None:
        return None
    cloud, repairs = fitted
    section = Section(
        id=ID,
        title="What repairs would change",
        sentences=[
            "A spectral repair multiplies every principal component by a gain: centring keeps them all and takes the mean "
            "away, all-but-the-top drops the first, whitening raises the small ones, a conceptor lowers the large ones."
        ],
        figure=filters_figure(filters(cloud, repairs)),
        how="Maps fitted to the mean and covariance of the rows kept, with the defaults of armillary repair.",
    )
    return Part(section)


def fitted_to(study: Study) -> tuple[Cloud, list[Repair]] | None:
    """(cloud, the repairs shown) of the rows kept; None where the cloud does not allow them."""
    from armillary.repairs import fit_cloud
    from armillary.sphere import Cloud

    first = study.first_pass
    if first.rows <= first.dimension or first.dimension < 2 or not first.variances.any():
        return None
    cloud = Cloud(first.mean, first.spread, first.rows, first.rows)
    return (cloud, [fit_cloud(cloud, method) for method in SHOWN]) if cloud.rank > 1 else None
