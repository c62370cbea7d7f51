"""The server of the page: a FastAPI application over one study, behind the door.

It shows what the library computed and computes nothing itself. Questions are answered in a worker thread, so that a
long one does not stop the others; bulk data goes out packed; static files come from the bundle alone.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from armillary.errors import ArmillaryError
from armillary.study.live_lens import LiveLens
from armillary.web.jobs import Jobs
from armillary.web.lesson import router as lesson_router
from armillary.web.refusals import refuse_in_one_shape
from armillary.web.remembered import Remembered
from armillary.web.routes import remembered_map
from armillary.web.routes import router as table_router
from armillary.web.routes_words import router as word_router
from armillary.web.security import Door
from armillary.web.work import work_of

if TYPE_CHECKING:
    from armillary.study import Study

BUNDLE = Path(__file__).parent / "static"


def create_app(
    study: Study, *, token: str, port: int, ahead: bool = False, closing: threading.Event | None = None
) -> ASGIApp:
    """The page's server over a study; `token` is the secret of its address, `port` where it will listen.

    `ahead`: compute the map at once, in a thread, so that it is there when someone opens the address. `closing`: set
    by whoever ends the server, so that questions which could take long end too.
    """
    questions = _application()
    questions.state.study = study
    questions.state.lens = LiveLens(study)
    questions.state.jobs = Jobs(work_of(study))
    questions.state.remembered = Remembered().get
    questions.state.closing = closing or threading.Event()
    if ahead:
        threading.Thread(target=_map_ahead, args=(questions,), daemon=True).start()
    for router in (table_router, word_router, lesson_router):
        questions.include_router(router)
    page = _application()
    page.mount("/api", questions)  # an application of its own, so that no file can stand for a question
    if BUNDLE.is_dir():
        page.mount("/", StaticFiles(directory=BUNDLE, html=True))
    return Door(page, token, port)


def _application() -> FastAPI:
    app = FastAPI(title="Armillary", docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    refuse_in_one_shape(app)
    return app


def _map_ahead(app: FastAPI) -> None:
    with suppress(ArmillaryError):  # whoever asks for the map is told
        remembered_map(app, app.state.study)
