"""The door: loopback names only, a secret for every question, and a policy that lets no foreign script in.

A hostile page in the same browser can send requests to 127.0.0.1. It cannot know the random token; it cannot read an
answer, because no CORS header is ever sent; by DNS rebinding it would come with a foreign Host; and a form of its own
would carry a foreign Origin. Each of these alone turns it away.
"""

from __future__ import annotations

import hmac

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "X-Armillary-Token"  # noqa: S105 - the header's name, no secret
MAX_BODY = 1 << 20

HEADERS: dict[str, str] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Door:
    """ASGI middleware that checks Host, Origin, token and length, and sets the security headers on every answer."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(Headers(scope=scope), scope["path"])

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if refusal:
            status, why = refusal
            await JSONResponse({"message": why}, status)(scope, receive, send_with_headers)
        else:
            await self._app(scope, receive, send_with_headers)

    def _refusal(self, headers: Headers, path: str) -> tuple[int, str] | None:
        if headers.get("host") not in self._hosts:
            return 421, "this server answers only on its own loopback address"
        origin = headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return 403, "this server answers only its own page"
        if not headers.get("content-length", "0").isdigit() or int(headers.get("content-length", "0")) > MAX_BODY:
            return 413, f"a question may have at most {MAX_BODY:,} bytes"
        if "transfer-encoding" in headers:
            return 411, "a question must say how long it is"
        if path.startswith("/api/") and not hmac.compare_digest(
            headers.get(TOKEN_HEADER, "").encode(), self._token.encode()
        ):
            return 401, "open the page by the whole address that armillary serve printed"
        return None
