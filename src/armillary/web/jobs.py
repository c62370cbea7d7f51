"""Long work, in a thread of its own: started, watched, cancelled, its result fetched; never inside a request.

The same question asked again is the same job: who asks while it runs joins it, who asks later is given its result.
Jobs of one kind run one after the other. The work itself reports its progress by calling back, and a cancelled job
raises out of that call, so that the engine stops as it does for Ctrl-C.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from armillary.errors import ArmillaryError, UsageError

State = Literal["running", "done", "cancelled", "failed"]
Progress = Callable[[int, int], None]
Arguments = Mapping[str, Any]
Work = Callable[[Arguments, Progress], Any]  # (arguments, progress(done, total)) -> the result, as plain values

MOST_RUNNING, MOST_KEPT = 16, 64
PATIENCE = 0.2  # seconds between looks of a waiting job at whether it is still wanted


class _Cancelled(Exception):
    pass


@dataclass
class Job:
    """One piece of long work. `done` of `total` steps, in the unit of the work; `message` says why it failed."""

    id: int
    kind: str
    arguments: Arguments = field(default_factory=dict)
    state: State = "running"
    done: int = 0
    total: int = 0
    message: str = ""
    result: Any = field(default=None, repr=False)
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)

    def to_dict(self) -> dict[str, Any]:
        return {k: getattr(self, k) for k in ("id", "kind", "state", "done", "total", "message")}

    def cancel(self) -> None:
        """Ask the work to stop at its next report of progress."""
        self._stop.set()

    @property
    def is_stopping(self) -> bool:
        """Whether it was asked to stop; it may still be on the way to its next report."""
        return self._stop.is_set()

    def progress(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        if self._stop.is_set():
            raise _Cancelled

    def _await(self, turn: threading.Lock) -> None:
        """Take the turn; a job that is cancelled while it waits does not wait on."""
        while not turn.acquire(timeout=PATIENCE):
            self.progress(0, 0)

    def run(self, work: Work, turn: threading.Lock) -> None:
        """Do the work when it is this job's turn."""
        try:
            self._await(turn)
            try:
                self.progress(0, 0)
                self.result = work(self.arguments, self.progress)
            finally:
                turn.release()
            self.state = "done"
        except _Cancelled:
            self.state = "cancelled"
        except ArmillaryError as error:
            self.message = " · ".join(part for part in (error.message, error.cure) if part)
            self.state = "failed"
        except Exception as error:  # a worker thread has nobody above it: the page must be told
            self.message = f"{type(error).__name__}: {error}"
            self.state = "failed"


class Jobs:
    """The jobs of one server. `kinds`: the work that may be asked for, by name."""

    def __init__(self, kinds: Mapping[str, Work]) -> None:
        self._kinds = kinds
        self._turns = {kind: threading.Lock() for kind in kinds}
        self._jobs: dict[int, Job] = {}
        self._number = itertools.count(1)
        self._lock = threading.Lock()

    def start(self, kind: str, arguments: Arguments | None = None) -> Job:
        """The job of this kind and these arguments: one that runs or is done, else a new one. A stopping one is neither.

        UsageError for an unknown kind, and while 16 jobs are running.
        """
        if kind not in self._kinds:
            raise UsageError(f"expected a job among {', '.join(sorted(self._kinds))}, found {kind!r}")
        asked = dict(arguments or {})
        with self._lock:
            for job in self._jobs.values():
                wanted = job.state == "done" or (job.state == "running" and not job.is_stopping)
                if wanted and (job.kind, job.arguments) == (kind, asked):
                    return job
            if sum(job.state == "running" for job in self._jobs.values()) >= MOST_RUNNING:
                raise UsageError(
                    f"expected at most {MOST_RUNNING} jobs at a time, found as many", "wait for one to end"
                )
            job = Job(next(self._number), kind, asked)
            self._jobs[job.id] = job
            self._forget()
        thread = threading.Thread(target=job.run, args=(self._kinds[kind], self._turns[kind]), daemon=True)
        thread.start()
        return job

    def get(self, id: int) -> Job:
        """The job of this number; UsageError if there was none, or it is no longer kept."""
        if id not in self._jobs:
            raise UsageError(f"there is no job {id}")
        return self._jobs[id]

    def _forget(self) -> None:
        """Drop the oldest ended jobs beyond those kept."""
        ended = [job.id for job in self._jobs.values() if job.state != "running"]
        for id in ended[: max(0, len(self._jobs) - MOST_KEPT)]:
            del self._jobs[id]
