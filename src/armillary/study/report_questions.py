"""What a study answers as a whole: its first findings, and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from armillary.report import Finding, Report
    from armillary.study.study import Progress, Study


class ReportQuestions:
    """The report; a base of `Study`, apart from it so that each file has one idea."""

    def first_findings(self, *, progress: Progress | None = None) -> list[Finding]:
        """Findings of everything that needs no scan, the most important first; progress(sections done, sections)."""
        from armillary.study.report import first_findings_of

        return first_findings_of(cast("Study", self), progress)

    def report(
        self,
        *,
        scan: bool = True,
        prompt: str = "",
        progress: Progress | None = None,
        composing: Progress | None = None,
    ) -> Report:
        """The whole study as a report; without `scan`, sections that need one are left out unless it is cached.

        `prompt`: also the logit lens of it, which runs the model (extra `lens`). `progress`: of the scan;
        `composing`: of the sections.
        """
        from armillary.study.report import report_of

        return report_of(cast("Study", self), scan, prompt, progress, composing)
