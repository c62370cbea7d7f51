"""From a study to the running model of its table, and what a lens and a drift are as reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from armillary.errors import UsageError

if TYPE_CHECKING:
    from armillary.lens import LanguageModel
    from armillary.report import Finding, Report, Section
    from armillary.study.study import Study


def model_of(study: Study, device: str) -> LanguageModel:
    """The model in the file of a study; UsageError for a table that came from an array."""
    from armillary.lens import open_model

    if study.path is None:
        raise UsageError(
            "expected a model in a file or a folder, found a table of an array", "open the model by its path"
        )
    return open_model(study.path, table=study.table, device=device)


def report_of(study: Study, name: str, findings: Sequence[Finding], sections: Sequence[Section]) -> Report:
    """A report of sections made by a running model; it has no measures of the table."""
    from armillary import __version__
    from armillary.report import Report, ordered

    return Report(
        armillary=__version__,
        name=name,
        provenance={**study.provenance.to_dict(), "shape": list(study.shape)},
        load_report=study.load_report.to_dict(),
        row_facts={"sha256": ""},  # the rows are not passed over
        headlines=[],
        findings=ordered(findings),
        sections=list(sections),
        measures=[],
        scanned=False,
        seconds=None,
    )
