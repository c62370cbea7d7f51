"""What the page is shown, as plain values: the same for the live server and for an exported folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.errors import UsageError
from armillary.study.repair_questions import repair_methods
from armillary.study.spaces import SPACES
from armillary.study.words import ready_sets
from armillary.web.pack import pack

if TYPE_CHECKING:
    from armillary.study import Study

SIZES: tuple[int, ...] = tuple(round(10 ** (step / 2)) for step in range(2, 15))  # of the planner's grid: 10 … 10⁷
WIDTHS: tuple[int, ...] = tuple(2**power for power in range(1, 14))  # 2 … 8,192
LISTED = 200  # rows of one kind that the health room is sent


def model_view(study: Study) -> dict[str, Any]:
    """What is under study."""
    rows, width = study.shape
    return {
        "name": study.provenance.source,
        "rows": rows,
        "width": width,
        "stored": study.provenance.stored,
        "kept": len(study.code),
        "spaces": list(SPACES),
        "named": not study.table.vocabulary.named_by_id,
        "repairs": repair_methods(),
    }


def map_pack(study: Study) -> bytes:
    """Every row on the map's plane, with the measures that colour it."""
    atlas = study.atlas()
    facts = {
        "explained": atlas.plane.explained.tolist(),
        "categories": {name: labels for name, (_, labels) in atlas.categories.items()},
    }
    plane = {"ids": atlas.plane.ids.astype(np.int32), "xy": atlas.plane.xy}
    return pack(facts, **plane, **atlas.columns, **{name: codes for name, (codes, _) in atlas.categories.items()})


def words_view(study: Study, texts: Sequence[str]) -> list[dict[str, Any] | None]:
    """Which row or rows each word stands for; None for one that the table does not have."""
    return [w and {**w.to_dict(), "id": w.ids[0] if w.is_single else None} for w in study.spelled(*texts)]


def direction_view(
    study: Study, name: str, language: str, pairs: Sequence[tuple[str, str]], words: Sequence[str]
) -> dict[str, Any]:
    """A direction of a ready set, or of pairs where there are any; `read`: words of one's own on it."""
    found = study.direction(list(pairs) if pairs else name, language=language)
    read = [{"word": word, "projection": value} for word, value in found.project(study.table, words)]
    return {**found.to_dict(), "read": read, "space": study.space}


def sets_view(language: str) -> list[dict[str, Any]]:
    """The ready sets that are pairs, by name with their size and first pair."""
    return [{"name": s.name, "pairs": len(s.lines), "first": list(s.lines[0])} for s in ready_sets(language)]


def health_view(study: Study) -> dict[str, Any]:
    """Rows that need attention by kind (at most 200 of each shown), and the candidates for under-training."""
    found = study.soundness.to_dict()
    kinds = {
        kind: {**told, "rows": study.token_views([row["id"] for row in told["rows"][:LISTED]])}
        for kind, told in found["kinds"].items()
    }
    suspects = found["under_trained"]
    return {
        "verdict": found["verdict"],
        "looked_at": found["rows_looked_at"],
        "tying": found["tying"],
        "kinds": kinds,
        "candidates": suspects["candidates"][:LISTED] if suspects else [],
        "indicators": suspects["indicators"] if suspects else [],
    }


def plan_grid(study: Study) -> list[dict[str, Any]]:
    """The planner's answers on a grid of sizes and dimensions, for a folder that cannot compute them."""
    sizes, widths = sorted({*SIZES, len(study.code)}), sorted({*WIDTHS, study.shape[1]})
    grid = []
    for size in sizes:
        for width in widths:
            try:
                grid.append(study.plan(size, width).to_dict())
            except UsageError:
                continue  # a pair of numbers that the closed forms do not take
    return grid
