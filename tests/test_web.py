"""The page's server: the door, the packed transport, and answers equal to the library's. No browser here."""

from __future__ import annotations

import asyncio
import itertools
import json
import struct
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import numpy as np
import pytest

import armillary as arm
from armillary.errors import UsageError
from armillary.web import create_app
from armillary.web.jobs import Job, Jobs
from armillary.web.pack import pack
from armillary.web.security import MAX_BODY

PORT, SECRET = 4321, "a-secret-of-the-test"
HOSTILE = ["<script>alert(1)</script>", "a\tb\n", b"\xe4\xba", "‮abc", "x" * 300, " king", "king", " queen"]
ROWS = np.random.default_rng(1).standard_normal((60, 8)).astype(np.float32)
ROWS[20] = 0
ROWS[21] = np.nan


@pytest.fixture(scope="module")
def study() -> arm.Study:
    words = [*HOSTILE, *(f" w{i}" for i in range(len(ROWS) - len(HOSTILE)))]
    return arm.open(arm.Table.from_array(ROWS, tokens=words), cache=False)


@pytest.fixture(scope="module")
def ask(study):
    app = create_app(study, token=SECRET, port=PORT)

    def ask(path: str, *, method: str = "GET", headers: Any = None, **more: Any) -> httpx.Response:
        async def once() -> httpx.Response:
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url=f"http://127.0.0.1:{PORT}") as client:
                sent = headers if isinstance(headers, list) else [*(headers or {}).items()]
                secret = [] if any(name == "X-Armillary-Token" for name, _ in sent) else [("X-Armillary-Token", SECRET)]
                return await client.request(method, path, headers=[*secret, *sent], **more)

        return asyncio.run(once())

    return ask


def ended(ask, id: int) -> dict[str, Any]:
    deadline = time.monotonic() + 120
    while (state := ask(f"/api/jobs/{id}").json())["state"] == "running" and time.monotonic() < deadline:
        time.sleep(0.05)
    return state


def finish(ask, kind: str, **task: Any) -> None:
    job = ask(f"/api/jobs/{kind}", method="POST", json=task).json()
    assert ended(ask, job["id"])["state"] == "done"


