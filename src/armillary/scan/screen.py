"""The pass over all tiles: a kernel hands out candidates, each is scored as defined and folded into the lists.

Any number of threads take tile after tile. A tile that yields more candidates than a worker has room for is swept in
parts, each scored before the next. What was swept twice, or by another kernel, changes nothing (see `lists`).
"""

from __future__ import annotations

from armillary.scan.crew import Crew
from armillary.scan.kernels import KERNELS, Candidates, Kernel, Sides, choose, prepare
from armillary.scan.lists import Lists
from armillary.scan.plan import Plan, Tile, pairs_of
from armillary.scan.progress import Count
from armillary.scan.warm import warm_up


def plan_of(kernel: str, sides: Sides, k: int, threads: int) -> Plan:
    """The plan of a screen of these sides for k neighbours a row."""
    d = sides.right.x.shape[1]
    widest = KERNELS[choose(d) if kernel == "auto" else kernel].widest
    return Plan.of(len(sides.left), len(sides.right), d, k, threads, widest, sides.same)


def screen(sides: Sides, plan: Plan, name: str, crew: Crew, count: Count) -> tuple[Lists, str]:
    """The exact lists of all rows, and the name of the kernel that found them."""
    kernel = prepare(name, sides, plan, crew)
    lists = Lists(sides, plan.k)
    warm_up(lists, sides, plan.k, crew)
    rooms = [Candidates.room(plan.candidates) for _ in range(crew.threads)]

    def work(tile: Tile, worker: int) -> None:
        if _sweep(kernel, tile, lists, rooms[worker], worker, crew):
            count.add(pairs_of(tile, plan.same))

    crew.each(work, plan.tiles(), count.tell)
    return lists, kernel.name


def _sweep(kernel: Kernel, tile: Tile, lists: Lists, room: Candidates, worker: int, crew: Crew) -> bool:
    """One tile, in as many parts as it takes; False where it was given up."""
    cursor = 0
    while cursor >= 0:
        if crew.stopping:
            return False
        found, cursor = kernel.sweep(tile, lists.cut, cursor, room, worker)
        lists.take(room, found)
    return True
