"""Every row of one table against another: a batch of queries through the kernels of the scan."""

from __future__ import annotations

import numpy as np

from armillary.scan.crew import Crew
from armillary.scan.kernels import Sides
from armillary.scan.merging import as_they_are
from armillary.scan.progress import Count, Progress
from armillary.scan.screen import plan_of, screen


def nearest_between(
    queries: np.ndarray,
    x: np.ndarray,
    searched: np.ndarray,
    k: int,
    kernel: str = "auto",
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """(positions, cosines), each (q, k): the k nearest to each query among the rows of x at the positions `searched`.

    By the defining cosine, ties by position, exactly as one query at a time. No row may be zero. k is at most the number
    searched and what a list holds (`plan.FAST_K`); `searched` ascends.
    """
    with Crew(threads) as crew:
        left = as_they_are(np.ascontiguousarray(queries), np.arange(len(queries)), crew)
        sides = Sides(left, as_they_are(x, searched, crew))
        plan = plan_of(kernel, sides, k, crew.threads)
        lists, _ = screen(sides, plan, kernel, crew, Count(plan.m * plan.n, progress))
    return np.asarray(searched)[lists.others], lists.values
