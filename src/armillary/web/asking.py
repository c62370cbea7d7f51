"""What a question may hold: its limits, as types, and the study it is asked of.

Every list and text has a limit here, and nowhere else; a question beyond one is refused before the library sees it.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from fastapi import Depends, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from armillary.errors import UsageError
from armillary.study.spaces import check_space
from armillary.study.study import Study

MOST_NEIGHBOURS, MOST_TOKENS, MOST_ROWS_SENT = 100, 1_000, 400
MOST_LETTERS, MOST_WORDS, MOST_PAIRS, MOST_COMPARED = 400, 400, 200, 12

Text = Annotated[str, Field(max_length=MOST_LETTERS)]
Language = Literal["en", "zh"]


class _Question(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


class Ids(_Question):
    """Ids of tokens to be shown."""

    ids: Annotated[list[int], Field(max_length=MOST_TOKENS)]


class FewIds(_Question):
    """Ids of rows to be sent."""

    ids: Annotated[list[int], Field(min_length=1, max_length=MOST_ROWS_SENT)]


class Words(_Question):
    """Words to be found in the table."""

    words: Annotated[list[Text], Field(max_length=MOST_WORDS)]


class Compared(_Question):
    """Words to be compared, each with each."""

    words: Annotated[list[Text], Field(max_length=MOST_COMPARED)]


class Analogy(_Question):
    """An analogy, and the answer whose ranks are asked."""

    question: Text
    answer: Text = ""
    method: Literal["3CosAdd", "3CosMul"] = "3CosAdd"


class Direction(_Question):
    """A direction, by the name of a ready set or from pairs, and words to be read on it."""

    name: Text = ""
    language: Language = "en"
    pairs: Annotated[list[tuple[Text, Text]], Field(max_length=MOST_PAIRS)] = []
    words: Annotated[list[Text], Field(max_length=MOST_COMPARED)] = []


class Task(_Question):
    """The arguments of a job; each kind reads its own."""

    method: Text = ""
    space: Text = "raw"
    prompt: Text = ""
    answer: Text = ""
    position: int | None = None
    word: Text = ""
    words: Annotated[list[Text], Field(max_length=MOST_COMPARED)] = []
    sentences: Annotated[list[Text], Field(max_length=MOST_COMPARED)] = []


def raw_study(request: Request) -> Study:
    """The study as it was opened."""
    return request.app.state.study


def study_asked(request: Request, space: Annotated[str, Query(max_length=40)] = "raw") -> Study:
    """The study in the space that the question names; UsageError where that space is not prepared yet."""
    study = raw_study(request)
    check_space(space)
    if space == "raw" or space in study.spaces:
        return study.in_space(space)
    raise UsageError(f"the {space} space is not prepared yet", f"start the job space with {space!r}, and ask again")


Raw = Annotated[Study, Depends(raw_study)]
Asked = Annotated[Study, Depends(study_asked)]
