"""Threads that share a list of jobs, stop within a job when interrupted, and keep BLAS to one thread each.

The pool does the threading: every job calls BLAS for a tile of its own, so BLAS itself is held to one thread while a
crew works (threadpoolctl; a setting of the whole process, put back afterwards). No barriers: a busy machine slows the
jobs it slows, and no other. The main thread waits in short steps, because a signal is seen only between them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Self, TypeVar

from threadpoolctl import threadpool_limits

WAIT = 0.05
"""Seconds between looks at the clock, the signal and the stop flag."""

Job = TypeVar("Job")


class Crew:
    """`threads` workers; a context manager."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads: int = max(1, threads or os.cpu_count() or 1)
        self._stop = threading.Event()

    @property
    def stopping(self) -> bool:
        """Whether a long job should give up: something was raised, and its work will not be asked for."""
        return self._stop.is_set()

    def __enter__(self) -> Self:
        self._limits = threadpool_limits(1, "blas")
        self._pool = ThreadPoolExecutor(self.threads, "armillary-scan")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._limits.restore_original_limits()

    def each(
        self, work: Callable[[Job, int], None], jobs: Iterable[Job], tick: Callable[[], None] | None = None
    ) -> None:
        """Call work(job, worker) for every job, each worker taking the next one; `tick` is called while waiting.

        An exception of a job, of `tick` (which may raise to cancel) or of the keyboard stops all workers after the
        jobs in hand and is raised here.
        """
        queue, lock = iter(jobs), threading.Lock()
        self._stop.clear()

        def worker(number: int) -> None:
            while not self._stop.is_set():
                with lock:
                    try:
                        job = next(queue)
                    except StopIteration:
                        return
                work(job, number)

        futures = [self._pool.submit(worker, number) for number in range(self.threads)]
        try:
            while True:
                done, waiting = wait(futures, WAIT, FIRST_EXCEPTION)
                for future in done:
                    future.result()
                if tick:
                    tick()
                if not waiting:
                    return
        finally:
            self._stop.set()
            wait(futures)
