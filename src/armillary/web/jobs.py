"""Long work, in a thread of its own: started, watched, cancelled; never inside a request.

One job of a kind at a time: who asks for it while it runs is given the same job. The work itself reports its progress
by calling back, and a cancelled job raises out of that call, so that the engine stops as it does for Ctrl-C.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from armillary.errors import ArmillaryError, UsageError

State = Literal["running", "done", "cancelled", "failed"]
Work = Callable[[Callable[[int, int], None]], Any]  # progress(done, total) -> what the job leaves


class _Cancelled(Exception):
    pass


@dataclass
class Job:
    """One piece of long work. `done` of `total` steps, in the unit of the work; `message` says why it failed."""

    id: int
    kind: str
    state: State = "running"
    done: int = 0
    total: int = 0
    message: str = ""
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)

    def to_dict(self) -> dict[str, Any]:
        return {k: getattr(self, k) for k in ("id", "kind", "state", "done", "total", "message")}

    def cancel(self) -> None:
        """Ask the work to stop at its next report of progress."""
        self._stop.set()

    def progress(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        if self._stop.is_set():
            raise _Cancelled

    def run(self, work: Work) -> None:
        try:
            work(self.progress)
            self.state = "done"
        except _Cancelled:
            self.state = "cancelled"
        except ArmillaryError as error:
            self.state, self.message = "failed", error.message
        except Exception as error:  # a worker thread has nobody above it: the page must be told
            self.state, self.message = "failed", f"{type(error).__name__}: {error}"


class Jobs:
    """The jobs of one server. `kinds`: the work that may be asked for, by name."""

    def __init__(self, kinds: dict[str, Work]) -> None:
        self._kinds = kinds
        self._jobs: dict[int, Job] = {}
        self._number = itertools.count(1)
        self._lock = threading.Lock()

    def start(self, kind: str) -> Job:
        """A new job of this kind, or the one that is running; UsageError for an unknown kind."""
        if kind not in self._kinds:
            raise UsageError(f"expected a job among {', '.join(sorted(self._kinds))}, found {kind!r}")
        with self._lock:
            for job in self._jobs.values():
                if job.kind == kind and job.state == "running":
                    return job
            job = Job(next(self._number), kind)
            self._jobs[job.id] = job
        threading.Thread(target=job.run, args=(self._kinds[kind],), daemon=True, name=f"job-{job.id}").start()
        return job

    def get(self, id: int) -> Job:
        """The job of this number; UsageError if there was none."""
        if id not in self._jobs:
            raise UsageError(f"there is no job {id}")
        return self._jobs[id]
