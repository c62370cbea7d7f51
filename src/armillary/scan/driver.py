"""The scan: rows in, everything about their pairs out. Merge, screen, fold, finish; exact at every end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Int64
from threadpoolctl import threadpool_limits

from armillary.errors import UsageError
from armillary.scan.bound import cosine_bound
from armillary.scan.crew import Crew
from armillary.scan.dense import dense_rows
from armillary.scan.expand import closer, closest_pair, equal_pair, expand_lists, farther
from armillary.scan.histogram import exact_histogram, sampled_histogram, small_histogram
from armillary.scan.kernels import Candidates, check_kernel, prepare
from armillary.scan.moments import moments
from armillary.scan.plan import SMALL, Plan, Tile, pairs_of
from armillary.scan.result import Histogram, Moments, Pair, Rows, Scan
from armillary.scan.rows import BLOCK, Distinct, distinct, merge, read_rows, row_hashes

Progress = Callable[[int, int], None]
"""Called with (pairs done, pairs in all) from the calling thread, about twenty times a second; may raise to cancel."""


@dataclass(frozen=True, eq=False)
class _Found:
    """Of distinct rows: exact lists, the lowest pair, the histogram, and the kernel that found them."""

    ids: np.ndarray
    best: np.ndarray
    lowest: tuple[float, int, int] | None
    histogram: Histogram | None
    kernel: str


class _Count:
    """Pairs done, told to the caller now and then."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.done, self._total, self._progress = 0, total, progress

    def add(self, pairs: int) -> None:
        self.done += pairs  # a lost update under threads would only make a bar late

    def tell(self) -> None:
        if self._progress:
            self._progress(min(self.done, self._total), self._total)


