"""The door: loopback names only, a secret for every question, and a policy that lets no foreign script in.

A hostile page in the same browser can send requests to 127.0.0.1. It cannot know the random token; it cannot read an
answer, because no CORS header is ever sent; by DNS rebinding it would come with a foreign Host; and a form of its own
would carry a foreign Origin. Each of these alone turns it away.
"""

from __future__ import annotations

import hmac

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from armillary.web.refusals import AS_THE_PAGE, LESS, refusal

TOKEN_HEADER = "X-Armillary-Token"  # noqa: S105 - the header's name, no secret
MAX_BODY = 1 << 20
WHOLE_ADDRESS = "open the page by the whole address that armillary serve printed"

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
        refused = self._refused(Headers(scope=scope), scope["path"])

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if refused:
            await refused(scope, receive, send_with_headers)
        else:
            await self._app(scope, receive, send_with_headers)

    def _refused(self, headers: Headers, path: str) -> Response | None:
        """The answer to a request that is turned away; None for one that may pass."""
        host, origin, length = headers.getlist("host"), headers.getlist("origin"), headers.get("content-length", "0")
        if len(host) != 1 or host[0] not in self._hosts:
            return refusal(421, "this server answers only on its own loopback address", WHOLE_ADDRESS)
        if origin and origin != [f"http://{host[0]}"]:
            return refusal(403, "this server answers only its own page", WHOLE_ADDRESS)
        if "upgrade" in headers:  # a WebSocket: whoever wants one waits for it, and is to wait no longer
            return refusal(400, "this server speaks HTTP alone", AS_THE_PAGE, {"Connection": "close"})
        if not length.isdecimal() or int(length) > MAX_BODY:
            return refusal(413, f"a question may have at most {MAX_BODY:,} bytes", LESS)
        if "transfer-encoding" in headers:
            return refusal(411, "a question must say how long it is", "send Content-Length")
        sent = headers.get(TOKEN_HEADER, "")
        if path.startswith("/api/") and not hmac.compare_digest(sent.encode(), self._token.encode()):
            return refusal(401, "the secret of the printed address is missing, or another", WHOLE_ADDRESS)
        return None
