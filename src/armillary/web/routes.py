"""The questions about the table as a whole and about single tokens, each one call of the study."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, FastAPI, Query, Request
from fastapi.responses import Response

from armillary.study.page_questions import published_models
from armillary.study.study import Study
from armillary.web.asking import MOST_LETTERS, MOST_NEIGHBOURS, MOST_TOKENS, Asked, FewIds, Ids, Raw, Task
from armillary.web.pack import pack
from armillary.web.views import health_view, map_pack, model_view
from armillary.web.wanted import while_wanted

router: APIRouter = APIRouter()
MOST_ROWS, MOST_WIDTH = 10**9, 10**6  # what the planner's closed forms take


def passed(app: FastAPI, study: Study) -> None:
    """The pass over the rows that the map, the cards and the report all need, made once however many ask meanwhile."""
    app.state.remembered(("passed", study.space), lambda: len(study.projection.ids))


def remembered_map(app: FastAPI, study: Study) -> bytes:
    """The map, computed once; again when a finished scan has brought columns."""
    passed(app, study)
    return app.state.remembered(("map", study.space, study.finished_scan() is not None), lambda: map_pack(study))


def packed(body: bytes) -> Response:
    return Response(body, media_type="application/octet-stream")


@router.get("/model")
def model(study: Raw) -> dict[str, Any]:
    """What is under study."""
    return model_view(study)


@router.get("/search")
def search(study: Raw, q: Annotated[str, Query(max_length=MOST_LETTERS)]) -> dict[str, Any]:
    """Tokens that a text, an id or bytes may mean."""
    return {"tokens": study.search(q)}


@router.post("/tokens")
def tokens(study: Raw, wanted: Ids) -> dict[str, Any]:
    """The tokens of these ids, in this order; ids outside the table are left out."""
    return {"tokens": study.token_views(wanted.ids)}


@router.get("/token/{id}")
def token(
    request: Request, study: Asked, id: int, k: Annotated[int, Query(ge=1, le=MOST_NEIGHBOURS)] = 10
) -> dict[str, Any]:
    """A token's card: what it is, and its exact neighbours in the full space."""
    if study.space == "raw":  # the card tells what its map shows of the row
        passed(request.app, study)
    return study.card(id, k).to_dict()


@router.post("/rows")
def rows(study: Asked, wanted: FewIds) -> Response:
    """Some rows as they are in the space asked for, float32; ids outside the table are left out."""
    ids = np.array([id for id in wanted.ids if 0 <= id < len(study.table)], np.int32)
    return packed(pack({"exact": True, "space": study.space}, ids=ids, rows=study.table.rows(ids)))


@router.get("/map")
def map(request: Request, study: Asked) -> Response:
    """Every row on the map's plane, with the measures that colour it."""
    return packed(remembered_map(request.app, study))


@router.get("/list")
async def listed(
    request: Request,
    study: Asked,
    where: Annotated[str, Query(max_length=MOST_LETTERS)] = "",
    sort: Annotated[str, Query(max_length=MOST_LETTERS)] = "",
    limit: Annotated[int, Query(ge=1, le=MOST_TOKENS)] = 100,
) -> dict[str, Any]:
    """Tokens with every per-token measure, filtered and sorted by DuckDB expressions, which may ask for ever."""

    def found(wanted: Callable[[], bool]) -> dict[str, Any]:
        tokens = study.tokens(where or None, sort or None, limit, wanted=wanted)
        return {"rows": tokens.table.to_pylist(), "matching": tokens.matching, "scanned": tokens.scanned}

    return await while_wanted(request, found)


@router.get("/health")
def health(study: Raw) -> dict[str, Any]:
    """The rows that need attention, by kind, and the most suspicious of the others."""
    return health_view(study)


@router.get("/report")
def report(request: Request, study: Asked) -> dict[str, Any]:
    """What is known of the report at once; `more`: whether a scan is finished, so that the job `report` has the rest."""
    passed(request.app, study)
    first = request.app.state.remembered(("report", study.space), lambda: study.first_report().to_dict())
    return {**first, "more": study.finished_scan() is not None}


@router.get("/models")
def models() -> dict[str, Any]:
    """Published models, to be set beside the table in the planner."""
    return {"models": published_models()}


@router.get("/plan")
def plan(
    study: Raw,
    size: Annotated[int, Query(ge=2, le=MOST_ROWS)],
    dimension: Annotated[int, Query(ge=1, le=MOST_WIDTH)],
) -> dict[str, Any]:
    """Closed forms for V vectors in d dimensions."""
    return study.plan(size, dimension).to_dict()


@router.post("/jobs/{kind}")
def start_job(request: Request, kind: str, task: Task | None = None) -> dict[str, Any]:
    """Start long work, join what is running, or be given what is done."""
    return request.app.state.jobs.start(kind, (task or Task()).model_dump()).to_dict()


@router.get("/jobs/{id}")
def job(request: Request, id: int) -> dict[str, Any]:
    """How far a job is."""
    return request.app.state.jobs.get(id).to_dict()


@router.get("/jobs/{id}/result")
def job_result(request: Request, id: int) -> dict[str, Any]:
    """What a job found; null until it is done."""
    return {"result": request.app.state.jobs.get(id).result}


@router.delete("/jobs/{id}")
def cancel_job(request: Request, id: int) -> dict[str, Any]:
    """Ask a job to stop."""
    found = request.app.state.jobs.get(id)
    found.cancel()
    return found.to_dict()
