"""Work that may take for ever, done for as long as somebody waits: until the asker leaves, the server ends, or time is up."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from fastapi import Request
from starlette.concurrency import run_in_threadpool

LONGEST = 10.0  # seconds that one question may take
Answer = TypeVar("Answer")


async def while_wanted(request: Request, work: Callable[[Callable[[], bool]], Answer]) -> Answer:
    """What `work` answers, done in a thread; it is handed a function that says whether the answer is still wanted."""
    gone, closing, until = threading.Event(), request.app.state.closing, time.monotonic() + LONGEST

    def wanted() -> bool:
        return not gone.is_set() and not closing.is_set() and time.monotonic() < until

    leaving = asyncio.create_task(_left(request, gone))
    try:
        return await run_in_threadpool(work, wanted)
    finally:
        leaving.cancel()


async def _left(request: Request, gone: threading.Event) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    gone.set()