def unpack(body: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The layout written out again, as the page reads it."""
    assert body[:4] == b"ARM1"
    (length,) = struct.unpack("<I", body[4:8])
    header = json.loads(body[8 : 8 + length])
    start = -(-(8 + length) // 8) * 8
    arrays = {}
    for entry in header["arrays"]:
        count = int(np.prod(entry["shape"]))
        flat = np.frombuffer(body, "<" + entry["dtype"], count, start + entry["offset"])
        arrays[entry["name"]] = flat.reshape(entry["shape"])
    return header["facts"], arrays


def test_a_packed_body_keeps_every_array():
    sent = {"a": np.arange(5, dtype=np.int32), "b": np.eye(3, dtype=np.float32)[:, ::-1], "c": np.array([7], np.uint8)}
    facts, got = unpack(pack({"名": "x"}, **sent))
    assert facts == {"名": "x"}
    for name, array in sent.items():
        np.testing.assert_array_equal(got[name], array)
    with pytest.raises(ValueError, match="array d has dtype int64"):
        pack({}, d=np.arange(3))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": f"evil.example:{PORT}"}, 421),  # DNS rebinding arrives under its own name
        ({"Host": "127.0.0.1:9999"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": f"127.0.0.1:{PORT}"}, 403),
        ({"Origin": f"https://127.0.0.1:{PORT}"}, 403),
        ({"Origin": f"http://localhost:{PORT}"}, 403),  # another origin than the host that is asked
        ([("Origin", f"http://127.0.0.1:{PORT}"), ("Origin", "http://evil.example")], 403),
        ([("Host", f"127.0.0.1:{PORT}"), ("Host", "evil.example")], 421),
        ({"Connection": "Upgrade", "Upgrade": "websocket"}, 400),
        ({"X-Armillary-Token": ""}, 401),
        ({"X-Armillary-Token": SECRET + "x"}, 401),
        ({"Content-Length": str(MAX_BODY + 1)}, 413),
        ({"Content-Length": "-1"}, 413),
        ({"Content-Length": b"\xb2"}, 413),  # a digit to Python, and no number
        ({"Transfer-Encoding": "chunked"}, 411),
    ],
)
def test_a_stranger_is_turned_away(ask, headers, status):
    answer = ask("/api/model", headers=headers)
    assert answer.status_code == status
    assert all(answer.json()[part] for part in ("message", "cure"))


def test_the_page_itself_may_ask_and_every_answer_has_the_policy(ask):
    for path in ("/api/model", "/api/nothing", "/"):
        answer = ask(path, headers={"Origin": f"http://127.0.0.1:{PORT}"})
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy and "unsafe-eval" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers


def test_the_model_says_what_it_is(ask):
    model = ask("/api/model").json()
    assert (model["rows"], model["width"], model["kept"]) == (60, 8, 58)


def test_a_card_has_the_neighbours_of_the_library(ask, study):
    card = ask("/api/token/5?k=7").json()
    found = study.neighbors(5, 7)
    assert card["token"]["bytes"] == b" king".hex()
    assert [n["id"] for n in card["neighbours"]] == [t.id for t in found.tokens]
    assert [n["value"] for n in card["neighbours"]] == list(found.values)
    assert card["searched"] == 58


@pytest.mark.parametrize("id", [20, 21])
def test_a_row_without_direction_has_a_card_and_no_neighbours(ask, id):
    card = ask(f"/api/token/{id}").json()
    assert card["neighbours"] is None
    assert card["norm"] == (0 if id == 20 else None)


@pytest.mark.parametrize(
    "path", ["/api/token/60", "/api/token/-1", "/api/token/5?k=0", "/api/token/5?k=101", "/api/token/x"]
)
def test_what_cannot_be_asked_is_refused(ask, path):
    assert ask(path).status_code == 422


def test_search_finds_by_text_by_id_and_by_bytes(ask):
    def found(query: str) -> list[int]:
        return [t["id"] for t in ask("/api/search", params={"q": query}).json()["tokens"]]

    assert found("king")[:2] == [5, 6]  # the leading space first
    assert found("\\xE4\\xBA") == [2]
    assert found("42") == [42]
    assert found("nothing like it") == []


def test_hostile_tokens_travel_as_text(ask):
    shown = ask("/api/tokens", method="POST", json={"ids": [0, 1, 2, 3, 999]}).json()["tokens"]
    assert [t["id"] for t in shown] == [0, 1, 2, 3]
    assert shown[0]["text"] == "<script>alert(1)</script>"
    assert shown[2]["text"] == "\\xE4\\xBA"
    assert all(c.isprintable() for t in shown for c in t["text"])


def test_the_map_is_the_plane_of_the_two_widest_directions(ask):
    facts, arrays = unpack(ask("/api/map").content)
    kept = np.array([i for i in range(60) if i not in (20, 21)])
    np.testing.assert_array_equal(arrays["ids"], kept)
    rows = ROWS[kept].astype(np.float64)
    centred = rows - rows.mean(0)
    _, singular, axes = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(facts["explained"], (singular**2 / (singular**2).sum())[:2], rtol=1e-9)
    flat = centred @ axes[:2].T
    for c in range(2):  # an axis is known up to sign, the map up to one scale
        ratio = arrays["xy"][:, c] / flat[:, c]
        np.testing.assert_allclose(np.abs(ratio), np.abs(arrays["xy"][0, 0] / flat[0, 0]), rtol=1e-4)
    shown = (flat**2).sum(1) / (centred**2).sum(1)
    np.testing.assert_allclose(arrays["shown"], shown, rtol=1e-5)


def test_a_scan_runs_as_a_job_and_fills_the_report(ask):
    before = {s["id"] for s in ask("/api/report").json()["sections"]}
    assert "sphere" not in before and "norms" in before
    job = ask("/api/jobs/scan", method="POST").json()
    assert ended(ask, job["id"])["state"] == "done"
    assert ask("/api/report").json()["more"] is True
    job = ask("/api/jobs/report", method="POST").json()
    assert ended(ask, job["id"])["state"] == "done"
    after = ask(f"/api/jobs/{job['id']}/result").json()["result"]
    assert {"sphere", "crowd"} <= {s["id"] for s in after["sections"]}
    assert after["scanned"] is True


def test_work_that_is_stopping_is_not_joined_and_the_next_waits_its_turn():
    entered, leave, turns = threading.Event(), threading.Event(), []

    def work(asked, progress):
        turns.append(asked["space"])
        entered.set()
        leave.wait(10)
        progress(1, 2)
        return "found"

    jobs = Jobs({"slow": work})
    first = jobs.start("slow", {"space": "raw"})
    assert entered.wait(5)
    queued = jobs.start("slow", {"space": "centred"})
    first.cancel()
    second = jobs.start("slow", {"space": "raw"})
    assert second is not first
    queued.cancel()  # while it waits for the first, which has not yet heard that it should stop
    wait_for(queued)
    assert (queued.state, first.state) == ("cancelled", "running")
    leave.set()
    wait_for(first)
    wait_for(second)
    assert (first.state, second.state, second.result) == ("cancelled", "done", "found")
    assert turns == ["raw", "raw"]


def wait_for(job: Job) -> None:
    deadline = time.monotonic() + 10
    while job.state == "running" and time.monotonic() < deadline:
        time.sleep(0.01)


def test_a_job_is_joined_cancelled_and_leaves_the_server_answering():
    entered, stopped = threading.Event(), threading.Event()

    def work(asked, progress):
        try:
            for step in itertools.count():
                progress(step, 0)
                entered.set()
                time.sleep(0.01)
        finally:
            stopped.set()

    def broken(asked, progress):
        raise RuntimeError("out of luck")

    jobs = Jobs({"endless": work, "broken": broken})
    job = jobs.start("endless")
    assert entered.wait(5)
    assert jobs.start("endless") is job  # a second asker joins the first
    job.cancel()
    assert stopped.wait(5)
    wait_for(job)
    assert job.state == "cancelled"
    failed = jobs.start("broken")
    wait_for(failed)
    assert (failed.state, failed.message) == ("failed", "RuntimeError: out of luck")
    with pytest.raises(UsageError, match="expected a job among broken, endless, found 'rm'"):
        jobs.start("rm")


@pytest.mark.parametrize("space", ["centred", "all-but-the-top", "whitened"])
def test_a_space_is_prepared_by_a_job_and_then_answers(ask, study, space):
    if space not in study.spaces:
        assert ask(f"/api/token/5?space={space}").status_code == 422
    finish(ask, "space", space=space)
    card = ask(f"/api/token/5?k=7&space={space}").json()
    kept = np.array([i for i in range(60) if i not in (20, 21)])
    rows = ROWS[kept].astype(np.float64)
    moved = rows - rows.mean(0)
    _, singular, axes = np.linalg.svd(moved, full_matrices=False)
    if space == "all-but-the-top":
        moved -= moved @ axes[:1].T @ axes[:1]
    elif space == "whitened":
        moved = moved @ axes.T / singular * np.sqrt(len(kept))
    unit = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    cosines = unit @ unit[5]
    cosines[5] = -2
    nearest = np.argsort(-cosines)[:7]
    assert [n["id"] for n in card["neighbours"]] == kept[nearest].tolist()
    np.testing.assert_allclose([n["value"] for n in card["neighbours"]], cosines[nearest], atol=1e-6)
    assert card["space"] == space
    assert ask("/api/token/5?space=nowhere").status_code == 422
    norms = np.linalg.norm(moved, axis=1)
    listed = ask(f"/api/list?space={space}&sort=norm&where=norm > 0").json()["rows"]
    assert [row["id"] for row in listed] == kept[np.argsort(norms)].tolist()
    np.testing.assert_allclose([row["norm"] for row in listed], np.sort(norms), rtol=1e-5)
    facts, arrays = unpack(ask(f"/api/map?space={space}").content)
    variances = np.linalg.svd(moved - moved.mean(0), compute_uv=False) ** 2
    np.testing.assert_allclose(facts["explained"], (variances / variances.sum())[:2], rtol=1e-5)
    np.testing.assert_allclose(arrays["norm"], norms, rtol=1e-5)


def test_rows_are_sent_as_they_are(ask):
    facts, arrays = unpack(ask("/api/rows", method="POST", json={"ids": [7, 5, 99]}).content)
    assert arrays["ids"].tolist() == [7, 5]
    np.testing.assert_array_equal(arrays["rows"], ROWS[[7, 5]])
    assert facts == {"exact": True, "space": "raw"}
    assert ask("/api/rows", method="POST", json={"ids": list(range(401))}).status_code == 422
    assert ask("/api/rows", method="POST", json={"ids": [5], "more": 1}).status_code == 422


def test_words_are_answered_as_the_library_does(ask, study):
    words = ask("/api/words", method="POST", json={"words": ["king", "no such word", "#7"]}).json()["words"]
    assert [w and w["id"] for w in words] == [5, None, 7]
    pairs = ask("/api/similarity", method="POST", json={"words": ["king", "queen", "w0"]}).json()["pairs"]
    a, b = ROWS[5].astype(np.float64), ROWS[7].astype(np.float64)
    assert pairs[0]["cosine"] == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-12)
    told = ask("/api/analogy", method="POST", json={"question": "king - queen + w0"}).json()
    assert told["sentence"] == study.analogy("king - queen + w0").to_dict()["sentence"]
    refused = ask("/api/analogy", method="POST", json={"question": "king - "})
    assert refused.status_code == 422 and "expected" in refused.json()["message"]
    pairs = [["w0", "w1"], ["w2", "w3"], ["w4", "w5"], ["w6", "w7"]]
    direction = ask("/api/direction", method="POST", json={"pairs": pairs, "words": ["king"]}).json()
    assert direction["pairs"] == 4 and [w["word"] for w in direction["read"]] == ["king"]


def test_every_row_can_be_filtered_and_no_file_is_reached(ask):
    found = ask("/api/list", params={"where": "norm > 0 AND id < 10", "sort": "norm desc", "limit": 3}).json()
    norms = np.linalg.norm(ROWS[:10].astype(np.float64), axis=1)
    assert [row["id"] for row in found["rows"]] == np.argsort(-norms)[:3].tolist()
    assert found["matching"] == 10
    for hostile in ("id IN (SELECT 1 FROM read_csv('/etc/passwd'))", "1; DROP TABLE x", "norm >"):
        assert ask("/api/list", params={"where": hostile}).status_code == 422


def test_a_filter_that_never_ends_is_stopped_and_a_wrong_one_is_not_kept(ask, monkeypatch):
    monkeypatch.setattr("armillary.web.wanted.LONGEST", 0.3)
    begun = time.monotonic()
    for_ever = "(select count(*) from range(1000000000000) t(a) where a%977=3)>0"
    for question in ({"where": for_ever}, {"sort": for_ever}):
        told = ask("/api/list", params=question)
        assert told.status_code == 422 and "had to be stopped" in told.json()["message"]
    assert time.monotonic() - begun < 10
    assert ask("/api/list", params={"where": "id < 10", "limit": 3}).json()["matching"] == 10


HALF = b'"\\ud800"'  # half of a surrogate pair, which JSON can write and UTF-8 cannot
DEEP = b"[" * 100_000


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("tokens", b'{"ids":[NaN]}', 422),
        ("tokens", b'{"ids":[-Infinity]}', 422),
        ("tokens", b'{"ids":[1e999]}', 422),
        ("tokens", b'{"ids":[' + b"1" * 5_000 + b"]}", 400),
        ("words", HALF, 422),
        ("words", b'{"words":[' + HALF + b"]}", 422),
        ("words", b'{"words":[],' + HALF + b":1}", 422),
        ("words", b'{"words":[],"evil":1}', 422),
        ("words", b'{"words":["\xed\xa0\x80"]}', 422),
        ("words", b'{"words":', 400),
        ("words", b"\xff", 400),
        ("words", b"", 422),
        ("words", b"null", 422),
        ("words", DEEP, 400),
        ("words", b'{"words":' + b"[" * 500 + b"]" * 500 + b"}", 422),
        ("similarity", b'{"words":["king",' + HALF + b"]}", 422),
        ("analogy", b'{"question":' + HALF + b"}", 422),
        ("analogy", b'{"question":"king - queen + w0","answer":' + HALF + b"}", 422),
        ("direction", b'{"name":' + HALF + b"}", 422),
        ("direction", b'{"pairs":[["w0",' + HALF + b"]]}", 422),
        ("jobs/scan", b'{"space":' + HALF + b"}", 422),
        ("jobs/metrics", b'{"words":[' + HALF + b"]}", 422),
        ("jobs/lens", b'{"position":NaN}', 422),
        ("jobs/evil", b"{}", 422),
    ],
)
def test_a_body_that_cannot_be_meant_is_refused_in_the_page_s_own_shape(ask, path, body, status):
    told = ask(f"/api/{path}", method="POST", content=body, headers={"Content-Type": "application/json"})
    assert told.status_code == status
    assert set(told.json()) == {"message", "cure"} and "expected" in told.json()["message"]


def test_a_refusal_by_the_limits_says_where_and_why_and_repeats_nothing(ask):
    told = ask("/api/words", method="POST", json={"words": ["king", "evil" * 101]}).json()
    assert told["message"] == "expected at most 400 characters in words.1, found more"
    told = ask("/api/tokens", method="POST", json={"ids": [1] * 1_001}).json()
    assert told["message"] == "expected at most 1000 items in ids, found more"
    told = ask("/api/tokens", method="POST", json={"ids": [1, "evil"]}).json()
    assert told["message"].startswith("expected another value of ids.1: input should be a valid integer")
    told = ask("/api/words", method="POST", json={"words": [], "evil": 1}).json()
    assert told["message"] == "expected the fields of the question alone, found another"
    assert "evil" not in ask("/api/token/evil").text


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        *((method, "/api/model", 405) for method in ("HEAD", "PUT", "POST", "DELETE", "OPTIONS", "TRACE")),
        ("GET", "/api/words", 405),
        *((method, "/api/nothing", 404) for method in ("HEAD", "GET", "POST")),
        ("GET", "/api/model/", 404),
        ("GET", "/api", 404),
        ("GET", "/nothing.js", 404),
        ("GET", "/%2e%2e/%2e%2e/etc/passwd", 404),
        ("POST", "/", 405),
    ],
)
def test_an_address_or_a_method_that_there_is_not(ask, method, path, status):
    told = ask(path, method=method)
    assert told.status_code == status
    if method != "HEAD":
        assert set(told.json()) == {"message", "cure"}


def test_health_says_which_rows_and_why(ask):
    health = ask("/api/health").json()
    assert health["kinds"]["zero"]["rows"][0]["id"] == 20
    assert health["kinds"]["non-finite"]["count"] == 1
    assert health["looked_at"] == 60


def test_no_model_can_run_on_a_bare_table_and_it_says_so(ask):
    told = ask("/api/lens").json()
    assert told == {"ready": False, "why": "the table came from an array; open a model file or folder instead"}
    job = ask("/api/jobs/lens", method="POST", json={"prompt": "a"}).json()
    assert "no model can run here" in ended(ask, job["id"])["message"]


def test_a_repair_says_what_got_better_and_worse(ask, study):
    finish(ask, "repair", method="centre")
    job = ask("/api/jobs/repair", method="POST", json={"method": "centre"}).json()  # the same question, the same job
    changes = ask(f"/api/jobs/{job['id']}/result").json()["result"]["changes"]
    mean = next(c for c in changes if c["name"] == "mean_cosine")
    kept = [i for i in range(60) if i not in (20, 21)]
    rows = ROWS[kept].astype(np.float64)
    for moved, value in ((rows, mean["before"]), (rows - rows.mean(0), mean["after"])):
        unit = moved / np.linalg.norm(moved, axis=1, keepdims=True)
        n = len(unit)
        assert value == pytest.approx(((unit.sum(0) ** 2).sum() - n) / (n * (n - 1)), abs=1e-6)


def test_twenty_users_and_a_cancelled_job_leave_the_server_answering(ask, study):
    def one(number: int) -> int:
        if number == 7:
            job = ask("/api/jobs/scan", method="POST", json={"space": "raw"}).json()
            return ask(f"/api/jobs/{job['id']}", method="DELETE").status_code
        return ask(f"/api/token/{number % 20}?k=5").status_code

    with ThreadPoolExecutor(20) as users:
        assert set(users.map(one, range(60))) == {200}
    card = ask("/api/token/5?k=7").json()
    assert [n["id"] for n in card["neighbours"]] == [t.id for t in study.neighbors(5, 7).tokens]


def test_the_planner_is_the_library_s(ask, study):
    plan = ask("/api/plan?size=100000&dimension=4096").json()
    assert plan == json.loads(json.dumps(study.plan(100_000, 4096).to_dict()))
    assert round(plan["welch"], 4) == 0.0153  # known/bounds.json
    assert ask("/api/plan?size=1&dimension=4096").status_code == 422
    assert ask("/api/plan?size=100&dimension=10000000").status_code == 422
