"""A server on loopback that speaks the hub's addresses, with the faults that a test asks for."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "a" * 40


class Virtual:
    """A file of `size` bytes that is zero but for `pieces` (byte → bytes): as large as a published shard."""

    def __init__(self, size: int, pieces: Mapping[int, bytes]) -> None:
        self.size, self.pieces = size, pieces

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, part: slice) -> bytes:
        start, stop, _ = part.indices(self.size)
        data = bytearray(stop - start)
        for at, piece in self.pieces.items():
            low, high = max(start, at), min(stop, at + len(piece))
            if low < high:
                data[low - start : high - start] = piece[low - at : high - at]
        return bytes(data)


class Hub(ThreadingHTTPServer):
    """Files of the model owner/name. `sent` counts bytes of bodies, `ranged` the requests for ranges.

    `breaks`: how many answers of more than `least` bytes are still to be cut short; `status` and `code`: what every request is answered with;
    `limited`: from which ranged request on the answer is 429; `pause`: seconds before each body; `stall`: seconds after
    the head of one, whose body never comes; `short`: how many bytes less than promised are sent, with the connection left open; `shifted`:
    the range that is sent begins so many bytes late.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.files: dict[str, bytes | Virtual] = {"config.json": b'{"model_type": "llama"}'}
        self.sent = self.ranged = self.breaks = self.status = self.shifted = 0
        self.code = ""
        self.least = 1000
        self.limited = 1 << 30
        self.pause = self.stall = 0.0
        self.ranges = True
        self.tokens: list[str] = []


class _Answer(BaseHTTPRequestHandler):
    server: Hub  # pyright: ignore[reportIncompatibleVariableOverride]
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        hub = self.server
        hub.tokens.append(self.headers.get("Authorization", ""))
        if hub.status:
            self.refuse(hub.status, hub.code)
        elif self.path.startswith("/api/models/old/"):
            self.redirect(self.path.replace("/old/", "/owner/"))
        elif re.match(r"/api/models/owner/name(/revision/(main|v1|a{40}))?(\?|$)", self.path):
            siblings = [{"rfilename": name} for name in hub.files]
            self.body(json.dumps({"id": "owner/name", "sha": COMMIT, "siblings": siblings}).encode())
        elif self.path.startswith("/api/models/owner/name"):
            self.refuse(404, "RevisionNotFound")
        elif (found := re.match(rf"/(?:owner|old)/name/resolve/{COMMIT}/(.+)", self.path)) and found[1] in hub.files:
            small = found[1].endswith((".json", ".txt"))
            self.body(hub.files[found[1]]) if small else self.redirect(f"/cdn/{found[1]}")
        elif self.path.startswith("/cdn/"):
            self.body(hub.files[self.path.removeprefix("/cdn/")])
        else:
            self.refuse(404, "RepoNotFound")

    def refuse(self, status: int, code: str) -> None:
        self.send_response(status)
        if code:
            self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def redirect(self, to: str) -> None:
        self.send_response(307)
        self.send_header("Location", to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def body(self, whole: bytes | Virtual) -> None:
        hub, asked = self.server, re.match(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if asked:
            hub.ranged += 1
            if hub.ranged > hub.limited:
                return self.refuse(429, "")
        data = whole[:] if not (asked and hub.ranges) else b""
        if asked and hub.ranges:
            start, stop = int(asked[1]) + hub.shifted, int(asked[2]) + 1
            data = whole[start:stop]
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{start + len(data) - 1}/{len(whole)}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("ETag", f'"{COMMIT}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if self.command != "HEAD":
            self.send(data, bool(asked))
        return None

    def send(self, data: bytes, ranged: bool) -> None:
        hub = self.server
        time.sleep(hub.pause)
        if ranged and hub.breaks and len(data) > hub.least:
            hub.breaks -= 1
            data = data[: len(data) // 2]
            self.close_connection = True
        if ranged and hub.stall:
            time.sleep(hub.stall)
            self.close_connection = True
            return
        hub.sent += len(data)
        self.wfile.write(data)


@contextmanager
def serving() -> Iterator[Hub]:
    """A hub that answers in a thread of its own."""
    server = Hub()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