def scan(
    rows: Rows,
    ids: Int64[np.ndarray, "n"] | None = None,
    *,
    k: int = 10,
    histogram: Literal["sampled", "exact", "none"] = "sampled",
    pairs: int = 4_000_000,
    seed: int = 0,
    kernel: str = "auto",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Scan:
    """The exact scan of all pairs of n rows: neighbours, extreme pairs, occurrence, moments, histogram.

    `ids` (n, ascending; positions if None) name the rows. `k` is clipped to n − 1. `histogram`: over `pairs` pairs
    drawn with `seed` (over all pairs where there are no more than that), exact, or none. `threads`: all processors if
    None. `kernel`: auto, or the name of a rung, which small tables then take too. `progress(done, total)` may raise
    to cancel; an interruption takes effect within a second. UsageError for an argument out of its range.
    """
    started = time.perf_counter()
    _check(rows, ids, k, histogram, pairs, kernel)
    n = rows.shape[0]
    names = np.arange(n, dtype=np.int64) if ids is None else np.asarray(ids, np.int64)
    exact = histogram == "exact" or (histogram == "sampled" and n * (n - 1) // 2 <= pairs)
    x = read_rows(rows)
    more = min(k + 1, n - 1)  # one beyond k, for the certificate
    if n < SMALL and kernel == "auto":
        merged = distinct(x)
        found = _plain(merged, more, exact and histogram != "none", progress)
        spread = moments(merged)
    else:
        with Crew(threads) as crew:
            merged = _merge(x, crew)
            wanted = "exact" if exact and histogram != "none" else histogram
            found = _tiled(merged, more, wanted, pairs, seed, kernel, crew, progress)
        with threadpool_limits(threads, "blas"):
            spread = moments(merged)
    return _result(merged, names, found, spread, min(k, n - 1), more, time.perf_counter() - started)


def _check(rows: Rows, ids: np.ndarray | None, k: int, histogram: str, pairs: int, kernel: str) -> None:
    if k < 1:
        raise UsageError(f"expected k of at least 1, found {k}")
    if histogram not in ("sampled", "exact", "none"):
        raise UsageError(f"expected a histogram that is sampled, exact or none, found {histogram!r}")
    if pairs < 1:
        raise UsageError(f"expected at least one pair to draw, found {pairs}")
    if ids is not None and (len(ids) != rows.shape[0] or (np.diff(ids) <= 0).any()):
        raise UsageError(f"expected {rows.shape[0]:,} ascending ids, found {len(ids):,}")
    check_kernel(kernel)


def _merge(x: np.ndarray, crew: Crew) -> Distinct:
    """`distinct`, shared by the crew."""
    from armillary.scan import loops

    hashes = np.empty(len(x), np.uint64)

    def hash_block(a: int, _worker: int) -> None:
        hashes[a : a + BLOCK] = row_hashes(x[a : a + BLOCK])

    crew.each(hash_block, range(0, len(x), BLOCK))
    first, group = merge(x, hashes)
    squared = np.empty(len(first), np.float64)

    def square_block(a: int, _worker: int) -> None:
        loops.squared_norms(x, first, a, min(a + BLOCK, len(first)), squared)

    crew.each(square_block, range(0, len(first), BLOCK))
    return Distinct(x, first, group, squared)


def _plain(rows: Distinct, k: int, exact: bool, progress: Progress | None) -> _Found:
    """Dense tiles of a few rows against all, uncompiled."""
    m = len(rows)
    spread = small_histogram(rows) if exact else None
    if m == 1:
        return _Found(np.empty((1, 0), np.int64), np.empty((1, 0)), None, spread, "plain")
    count = _Count(m * (m - 1) // 2, progress)

    def tick(done: int) -> None:
        count.add(done * (m - 1) // 2)
        count.tell()

    ids, best, lowest = dense_rows(rows, min(k, m - 1), tick)
    return _Found(ids, best, lowest, spread, "plain")


def _tiled(
    rows: Distinct,
    k: int,
    histogram: str,
    pairs: int,
    seed: int,
    name: str,
    crew: Crew,
    progress: Progress | None,
) -> _Found:
    """Tiles above the diagonal through a kernel, folded into lists, finished exactly."""
    from armillary.scan.flood import finish_farthest, finish_flooded
    from armillary.scan.lists import Lists

    m, d = len(rows), rows.x.shape[1]
    plan = Plan.of(m, d, min(k, m - 1), crew.threads)
    count = _Count(m * (m - 1) // 2 * (2 if histogram == "exact" else 1), progress)
    spread = None
    if histogram == "exact":
        spread = exact_histogram(rows, plan, crew, count.add, count.tell)
    elif histogram == "sampled":
        spread = sampled_histogram(rows, pairs, seed, crew)
    if m == 1:
        return _Found(np.empty((1, 0), np.int64), np.empty((1, 0)), None, spread, "plain")
    if plan.dense and name == "auto":
        return replace(_plain(rows, k, False, progress), histogram=spread)
    screen = prepare(name, rows, plan, crew)
    lists = Lists(plan, screen.bound)
    rooms = [Candidates.room(plan.rows * plan.columns) for _ in range(crew.threads)]

    def work(tile: Tile, worker: int) -> None:
        found = rooms[worker]
        lists.insert(found, screen.sweep(tile, lists.keep, float(lists.floor), found, worker))
        count.add(pairs_of(tile))

    crew.each(work, plan.tiles(), count.tell)
    ids, best, flooded = lists.finish(rows, crew)
    if len(flooded):
        finish_flooded(rows, flooded, lists.keep, ids, best, crew, count.tell)
    lowest = lists.farthest(rows) or finish_farthest(rows, plan, crew)
    return _Found(ids, best, lowest, spread, screen.name)


def _result(
    rows: Distinct, names: np.ndarray, found: _Found, spread: Moments | None, k: int, more: int, seconds: float
) -> Scan:
    n = len(rows.group)
    positions, values = expand_lists(rows, found.ids, found.best, more)
    certificate = np.ones(n, bool)
    if more > k:
        certificate = values[:, k - 1] - values[:, k] > 2 * cosine_bound(rows.x.shape[1])
    apart = closest_pair(rows, found.ids, found.best)
    near = closer(equal_pair(rows), apart)
    low = Pair(found.lowest[0], *(int(rows.first[i]) for i in found.lowest[1:])) if found.lowest else None
    far = farther(equal_pair(rows), low)
    positions, values = np.ascontiguousarray(positions[:, :k]), np.ascontiguousarray(values[:, :k])
    return Scan(
        k=k,
        ids=names,
        neighbors=names[positions],
        similarities=values,
        certificate=certificate,
        occurrence=np.bincount(positions.ravel(), minlength=n).astype(np.int64),
        closest=_named(near, names),
        farthest=_named(far, names),
        closest_distinct=_named(apart, names),
        moments=spread,
        histogram=found.histogram,
        pairs=n * (n - 1) // 2,
        seconds=seconds,
        kernel=found.kernel,
    )


def _named(pair: Pair | None, names: np.ndarray) -> Pair | None:
    return Pair(pair.value, int(names[pair.i]), int(names[pair.j])) if pair else None
