"""The pass over all tiles: a kernel hands out candidates, each is scored as defined and folded into the lists.

Any number of threads take tile after tile. A tile that yields more candidates than a worker has room for is swept in
parts, each scored before the next. What was swept twice, or by another kernel, changes nothing (see `lists`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from armillary.scan.crew import Crew
from armillary.scan.kernels import KERNELS, Candidates, Kernel, Sides, choose, prepare
from armillary.scan.lists import Lists
from armillary.scan.plan import Plan, Tile, pairs_of
from armillary.scan.progress import Count
from armillary.scan.state import State, kept
from armillary.scan.warm import warm_up
from armillary.shapes import Float64, Int64

_AHEAD = 4
"""Parts a thread sweeps before pairs are handed on."""


def plan_of(kernel: str, sides: Sides, k: int, threads: int) -> Plan:
    """The plan of a screen of these sides for k neighbours a row."""
    d = sides.right.x.shape[1]
    widest = KERNELS[choose(d) if kernel == "auto" else kernel].widest
    return Plan.of(len(sides.left), len(sides.right), d, k, threads, widest, sides.same)


def screen(
    sides: Sides, plan: Plan, name: str, crew: Crew, count: Count, state: State | None = None
) -> tuple[Lists, str]:
    """The exact lists of all rows, and the name of the kernel that found them."""
    state, tiles = state or State(), plan.tiles()
    lists, done = Lists(sides, plan.k), np.zeros(len(tiles), np.bool_)
    if state.register("lists", {**lists.arrays, "done": done}, lists.lock):
        lists.refresh()
    rung = choose(sides.right.x.shape[1]) if name == "auto" else name
    if not done.all():
        kernel = prepare(rung, sides, plan, crew)
        if not done.any():
            warm_up(lists, sides, plan.k, crew)
        _pass(kernel, lists, tiles, done, plan, crew, count, state)
    return lists, rung


def _pass(
    kernel: Kernel,
    lists: Lists,
    tiles: list[Tile],
    done: np.ndarray,
    plan: Plan,
    crew: Crew,
    count: Count,
    state: State,
) -> None:
    """All tiles that are not done; the state is kept now and then, and when something stops the pass."""
    rooms = [Candidates.room(plan.candidates) for _ in range(crew.threads)]
    count.add(sum(pairs_of(tiles[at], plan.same) for at in np.flatnonzero(done)))

    def work(at: int, worker: int) -> None:
        if _sweep(kernel, tiles[at], lists, rooms[worker], worker, crew):
            done[at] = True  # after all it gave is in the lists
            count.add(pairs_of(tiles[at], plan.same))

    def tick() -> None:
        state.tick()
        count.tell()

    with kept(state):
        crew.each(work, np.flatnonzero(~done).tolist(), tick)


def _sweep(kernel: Kernel, tile: Tile, lists: Lists, room: Candidates, worker: int, crew: Crew) -> bool:
    """One tile, in as many parts as it takes; False where it was given up."""
    cursor = 0
    while cursor >= 0:
        if crew.stopping:
            return False
        found, cursor = kernel.sweep(tile, lists.cut, cursor, room, worker)
        lists.take(room, found)
    return True


def reach(
    sides: Sides, plan: Plan, name: str, threshold: float, crew: Crew, count: Count
) -> Iterator[tuple[Int64[np.ndarray, "p"], Int64[np.ndarray, "p"], Float64[np.ndarray, "p"]]]:
    """All pairs (i, j, cosine) with a cosine of at least `threshold`, part by part, tiles in order.

    Some parts are swept at a time, each into room of its own, so that memory is bounded whatever is found.
    """
    kernel = prepare(name, sides, plan, crew)
    lists = Lists(sides, 1)
    lists.hold(threshold)
    rooms = [Candidates.room(plan.candidates) for _ in range(_AHEAD * crew.threads)]
    waiting = iter(plan.tiles())
    parts: list[tuple[Tile, int]] = []
    while True:
        parts += [(tile, 0) for tile in islice(waiting, len(rooms) - len(parts))]
        if not parts:
            return
        found = [(0, -1)] * len(parts)

        def work(
            at: int, worker: int, parts: list[tuple[Tile, int]] = parts, found: list[tuple[int, int]] = found
        ) -> None:
            pairs, cursor = kernel.sweep(parts[at][0], lists.cut, parts[at][1], rooms[at], worker)
            found[at] = lists.score(rooms[at], pairs), cursor

        crew.each(work, range(len(parts)), count.tell)
        for room, (pairs, _) in zip(rooms, found, strict=False):
            if pairs:
                yield room.i[:pairs].astype(np.int64), room.j[:pairs].astype(np.int64), room.value[:pairs].copy()
        count.add(
            sum(pairs_of(tile, plan.same) for (tile, _), (_, cursor) in zip(parts, found, strict=True) if cursor < 0)
        )
        count.tell()
        parts = [(tile, cursor) for (tile, _), (_, cursor) in zip(parts, found, strict=True) if cursor >= 0]
