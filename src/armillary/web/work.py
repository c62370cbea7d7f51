"""The long work that the page may ask for, by name: each is one call of the study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armillary.study.lesson.snapshots import CORPORA, snapshots_of
from armillary.study.live_lens import LiveLens
from armillary.study.stages import Stages
from armillary.web.jobs import Arguments, Progress, Work

if TYPE_CHECKING:
    from armillary.study import Study


def work_of(study: Study) -> dict[str, Work]:
    """Every kind of job over a study."""
    lens = LiveLens(study)

    def scan(asked: Arguments, progress: Progress) -> Any:
        study.in_space(asked["space"]).scan(progress=progress)

    def space(asked: Arguments, progress: Progress) -> Any:
        study.in_space(asked["space"], progress=progress)

    def report(asked: Arguments, progress: Progress) -> Any:
        there = study.in_space(asked["space"])
        stages = Stages(progress, 1, 1)
        there.comparison(progress=stages.next())
        return there.report(progress=progress, composing=stages.next()).to_dict()

    def repair(asked: Arguments, progress: Progress) -> Any:
        return study.repair(asked["method"], progress=progress).to_dict()

    def metrics(asked: Arguments, progress: Progress) -> Any:
        queries = max(100, min(1_000, 32_000_000 // len(study.table)))  # a second or two of one core
        return (
            study.in_space(asked["space"])
            .compare_metrics(*asked["words"], queries=queries, progress=progress)
            .to_dict()
        )

    def grid(asked: Arguments, progress: Progress) -> Any:
        return lens.grid(asked["prompt"], asked["position"], asked["answer"], progress)

    def drift(asked: Arguments, progress: Progress) -> Any:
        return lens.drift(asked["word"], asked["sentences"], progress)

    def word2vec(language: str) -> Work:
        return lambda _, progress: snapshots_of(language, progress)

    kinds: dict[str, Work] = {"scan": scan, "space": space, "report": report, "repair": repair, "metrics": metrics}
    return {**kinds, "lens": grid, "drift": drift, **{f"word2vec-{name}": word2vec(name) for name in CORPORA}}
