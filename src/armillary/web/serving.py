"""Listening: on loopback alone, on a port that is free, under an address that holds a secret."""

from __future__ import annotations

import secrets
import socket
import threading
from typing import TYPE_CHECKING

from armillary.errors import WorkError

if TYPE_CHECKING:
    from collections.abc import Callable

    from armillary.study import Study

LOOPBACK = "127.0.0.1"
PATIENCE = 1.0  # seconds that answers under way are given to end


def serve(study: Study, *, port: int = 0, ready: Callable[[str], None]) -> None:
    """Serve the page of a study until interrupted; `ready` is told the whole address once the port is open.

    `port` 0 takes any free one. WorkError if the port cannot be had.
    """
    import uvicorn

    from armillary.web.app import create_app

    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen()  # before the address is told, so that who opens it at once waits and is not refused
    except OSError as error:
        raise WorkError(
            f"expected to listen on {LOOPBACK}:{port}, found it taken: {error.strerror}", "name another --port"
        ) from error
    port = listener.getsockname()[1]
    token, closing = secrets.token_urlsafe(24), threading.Event()
    app = create_app(study, token=token, port=port, ahead=True, closing=closing)
    config = uvicorn.Config(app, log_level="error", access_log=False, server_header=False, lifespan="off", ws="none")
    server = uvicorn.Server(config)
    ready(f"http://{LOOPBACK}:{port}/?token={token}")
    ended = threading.Event()  # not the thread's join, which an interrupt leaves thinking that the thread has ended

    def run() -> None:
        try:
            server.run(sockets=[listener])
        finally:
            ended.set()

    # In a daemon, whose workers are daemons too: what they still compute does not keep a process that was told to end.
    threading.Thread(target=run, daemon=True).start()
    try:
        while not ended.wait(PATIENCE):  # in steps, between which a signal is seen on every system
            pass
    finally:
        closing.set()
        server.should_exit = True
        ended.wait(PATIENCE)
