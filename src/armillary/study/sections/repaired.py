"""The cosines of random pairs before and after three repairs, against the law of random directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armillary.answer import cosine
from armillary.report import Section
from armillary.study.repair_figures import cosines_figure
from armillary.study.sections.part import Part
from armillary.study.sections.repairs import fitted_to

if TYPE_CHECKING:
    from armillary.study.study import Study

NEEDS_SCAN = True  # no pair list is needed, but rows are mapped: the first findings do not wait for it
ID = "repaired"
MOVED = 0.01  # change of the mean cosine from which a threshold has to move with it
SHOWN = ("centre", "all-but-the-top", "whiten")


def compose(study: Study, scanned: bool) -> Part | None:
    """Histograms before and after; None where the repairs cannot be fitted."""
    from armillary.study.pair_cosines import pair_histogram

    fitted = fitted_to(study)
    if fitted is None:
        return None
    before = pair_histogram(study.code)
    after = {r.method: pair_histogram(study.code, r) for r in fitted[1] if r.method in SHOWN}
    section = Section(
        id=ID,
        title="Cosines before and after a repair",
        sentences=[
            f"The same random pairs have a mean cosine of {cosine(before.mean)} as the rows are stored and of "
            f"{cosine(after['centre'].mean)} once the mean is taken away; {threshold(before.mean - after['centre'].mean)}.",
            "A rounder space is not a better one by itself: armillary repair says what each repair does to the scores.",
        ],
        figure=cosines_figure(before, after, study.shape[1]),
        how="Maps fitted to the mean and covariance of the rows kept, applied in float64 to the rows of the drawn pairs.",
    )
    return Part(section)


def threshold(change: float) -> str:
    """What becomes of a threshold on cosines where their mean changes so much."""
    if abs(change) > MOVED:
        return "a threshold on cosines holds for one of them only"
    return "the mean hardly mattered, and a threshold on cosines holds for both"
