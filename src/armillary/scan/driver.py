"""The scan: rows in, everything about their pairs out. Merge, screen, fold, finish; exact at every end."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from armillary.errors import UsageError
from armillary.scan.bound import cosine_bound
from armillary.scan.crew import Crew
from armillary.scan.dense import dense_rows
from armillary.scan.expand import closer, closest_pair, equal_pair, expand_lists, farther
from armillary.scan.histogram import exact_histogram, sampled_histogram, small_histogram
from armillary.scan.kernels import Sides, check_kernel
from armillary.scan.moments import moments
from armillary.scan.plan import SMALL
from armillary.scan.progress import Count, Progress
from armillary.scan.result import Histogram, Moments, Pair, Rows, Scan
from armillary.scan.rows import Distinct, distinct, read_rows
from armillary.scan.state import Keeper, State
from armillary.shapes import Int64


@dataclass(frozen=True)
class _Asked:
    """What a caller wants of a large table; `k` is one more than the lists reported."""

    k: int
    histogram: str
    pairs: int
    seed: int
    kernel: str
    progress: Progress | None
    keeper: Keeper | None


@dataclass(frozen=True, eq=False)
class _Found:
    """Of distinct rows: exact lists, the lowest pair, the histogram, and the kernel that found them."""

    ids: np.ndarray
    best: np.ndarray
    lowest: tuple[float, int, int] | None
    histogram: Histogram | None
    kernel: str


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
    keeper: Keeper | None = None,
) -> Scan:
    """The exact scan of all pairs of n rows: neighbours, extreme pairs, occurrence, moments, histogram.

    `ids` (n, ascending; positions if None) name the rows. `k` is clipped to n − 1. `histogram`: over `pairs` pairs
    drawn with `seed` (over all pairs where there are no more than that), exact, or none. `threads`: all processors if
    None. `kernel`: auto, or the name of a rung, which small tables then take too. `progress(done, total)` may raise
    to cancel; an interruption takes effect within a second. `keeper` keeps what was done now and then and when
    interrupted; a later scan of the same rows goes on from there, to the same answer. UsageError for an
    argument out of its range.
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
        pairs_in_all = len(merged) * (len(merged) - 1) // 2
        found = _plain(merged, more, exact and histogram != "none", Count(pairs_in_all, progress))
        spread = moments(merged)
    else:
        from armillary.scan.merging import merge_rows

        with Crew(threads) as crew:
            merged = merge_rows(x, crew)
            wanted = "exact" if exact and histogram != "none" else histogram
            found = _tiled(merged, _Asked(more, wanted, pairs, seed, kernel, progress, keeper), crew)
            spread = moments(merged, crew)
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


def _plain(rows: Distinct, k: int, exact: bool, count: Count) -> _Found:
    """Dense tiles of a few rows against all, uncompiled."""
    m = len(rows)
    spread = small_histogram(rows) if exact else None
    if m == 1:
        return _Found(np.empty((1, 0), np.int64), np.empty((1, 0)), None, spread, "plain")

    def tick(done: int) -> None:
        count.add(done * (m - 1) // 2)
        count.tell()

    ids, best, lowest = dense_rows(rows, min(k, m - 1), tick)
    return _Found(ids, best, lowest, spread, "plain")


def _tiled(rows: Distinct, asked: _Asked, crew: Crew) -> _Found:
    """Tiles above the diagonal through a kernel, folded into exact lists; then the histogram."""
    from armillary.scan.screen import plan_of, screen

    m = len(rows)
    pairs, both = m * (m - 1) // 2, asked.histogram == "exact"
    count = Count(pairs * (2 if both else 1), asked.progress)
    sides = Sides(rows, rows)
    plan = plan_of(asked.kernel, sides, min(asked.k, m - 1), crew.threads)
    state = State(asked.keeper, rows.fingerprint, plan)
    if m == 1:
        found = _Found(np.empty((1, 0), np.int64), np.empty((1, 0)), None, None, "plain")
    elif plan.dense and asked.kernel == "auto":
        found = _plain(rows, asked.k, False, count)
    else:
        lists, kernel = screen(sides, plan, asked.kernel, crew, count, state)
        found = _Found(lists.others.astype(np.int64), lists.values, lists.lowest, None, kernel)
    return replace(found, histogram=_histogram(rows, asked, crew, count, state))


def _histogram(rows: Distinct, asked: _Asked, crew: Crew, count: Count, state: State) -> Histogram | None:
    if asked.histogram == "exact":
        return exact_histogram(rows, crew, count, state)
    return sampled_histogram(rows, asked.pairs, asked.seed, crew) if asked.histogram == "sampled" else None


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
