"""A study as a report: the sections in order, their findings by weight, the four figures at the top."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from armillary.report import Finding, Report, ordered
from armillary.study.sections import modules
from armillary.study.sections.part import Part

if TYPE_CHECKING:
    from armillary.study.study import Progress, Study


def first_findings_of(study: Study, progress: Progress | None = None) -> list[Finding]:
    """Findings of everything that needs no scan, by weight; progress(sections done, sections)."""
    parts = _parts(study, False, progress)
    return ordered(finding for part in parts for finding in part.findings)


def report_of(
    study: Study, scan: bool, prompt: str, progress: Progress | None, composing: Progress | None = None
) -> Report:
    """The whole report; without the sections that need a scan where `scan` is False and none is cached."""
    lens = study.lens(prompt, decompose=True).parts() if prompt else []  # first: a model that cannot run costs no scan
    if scan:
        study.scan(progress=progress)
    return composed(study, scan or study.finished_scan() is not None, lens, composing)


def composed(study: Study, scanned: bool, more: Sequence[Part] = (), progress: Progress | None = None) -> Report:
    """The report of what is known: all of it with a finished scan, else what costs a few passes over the rows."""
    from armillary import __version__

    began = time.monotonic()
    parts = [*_parts(study, scanned, progress), *more]
    places = {place: headline for part in parts for place, headline in part.headlines.items()}
    return Report(
        armillary=__version__,
        name=study.provenance.source,
        provenance={**study.provenance.to_dict(), "shape": list(study.shape)},
        load_report=study.load_report.to_dict(),
        row_facts=_row_facts(study),
        headlines=[places[place] for place in sorted(places)],
        findings=ordered(finding for part in parts for finding in part.findings),
        sections=[part.section for part in parts],
        measures=[measure for part in parts for measure in part.measures],
        scanned=scanned,
        seconds=time.monotonic() - began,
    )


def _parts(study: Study, scanned: bool, progress: Progress | None) -> list[Part]:
    """The sections that can be composed with what is known; progress(sections done, sections)."""
    wanted = [module for module in modules() if scanned or not module.NEEDS_SCAN]
    found: list[Part | None] = []
    for done, module in enumerate(wanted, 1):
        found.append(module.compose(study, scanned))
        if progress:
            progress(done, len(wanted))
    return [part for part in found if part is not None]


def _row_facts(study: Study) -> dict:
    facts = study.facts
    return {
        "sha256": facts.sha256,
        "zero": len(facts.zero),
        "non_finite": len(facts.non_finite),
        "equal_rows": facts.equal_rows,
        "equal_groups": len(facts.equal_groups),
        "left_out": {reason: len(ids) for reason, ids in study.code.excluded.items()},
    }
