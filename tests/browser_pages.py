"""A real browser on a real server: what the tests of the page share."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import armillary as arm
from armillary.web import serve

FLAGS = [
    "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
]  # fmt: skip
LOOKS = [  # language, theme, width, height
    ("en", "light", 1280, 800), ("zh-CN", "dark", 1280, 800), ("en", "dark", 390, 844), ("zh-CN", "light", 390, 844),
]  # fmt: skip
AXE = Path(__file__).parent.parent / "page" / "node_modules" / "axe-core" / "axe.min.js"


CACHE = os.environ.get("ARMILLARY_CACHE")  # the user's, before a module's tests are given one of their own


def users_cache(patch: pytest.MonkeyPatch) -> None:
    """For a test whose server must find the tables and corpora that the user fetched."""
    if CACHE is None:
        patch.delenv("ARMILLARY_CACHE", raising=False)
    else:
        patch.setenv("ARMILLARY_CACHE", CACHE)


def served(study: arm.Study) -> str:
    """The whole address of a live server over a study; it ends with the process."""
    told: list[str] = []
    threading.Thread(target=serve, args=(study,), kwargs={"ready": told.append}, daemon=True).start()
    deadline = time.monotonic() + 60
    while not told and time.monotonic() < deadline:
        time.sleep(0.02)
    return told[0]


@contextmanager
def files_served(folder: Path) -> Iterator[str]:
    """A plain file server over an exported folder: any web server will do."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        running = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


@contextmanager
def opened(browser: Browser, url: str, *, spoiled: str = "", **how: Any) -> Iterator[Page]:
    """A page whose errors, warnings of the policy and foreign requests fail the test that used it.

    `spoiled`: a script that takes something from the page before it starts. `how`: of the context.
    """
    how = {"viewport": {"width": 1280, "height": 800}, "locale": "en-US", "color_scheme": "light", **how}
    context = browser.new_context(**how)
    if spoiled:
        context.add_init_script(spoiled)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    # a refused question (422) is told by the page itself; the browser's own line about it is no fault
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" and "status of 422" not in m.text else None)
    origin = url.split("/?")[0].rstrip("/")
    foreign: list[str] = []
    page.on("request", lambda r: None if r.url.startswith((origin, "data:", "blob:")) else foreign.append(r.url))
    page.goto(url)
    page.wait_for_selector("nav a")
    yield page
    context.close()
    assert errors == [] and foreign == []


def axe() -> str:
    """The source of axe-core, to be run in a page before it starts; skips the test where there is no npm."""
    if not AXE.exists():
        pytest.skip("axe-core comes with npm ci in page/, and there is no npm here")
    return AXE.read_text("utf-8")


def faults_of(page: Page) -> list[object]:
    """What axe finds at fault; the page must have been opened with axe (`spoiled`)."""
    return page.evaluate(
        """axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map(
        v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200), v.nodes[0].failureSummary.slice(0, 200)]))"""
    )


def rested(page: Page) -> None:
    """Wait until no panel waits for an answer."""
    page.wait_for_selector("main h2", timeout=300_000)
    page.wait_for_timeout(100)
    page.locator("[aria-busy=true]").first.wait_for(state="detached", timeout=300_000)


def numbers(texts: list[str]) -> list[float]:
    """Numbers as the page writes them, read back."""
    return [float(text.replace("−", "-").replace(",", "").rstrip(" %")) for text in texts]


def lasso(page: Page) -> float:
    """Draw a square round the middle of the map; half its side in the map's own units, in which the widest axis is 1."""
    page.get_by_role("button", name="Lasso").click()
    box = page.locator(".map svg").bounding_box()
    x, y, side = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["height"] / 5
    page.mouse.move(x - side, y - side)
    page.mouse.down()
    for dx, dy in ((side, -side), (side, side), (-side, side), (-side, -side)):
        page.mouse.move(x + dx, y + dy, steps=4)
    page.mouse.up()
    return side / (0.9 * min(box["width"], box["height"]) / 2)
