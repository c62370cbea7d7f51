"""What repairs would change: the gain of each on the principal components, on one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armillary.answer import count, number
from armillary.report import Section
from armillary.study.repair_figures import filters_figure
from armillary.study.sections.part import Part

if TYPE_CHECKING:
    from armillary.repairs import Filters, Repair
    from armillary.sphere import Cloud
    from armillary.study.study import Study

NEEDS_SCAN = False
ID = "repairs"
DROPPED = 1e-6  # gain below which a component is gone
EVEN = 0.99  # gain from which the largest component is as good as untouched
SHOWN = ("centre", "all-but-the-top", "whiten", "conceptor")


def compose(study: Study, scanned: bool) -> Part | None:
    """The filters of the repairs; None for a table with fewer rows than dimensions or without variance."""
    from armillary.repairs import filters

    fitted = fitted_to(study)
    if fitted is None:
        return None
    found = filters(*fitted)
    section = Section(
        id=ID,
        title="What repairs would change",
        sentences=[sentence(found)],
        figure=filters_figure(found),
        how="Maps fitted to the mean and covariance of the rows kept, with the defaults of armillary repair.",
    )
    return Part(section)


def sentence(found: Filters) -> str:
    """What each repair does to the components of this table, by its gains."""
    top, white, conceptor = (found.gains[name] for name in SHOWN[1:])
    dropped = int((top < DROPPED).sum())
    first = "the first" if dropped == 1 else f"the first {count(dropped)}"
    raised = (
        f"raises the smallest to {number(1 / white[0])} times the gain of the first"
        if white[0] < EVEN
        else "changes hardly any"
    )
    lowered = f"lowers the largest to a gain of {number(conceptor[0])}" if conceptor[0] < EVEN else "lowers none here"
    return (
        "A spectral repair multiplies every principal component by a gain: centring keeps them all and takes the mean away, "
        f"all-but-the-top drops {first}, whitening {raised}, a conceptor {lowered}."
    )


def fitted_to(study: Study) -> tuple[Cloud, list[Repair]] | None:
    """(cloud, the repairs shown) of the rows kept; None where the cloud does not allow them."""
    from armillary.repairs import fit_cloud
    from armillary.sphere import Cloud

    first = study.first_pass
    if first.rows <= first.dimension or first.dimension < 2 or not first.variances.any():
        return None
    cloud = Cloud(first.mean, first.spread, first.rows, first.rows)
    return (cloud, [fit_cloud(cloud, method) for method in SHOWN]) if cloud.rank > 1 else None
