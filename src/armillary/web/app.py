"""The server of the page: a FastAPI application over one study, behind the door.

It shows what the library computed and computes nothing itself. Questions are answered in a worker thread, so that a
long one does not stop the others; bulk data goes out packed; static files come from the bundle alone.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from armillary.errors import ArmillaryError
from armillary.study.live_lens import LiveLens
from armillary.web.jobs import Jobs
from armillary.web.lesson import router as lesson_router
from armillary.web.remembered import Remembered
from armillary.web.routes import remembered_map, router
from armillary.web.routes_words import router as word_router
from armillary.web.security import Door
from armillary.web.work import work_of

if TYPE_CHECKING:
    from armillary.study import Study

BUNDLE = Path(__file__).parent / "static"


def create_app(study: Study, *, token: str, port: int, ahead: bool = False) -> ASGIApp:
    """The page's server over a study; `token` is the secret of its address, `port` where it will listen.

    `ahead`: compute the map at once, in a thread, so that it is there when someone opens the address.
    """
    app = FastAPI(title="Armillary", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.study = study
    app.state.lens = LiveLens(study)
    app.state.jobs = Jobs(work_of(study))
    app.state.remembered = Remembered().get
    if ahead:
        threading.Thread(target=_map_ahead, args=(app,), daemon=True).start()
    app.include_router(router, prefix="/api")
    app.include_router(word_router, prefix="/api")
    app.include_router(lesson_router, prefix="/api")
    app.add_exception_handler(ArmillaryError, _told)
    app.middleware("http")(_unknown_is_json)
    if BUNDLE.is_dir():
        app.mount("/", StaticFiles(directory=BUNDLE, html=True))
    return Door(app, token, port)


def _map_ahead(app: FastAPI) -> None:
    with suppress(ArmillaryError):  # whoever asks for the map is told
        remembered_map(app, app.state.study)


def _told(_: Request, error: Exception) -> Response:
    cure = error.cure if isinstance(error, ArmillaryError) else ""
    return JSONResponse({"message": error.args[0], "cure": cure}, 422)


async def _unknown_is_json(request: Request, call: Callable[[Request], Awaitable[Response]]) -> Response:
    response = await call(request)
    if response.status_code == 404 and request.url.path.startswith("/api/"):
        return JSONResponse({"message": f"there is no {request.url.path}"}, 404)
    return response
