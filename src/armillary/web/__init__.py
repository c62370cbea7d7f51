"""The page's server: a FastAPI factory over a study; `static/` holds the built page."""

from armillary.web.app import create_app
from armillary.web.serving import serve

__all__ = ["create_app", "serve"]
