"""The lesson's questions: fixed documents about the table under study, and the word2vec film that a job trains."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request

from armillary.errors import ArmillaryError, UsageError
from armillary.study.lesson import LANGUAGES, PARTS, lesson_of

if TYPE_CHECKING:
    from armillary.study import Study

router = APIRouter(prefix="/lesson")
Documents = dict[tuple[str, str], dict[str, Any]]
FILM = "snapshots"


def documents(study: Study) -> Iterator[tuple[str, bytes]]:
    """(path, JSON) of every fixed document, for an export; a part that this table cannot answer says why instead."""
    for language in LANGUAGES:
        for part in PARTS:
            try:
                answer = lesson_of(study, language, part)
            except ArmillaryError as error:
                answer = {"unavailable": error.message}
            yield f"lesson/{language}/{part}", json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()


def jobs(kept: Documents) -> dict[str, Callable[[Callable[[int, int], None]], Any]]:
    """The long work of the lesson, by name; what it finds is kept where `part` looks."""
    return {f"word2vec-{language}": _training(language, kept) for language in LANGUAGES}


def _training(language: str, kept: Documents) -> Callable[[Callable[[int, int], None]], Any]:
    def work(progress: Callable[[int, int], None]) -> None:
        from armillary.study.lesson.snapshots import snapshots_of

        kept[language, FILM] = snapshots_of(language, progress)

    return work


@router.get("/{language}/{part}")
def part(request: Request, language: str, part: str) -> dict[str, Any]:
    """One document of the lesson; computed once and kept."""
    kept: Documents = request.app.state.lesson
    if (language, part) not in kept:
        if part == FILM:
            raise UsageError("word2vec was not trained yet", f"start the job word2vec-{language}")
        kept[language, part] = lesson_of(request.app.state.study, language, part)
    return kept[language, part]
