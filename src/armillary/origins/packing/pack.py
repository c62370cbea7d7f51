"""The search for a spherical code: many starts, the best polished, and how often descent finds it.

"It fits" and "descent finds it" are two claims. The best of many starts, polished to rounding, stands for the first;
the share of starts that reach it, and the gap of one plain descent, for the second.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from armillary.errors import check_range, check_seed
from armillary.origins.packing import energy, large
from armillary.origins.packing.packing import Packing, Start
from armillary.origins.packing.polish import Polished, largest_cosine, polish

STARTS = 64
ALL_PAIRS = 2000  # beyond so many points all pairs at once cost too much; blocks then
NEAR = 3e-4  # cosine: a start this near to the best before its polish may be the best after it
PLAIN_SHARPNESS = 100.0

Progress = Callable[[int, int], None]


def pack(
    size: int,
    dimension: int,
    lines: bool = False,
    starts: int | None = None,
    seed: int = 0,
    epochs: int = 20,
    progress: Progress | None = None,
) -> Packing:
    """The best code of V = size unit vectors in d = dimension that `starts` descents find (Sloane; Wang 2009).

    `lines` packs lines instead of vectors: the largest |cosine| is made least. `starts` is by default 64, fewer where
    a start is long. Up to 2,000 points a start descends on all pairs and is polished where the system is small
    enough; beyond that one start descends by blocks for `epochs` passes. Interrupting keeps the best so far.
    UsageError unless 2 ≤ V ≤ 1,000,000, 2 ≤ d ≤ 16,384 and starts, epochs ≥ 1.
    """
    _check(size, dimension, starts, epochs)
    check_seed(seed)
    if size > ALL_PAIRS:
        return _by_blocks(size, dimension, lines, seed, epochs, progress)
    count = starts or max(1, min(STARTS, round(2e6 / (size * size * dimension) * STARTS)))
    search = _Search(size, dimension, lines, seed)
    began, interrupted = time.perf_counter(), False
    try:
        for start in range(count):
            search.run(start)
            if progress:
                progress(start + 1, count)
    except KeyboardInterrupt:
        interrupted = search.rescue()
    return search.result(count, interrupted, time.perf_counter() - began)


def start_of(size: int, dimension: int, seed: int, start: int) -> np.ndarray:
    """The random code that one start begins from: its own stream, so that any start can be repeated alone."""
    return energy.random_code(size, dimension, np.random.default_rng([seed, start]))


class _Search:
    """The starts done so far and the best of them."""

    def __init__(self, size: int, dimension: int, lines: bool, seed: int) -> None:
        self.size, self.dimension, self.lines, self.seed = size, dimension, lines, seed
        self.steps = 200 if size <= 200 else 60
        self.starts: list[Start] = []
        self.best: Polished | None = None
        self.plain: float | None = None
        self.latest: np.ndarray | None = None

    def run(self, start: int) -> None:
        first = start_of(self.size, self.dimension, self.seed, start)
        sharpness = energy.FIRST_SHARPNESS[start % len(energy.FIRST_SHARPNESS)]
        rows = energy.descend(first, sharpness, self.lines, self.steps, keep=self._keep)
        self._add(rows, sharpness)
        if self.plain is None:
            plain = energy.descend(first, PLAIN_SHARPNESS, self.lines, self.steps, last_sharpness=PLAIN_SHARPNESS)
            self.plain = largest_cosine(plain, self.lines)

    def rescue(self) -> bool:
        """Keep what the interrupted first start had reached; KeyboardInterrupt again where there is nothing."""
        if self.best is None:
            if self.latest is None:
                raise KeyboardInterrupt
            rows = energy.unit(self.latest)
            self.best = Polished(rows, largest_cosine(rows, self.lines), None, 0)
        return True

    def result(self, asked: int, interrupted: bool, seconds: float) -> Packing:
        assert self.best is not None
        return Packing(
            rows=self.best.rows,
            lines=self.lines,
            cosine=self.best.largest,
            residual=self.best.residual,
            active=self.best.active,
            starts=tuple(self.starts),
            asked=asked,
            plain_cosine=self.plain,
            seed=self.seed,
            method="all pairs",
            interrupted=interrupted,
            seconds=seconds,
        )

    def _keep(self, rows: np.ndarray) -> None:
        self.latest = rows

    def _add(self, rows: np.ndarray, sharpness: float) -> None:
        found = Polished(rows, largest_cosine(rows, self.lines), None, 0)
        if self.best is None or found.largest < self.best.largest + NEAR:
            found = polish(rows, self.lines)
        self.starts.append(Start(sharpness, found.largest))
        if self.best is None or found.largest < self.best.largest:
            self.best = found


def _by_blocks(size: int, dimension: int, lines: bool, seed: int, epochs: int, progress: Progress | None) -> Packing:
    began = time.perf_counter()
    generator = np.random.default_rng([seed, 0])
    first = energy.random_code(size, dimension, generator).astype(np.float32)
    rows, interrupted = large.spread(first, generator, lines, epochs, progress)
    cosine = large.closest_pair(rows, lines)[0]
    return Packing(
        rows=rows,
        lines=lines,
        cosine=cosine,
        residual=None,
        active=0,
        starts=(Start(large.FIRST_SHARPNESS, cosine),),
        asked=1,
        plain_cosine=None,
        seed=seed,
        method="blocks",
        interrupted=interrupted,
        seconds=time.perf_counter() - began,
    )


def _check(size: int, dimension: int, starts: int | None, epochs: int) -> None:
    for name, value, low, high in (
        ("V", size, 2, 1_000_000),
        ("d", dimension, 2, 16_384),
        ("starts", 1 if starts is None else starts, 1, 1_000_000),
        ("epochs", epochs, 1, 1_000_000),
    ):
        check_range(name, value, low, high)
