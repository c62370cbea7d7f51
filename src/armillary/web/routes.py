"""The questions the page can ask, each one call of the study."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from armillary.study.study import Study
from armillary.web.pack import pack

router = APIRouter()
MOST_NEIGHBOURS, MOST_TOKENS, MOST_LETTERS = 100, 1_000, 400
MOST_ROWS, MOST_WIDTH = 10**9, 10**6  # what the planner's closed forms take


class Ids(BaseModel):
    """Ids of tokens to be shown."""

    ids: Annotated[list[int], Field(max_length=MOST_TOKENS)]


def _study(request: Request) -> Study:
    return request.app.state.study


@router.get("/model")
def model(request: Request) -> dict[str, Any]:
    """What is under study."""
    study = _study(request)
    rows, width = study.shape
    return {
        "name": study.provenance.source,
        "rows": rows,
        "width": width,
        "stored": study.provenance.stored,
        "kept": len(study.code),
    }


@router.get("/search")
def search(request: Request, q: Annotated[str, Query(max_length=MOST_LETTERS)]) -> dict[str, Any]:
    """Tokens that a text, an id or bytes may mean."""
    return {"tokens": _study(request).search(q)}


@router.post("/tokens")
def tokens(request: Request, wanted: Ids) -> dict[str, Any]:
    """The tokens of these ids, in this order; ids outside the table are left out."""
    return {"tokens": _study(request).token_views(wanted.ids)}


@router.get("/token/{id}")
def token(request: Request, id: int, k: Annotated[int, Query(ge=1, le=MOST_NEIGHBOURS)] = 10) -> dict[str, Any]:
    """A token's card: what it is, and its exact neighbours in the full space."""
    return _study(request).card(id, k).to_dict()


@router.get("/map")
def map(request: Request) -> Response:
    """Every row on the map's plane, with the measures that colour it."""
    atlas = _study(request).atlas()
    coded = {name: codes for name, (codes, _) in atlas.categories.items()}
    facts = {
        "explained": atlas.plane.explained.tolist(),
        "categories": {name: labels for name, (_, labels) in atlas.categories.items()},
    }
    plane = {"ids": atlas.plane.ids.astype(np.int32), "xy": atlas.plane.xy, "shown": atlas.plane.shown}
    return Response(pack(facts, **plane, **atlas.columns, **coded), media_type="application/octet-stream")


@router.get("/report")
def report(request: Request) -> dict[str, Any]:
    """The report as far as it is known: without a finished scan, the sections that need none."""
    return _study(request).report(scan=False).to_dict()


@router.get("/plan")
def plan(
    request: Request,
    size: Annotated[int, Query(ge=2, le=MOST_ROWS)],
    dimension: Annotated[int, Query(ge=1, le=MOST_WIDTH)],
) -> dict[str, Any]:
    """Closed forms for V vectors in d dimensions."""
    return _study(request).plan(size, dimension).to_dict()


@router.post("/jobs/{kind}")
def start_job(request: Request, kind: str) -> dict[str, Any]:
    """Start long work, or join what is running."""
    return request.app.state.jobs.start(kind).to_dict()


@router.get("/jobs/{id}")
def job(request: Request, id: int) -> dict[str, Any]:
    """How far a job is."""
    return request.app.state.jobs.get(id).to_dict()


@router.delete("/jobs/{id}")
def cancel_job(request: Request, id: int) -> dict[str, Any]:
    """Ask a job to stop."""
    found = request.app.state.jobs.get(id)
    found.cancel()
    return found.to_dict()
