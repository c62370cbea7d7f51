"""The lesson's questions: fixed documents about the table under study, the same for a live page and an exported folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request

from armillary.errors import ArmillaryError
from armillary.study.lesson import LANGUAGES, PARTS, lesson_of
from armillary.web.asking import Language, Raw

if TYPE_CHECKING:
    from armillary.study import Study

router: APIRouter = APIRouter(prefix="/lesson")


@router.get("/{language}/{part}")
def part(request: Request, study: Raw, language: Language, part: str) -> dict[str, Any]:
    """One document of the lesson."""
    return request.app.state.remembered(("lesson", language, part), lambda: lesson_of(study, language, part))


def documents(study: Study) -> Iterator[tuple[str, bytes]]:
    """(path, JSON) of every fixed document, for an export; a part that this table cannot answer says why instead."""
    for language in LANGUAGES:
        for name in PARTS:
            try:
                answer = lesson_of(study, language, name)
            except ArmillaryError as error:
                answer = {"unavailable": error.message}
            yield f"lesson/{language}/{name}", json.dumps(answer, ensure_ascii=False, allow_nan=False).encode()
