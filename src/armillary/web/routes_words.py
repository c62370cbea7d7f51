"""The questions about words, each one call of the study in the space asked for."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from armillary.web.asking import Analogy, Asked, Compared, Direction, Language, Raw, Words
from armillary.web.views import direction_view, sets_view, words_view

router: APIRouter = APIRouter()


@router.post("/words")
def words(study: Raw, asked: Words) -> dict[str, Any]:
    """Which row or rows each typed word stands for; null for one that the table does not have."""
    return {"words": words_view(study, asked.words)}


@router.post("/similarity")
def similarity(study: Asked, asked: Compared) -> dict[str, Any]:
    """Every pair of some words, calibrated against random pairs."""
    return study.similarity(*asked.words).to_dict()


@router.post("/analogy")
def analogy(study: Asked, asked: Analogy) -> dict[str, Any]:
    """An analogy with its ranks before and after, in every convention, and its null."""
    return study.analogy(asked.question, answer=asked.answer or None, method=asked.method).to_dict()


@router.post("/direction")
def direction(study: Asked, asked: Direction) -> dict[str, Any]:
    """A direction with its held-out projections, and words read on it."""
    return direction_view(study, asked.name, asked.language, asked.pairs, asked.words)


@router.get("/sets")
def sets(language: Language = "en") -> dict[str, Any]:
    """The ready sets of pairs."""
    return {"sets": sets_view(language)}


@router.get("/direction")
def ready_direction(request: Request, study: Asked, name: str, language: Language = "en") -> dict[str, Any]:
    """The direction of a ready set."""
    key = ("direction", study.space, name, language)
    return request.app.state.remembered(key, lambda: direction_view(study, name, language, [], []))


@router.get("/ladder")
def ladder(request: Request, study: Asked, language: Language = "en") -> dict[str, Any]:
    """The relation ladder, identical to unrelated."""
    key = ("ladder", study.space, language)
    return request.app.state.remembered(key, lambda: study.ladder(language).to_dict())


@router.get("/categories")
def categories(request: Request, study: Asked, language: Language = "en") -> dict[str, Any]:
    """The six categories: their words, and how far they stand apart."""
    key = ("categories", study.space, language)
    return request.app.state.remembered(key, lambda: study.categories(language).to_dict())


@router.get("/lens")
def lens(request: Request) -> dict[str, Any]:
    """Whether a model can run here, and if not, why."""
    why = request.app.state.lens.why_not()
    return {"ready": not why, "why": why}
