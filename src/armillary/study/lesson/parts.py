"""The parts of the lesson by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from armillary.errors import UsageError
from armillary.study.lesson.context import bank, lens, order
from armillary.study.lesson.examples import EXAMPLES, Examples, examples_of
from armillary.study.lesson.meaning import analogies, ladder, length, onehot, tied
from armillary.study.lesson.space import cone, crowd, map_or_measure, width

if TYPE_CHECKING:
    from armillary.study.study import Study

Part = Callable[["Study", Examples], dict[str, Any]]
PARTS: Mapping[str, Part] = {
    "onehot": onehot,
    "length": length,
    "ladder": ladder,
    "analogy": analogies,
    "tied": tied,
    "crowd": crowd,
    "width": width,
    "map": map_or_measure,
    "cone": cone,
    "bank": bank,
    "lens": lens,
    "order": order,
}
LANGUAGES: tuple[str, ...] = tuple(EXAMPLES)


def lesson_of(study: Study, language: str, part: str) -> dict[str, Any]:
    """One part of the lesson, in plain JSON; UsageError for another language or part, and where the table lacks a word."""
    if language not in EXAMPLES or part not in PARTS:
        known = f"{', '.join(LANGUAGES)} and {', '.join(PARTS)}"
        raise UsageError(f"expected a part of the lesson among {known}, found {language}/{part}")
    return PARTS[part](study, examples_of(study.table, language))
