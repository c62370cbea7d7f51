"""The page as a person meets it: seconds until the map is there, milliseconds a frame while it pans, and a neighbour query.

    python benches/page.py [MODEL]

A real server and Chromium in software rendering. The map is timed from opening the address on a server that was just
started; the row facts of the table are in the cache if any command read it before, as they are for most people.
"""

from __future__ import annotations

import statistics
import sys
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import armillary as arm
from browser_pages import chromium, served

FRAMES, QUERIES = 10, 20
PAN = """async frames => {
  const field = document.querySelector('.map svg'), canvas = document.querySelector('canvas');
  const gl = canvas.getContext('webgl2'), pixel = new Uint8Array(4), times = [];
  const next = () => new Promise(requestAnimationFrame);
  for (let i = 0; i < frames; i++) {
    const start = performance.now();
    field.dispatchEvent(new KeyboardEvent('keydown', { key: i % 2 ? 'ArrowLeft' : 'ArrowRight', bubbles: true }));
    await next(); await next();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);  // waits until everything asked for is drawn
    times.push(performance.now() - start);
  }
  return times;
}"""


def main(name: str) -> None:
    study = arm.open(name)
    url = served(study)
    rows, width = study.shape
    print(f"{name}: {rows:,} × {width:,}")
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        start = time.perf_counter()
        page.goto(url)
        page.wait_for_selector("canvas", timeout=600_000)
        page.evaluate("() => new Promise(requestAnimationFrame)")
        print(f"map: {time.perf_counter() - start:.2f} s after opening the address")
        page.wait_for_timeout(3_000)
        times = page.evaluate(PAN, FRAMES)
        print(f"pan: median {statistics.median(times):.0f} ms a frame, slowest {max(times):.0f} ms, of {FRAMES}")
    address, _, token = url.partition("/?token=")
    times = []
    for query in range(QUERIES):
        id = 1_000 + 37 * query
        request = urllib.request.Request(f"{address}/api/token/{id}?k=10", headers={"X-Armillary-Token": token})
        start = time.perf_counter()
        urllib.request.urlopen(request).read()
        times.append(time.perf_counter() - start)
    print(
        f"neighbours: median {1e3 * statistics.median(times):.0f} ms, slowest {1e3 * max(times):.0f} ms, of {QUERIES}"
    )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "demo")
