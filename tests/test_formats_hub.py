"""`hf:` names with the real hub library, against a server on loopback that speaks the hub's addresses."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from armillary.errors import UnreadableError, UsageError, WorkError
from armillary.formats import bring, open_table
from test_formats_safetensors import encode, f32

COMMIT = "a" * 40
ROWS = np.random.default_rng(0).standard_normal((50, 8)).astype(np.float32)
HEAD = ROWS + 1


class Hub(ThreadingHTTPServer):
    """Files of one model; `sent` counts bytes of bodies, `breaks` how many answers are still to be cut short."""

    files: dict[str, bytes]
    sent = 0
    breaks = 0
    status = 0
    ranges = True


class Answer(BaseHTTPRequestHandler):
    server: Hub  # pyright: ignore[reportIncompatibleVariableOverride]
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        hub = self.server
        if hub.status:
            self.send_response(hub.status)
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif self.path.startswith("/api/models/old/"):
            self.redirect(self.path.replace("/old/", "/owner/"))
        elif self.path.startswith("/api/models/owner/name"):
            siblings = [{"rfilename": name} for name in hub.files]
            self.body(json.dumps({"id": "owner/name", "sha": COMMIT, "siblings": siblings}).encode())
        elif (found := re.match(rf"/(?:owner|old)/name/resolve/{COMMIT}/(.+)", self.path)) and found[1] in hub.files:
            self.redirect(f"/cdn/{found[1]}") if found[1].endswith("safetensors") else self.body(hub.files[found[1]])
        elif self.path.startswith("/cdn/"):
            self.body(hub.files[self.path.removeprefix("/cdn/")])
        else:
            self.send_response(404)
            self.send_header("X-Error-Code", "RepoNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()

    def redirect(self, to: str) -> None:
        self.send_response(307)
        self.send_header("Location", to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def body(self, data: bytes) -> None:
        hub, asked = self.server, re.match(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        whole = data
        if asked and hub.ranges:
            data = data[int(asked[1]) : int(asked[2]) + 1]
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {asked[1]}-{int(asked[1]) + len(data) - 1}/{len(whole)}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("ETag", f'"{hash(whole)}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if self.command == "HEAD":
            return
        if asked and hub.breaks and len(data) > 1000:
            hub.breaks -= 1
            data = data[: len(data) // 2]
            self.close_connection = True
        hub.sent += len(data)
        self.wfile.write(data)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    server = Hub(("127.0.0.1", 0), Answer)
    server.files = {"config.json": b'{"model_type": "llama", "tie_word_embeddings": false}'}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("ARMILLARY_CACHE", str(tmp_path / "cache"))
    yield server
    server.shutdown()
    server.server_close()


def sharded(hub: Hub, megabytes: int = 0) -> None:
    rest = {f"layer.{i}": f32(np.zeros((256, 1024))) for i in range(megabytes)}
    shards = [
        encode({**rest, "model.embed_tokens.weight": f32(ROWS)}),
        encode({"lm_head.weight": f32(HEAD), **{f"x{k}": v for k, v in rest.items()}}),
    ]
    names = [f"model-0000{i}-of-00002.safetensors" for i in (1, 2)]
    weights = {"model.embed_tokens.weight": names[0], "lm_head.weight": names[1]}
    hub.files |= dict(zip(names, shards, strict=True))
    hub.files["model.safetensors.index.json"] = json.dumps({"weight_map": weights}).encode()


def test_only_the_table_is_brought(hub: Hub) -> None:
    sharded(hub, megabytes=12)
    seen: list[tuple[int, int]] = []
    table = open_table(bring("hf:owner/name", progress=lambda *p: seen.append(p)), name="hf:owner/name")
    np.testing.assert_array_equal(table.rows(range(50)), ROWS)
    assert table.provenance.tied is False
    assert hub.sent < ROWS.nbytes + 1_000_000  # of 25 MB
    assert seen[0][1] == ROWS.nbytes
    before = hub.sent
    assert open_table(bring("hf:owner/name")).shape == (50, 8)
    assert hub.sent - before < 1000  # only the name is asked again


def test_a_single_file_and_a_moved_name(hub: Hub) -> None:
    hub.files["model.safetensors"] = encode({"model.embed_tokens.weight": f32(ROWS), "lm_head.weight": f32(ROWS)})
    table = open_table(bring("hf:old/name"))
    np.testing.assert_array_equal(table.rows([49]), ROWS[[49]])
    assert table.provenance.tied is True


def test_broken_connections_are_taken_up(hub: Hub) -> None:
    sharded(hub)
    hub.breaks = 3
    np.testing.assert_array_equal(open_table(bring("hf:owner/name")).rows(range(50)), ROWS)
    assert hub.breaks == 0


@pytest.mark.parametrize(
    ("status", "error", "message"),
    [
        (429, WorkError, "too many were made"),
        (500, WorkError, "status 500"),
        (401, UnreadableError, "found none, or a private"),
    ],
)
def test_failures_are_one_line(hub: Hub, status: int, error: type, message: str) -> None:
    hub.status = status
    with pytest.raises(error, match=message):
        bring("hf:owner/name")


def test_names_that_are_wrong_or_not_there(hub: Hub) -> None:
    with pytest.raises(UnreadableError, match="expected a model hf:nobody/nothing, found none"):
        bring("hf:nobody/nothing")
    with pytest.raises(UsageError, match=r"expected hf:owner/name\[@revision\], found hf:name"):
        bring("hf:name")
    with pytest.raises(UnreadableError, match="expected safetensors in hf:owner/name, found no weights"):
        bring("hf:owner/name")


def test_a_server_without_ranges_is_refused(hub: Hub) -> None:
    sharded(hub)
    hub.ranges = False
    with pytest.raises(WorkError, match=r"found an answer of status 200 with the range of the whole file"):
        bring("hf:owner/name")


def test_with_the_network_off_a_cached_model_opens_and_another_fails_at_once(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    sharded(hub)
    bring("hf:owner/name")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert open_table(bring("hf:owner/name")).shape == (50, 8)
    start = time.monotonic()
    with pytest.raises(WorkError, match="hf:owner/other is not in the cache, and HF_HUB_OFFLINE is set"):
        bring("hf:owner/other")
    assert time.monotonic() - start < 2
