"""The server as a process of its own: it ends when told to, whatever it was asked, and says nothing but its one line."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

import numpy as np
import pytest

from armillary.web.security import MAX_BODY

FOR_EVER = "(select count(*) from range(1000000000000) t(a) where a%977=3)>0"
# DuckDB looks for an interrupt between blocks of 2,048 rows alone, and one of these takes a minute
DEAF = "jaro_similarity(repeat('a', 60000), repeat('ab', 30000 + id))>0"


@dataclass
class Server:
    process: subprocess.Popen[str]
    address: str

    @property
    def port(self) -> int:
        return int(urlsplit(self.address).port or 0)

    @property
    def token(self) -> str:
        return urlsplit(self.address).query.removeprefix("token=")

    @contextmanager
    def asked(self, path: str) -> Iterator[http.client.HTTPConnection]:
        """A connection on which a question was put, closed afterwards."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.request("GET", path, headers={"X-Armillary-Token": self.token})
            yield connection

    @contextmanager
    def sent(self, what: bytes) -> Iterator[socket.socket]:
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as wire:
            wire.sendall(what)
            yield wire

    def end(self, sign: signal.Signals) -> tuple[float, int, str]:
        """Seconds until it ended, its exit code, and what it said from its address on."""
        begun = time.monotonic()
        self.process.send_signal(sign)
        _, said = self.process.communicate(timeout=30)
        return time.monotonic() - begun, self.process.returncode, said


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    path = tmp_path / "ok.npy"
    np.save(path, np.random.default_rng(1).standard_normal((5_000, 8)).astype(np.float32))
    command = [sys.executable, "-m", "armillary", "serve", str(path), "--no-cache"]
    environment = {**os.environ, "ARMILLARY_CACHE": str(tmp_path / "cache")}
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.DEVNULL, "text": True}
    heard = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731  # a shell's job in the background has it ignored
    with subprocess.Popen(command, env=environment, preexec_fn=heard, **pipes) as process:
        assert process.stderr is not None
        address = process.stderr.readline().removeprefix("open ").strip()
        assert process.stderr.readline() == "Ctrl-C stops it.\n"
        yield Server(process, address)
        process.kill()


@pytest.mark.parametrize(
    ("filter", "sign", "leaves"),
    [
        (FOR_EVER, signal.SIGINT, True),
        (FOR_EVER, signal.SIGTERM, False),
        (DEAF, signal.SIGINT, False),
        (DEAF, signal.SIGTERM, True),
    ],
)
def test_a_question_that_never_ends_does_not_keep_the_server(server, filter, sign, leaves):
    with server.asked(f"/api/list?limit=1&where={quote(filter)}") as asked:
        assert seconds(server.process.pid, within=2) > 0.1
        if leaves:
            asked.close()
        took, code, said = server.end(sign)
    assert (code, said) == (130, "interrupted\n")
    assert took < 10


def test_an_asker_who_left_is_worked_for_no_longer(server):
    with server.asked(f"/api/list?limit=1&where={quote(FOR_EVER)}"):
        time.sleep(1)
        with server.asked("/api/model") as beside:
            assert json.loads(beside.getresponse().read())["rows"] == 5_000
        assert seconds(server.process.pid, within=1) > 0.1
    assert any(seconds(server.process.pid, within=0.5) < 0.05 for _ in range(8))  # long before its time would be up


def seconds(pid: int, within: float) -> float:
    """CPU seconds that a process takes within seconds of the clock."""
    before = so_far(pid)
    time.sleep(within)
    return so_far(pid) - before


def so_far(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_hostile_requests_are_refused_in_silence(server):
    host = f"Host: 127.0.0.1:{server.port}\r\nX-Armillary-Token: {server.token}\r\n"
    post = f"POST /api/words HTTP/1.1\r\n{host}Content-Type: application/json\r\n"
    chunk = b"%x\r\n" % (MAX_BODY + 1) + b" " * (MAX_BODY + 1) + b"\r\n0\r\n\r\n"
    hostile = {
        f"{post}Transfer-Encoding: chunked\r\n\r\n".encode() + chunk: b"411",
        f"{post}Content-Length: {MAX_BODY + 1}\r\n\r\n".encode() + b" " * (MAX_BODY + 1): b"413",
        f"GET /api/model HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n".encode() + chunk: b"411",
        f"GET /api/model HTTP/1.1\r\n{host}Host: evil.example\r\n\r\n".encode(): b"400",
        b"\x16\x03\x01 not HTTP\r\n\r\n": b"400",
    }
    for body, status in ((b'{"words":[NaN]}', b"422"), (b'{"words":["\\ud800"]}', b"422"), (b"[" * 100_000, b"400")):
        hostile[f"{post}Content-Length: {len(body)}\r\n\r\n".encode() + body] = status
    for request, status in hostile.items():
        with server.sent(request) as wire:
            assert wire.recv(65536).startswith(b"HTTP/1.1 " + status)
    assert server.end(signal.SIGINT)[1:] == (130, "interrupted\n")


def test_a_web_socket_is_refused_and_its_connection_closed(server):
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n"
    with server.sent(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n{upgrade}\r\n".encode()) as wire:
        begun = time.monotonic()
        told = b"".join(iter(lambda: wire.recv(65536), b""))
    assert told.startswith(b"HTTP/1.1 400 ") and b"HTTP alone" in told
    assert time.monotonic() - begun < 3  # at once; an idle connection is kept for five seconds
    assert server.end(signal.SIGINT)[1:] == (130, "interrupted\n")
