"""Two tables side by side as text: the verdict, what was joined and what was left out, measures, both tables, movers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from armillary.answer import aligned, cosine, count, number
from armillary.measure import Measure
from armillary.table import Table

if TYPE_CHECKING:
    from armillary.study.comparing import TwoTables
    from armillary.study.study import Study

NAMED = 6  # tokens named in a line
SCANNED = ("coherence", "minimum_angle")  # of each table by itself, where it was scanned


def lines_of(found: TwoTables) -> str:
    """The whole comparison."""
    parts = [found.verdict, "", *_joined(found), "", _measures(found), "", _both(found), *absent(found)]
    if found.found.moved:
        parts += ["", _moved(found)]
    movers = found.movers()
    if movers:
        rows = [[m["text"], str(m["a"]), cosine(m["cosine"]), number(m["norm_ratio"])] for m in movers]
        header = ["token", "id in the first", f"cosine {found.found.how}", "norm, second / first"]
        parts += ["", "Largest movers:", aligned(rows, ["left", "right", "right", "right"], header)]
    return "\n".join(parts)


def left_out(found: TwoTables) -> dict[str, list[int]]:
    """Joined rows without a direction in one of the two, which no measure counts: why -> ids in the first."""
    joined = found.found.join
    unused = np.setdiff1d(np.arange(len(joined)), found.found.used)
    rows: dict[str, list[int]] = {}
    for i, j in zip(joined.a[unused].tolist(), joined.b[unused].tolist(), strict=True):
        first, second = _trouble(found.a.table, i), _trouble(found.b.table, j)
        sides = [f"{what} in the {side}" for what, side in ((first, "first"), (second, "second")) if what]
        rows.setdefault(f"{first} in both" if first == second else ", ".join(sides), []).append(i)
    return rows


def left_out_lines(found: TwoTables) -> list[str]:
    """`left_out` in words, a line a reason."""
    return [
        f"{_rows(len(ids))} left out of every measure: {why} ({_texts(found.a, ids)})."
        for why, ids in left_out(found).items()
    ]


def absent(found: TwoTables) -> list[str]:
    """Why a value of one table is missing beside that of the other."""
    return [why for side, study in ((0, found.a), (1, found.b)) if (why := _absent(found, side, study))]


def value_of(measure: Measure) -> str:
    """A measure that is 1 at best, never rounded to 1 unless it is 1."""
    return cosine(measure.value) if float(f"{measure.value:.3e}") >= 1 else number(measure.value, 4)


def _absent(found: TwoTables, side: int, study: Study) -> str:
    missing = [name for name, values in found.isotropy.items() if values[side] is None]
    which = ("first", "second")[side]
    if any(name in SCANNED for name in missing):
        return f"— in the {which}: not scanned; armillary scan {study.provenance.source} first."
    return f"— in the {which}: too few words of known frequency." if missing else ""


def _trouble(table: Table, id: int) -> str:
    norm = table.row_facts.norms[id]
    return "" if np.isfinite(norm) and norm > 0 else "zero" if norm == 0 else "non-finite"


def _joined(found: TwoTables) -> list[str]:
    joined = found.found.join
    lines = [_sides(found)]
    lines.append(f"{count(len(joined))} tokens joined by their bytes, {count(found.found.equal)} of equal rows.")
    for name, study, ids in (("first", found.a, joined.only_a), ("second", found.b, joined.only_b)):
        if len(ids):
            lines.append(f"{count(len(ids))} only in the {name}: {_texts(study, ids.tolist())}")
    return [*lines, *left_out_lines(found)]


def _sides(found: TwoTables) -> str:
    """Which is which; by the tensors where both are of one model."""
    a, b = found.a.provenance, found.b.provenance
    first, second = (a.source, b.source) if a.source != b.source else (a.tensor, b.tensor)
    return f"The first is {first}, the second {second}."


def _measures(found: TwoTables) -> str:
    rows = [[m.definition.title, value_of(m), _chance(m), _detail(m)] for m in found.measures]
    header = ["over the joined rows", "value", "by chance", "detail"]
    return aligned(rows, ["left", "right", "right", "left"], header, widest=60)


def _both(found: TwoTables) -> str:
    rows = [[name.replace("_", " "), number(a, 4), number(b, 4)] for name, (a, b) in found.isotropy.items()]
    return aligned(rows, ["left", "right", "right"], ["each table by itself", "first", "second"])


def _moved(found: TwoTables) -> str:
    moved = found.found.moved
    pairs = ", ".join(
        f"{found.a.table.token(m.a).text} is now at {found.b.table.token(m.b).text}" for m in moved[:NAMED]
    )
    more = " …" if len(moved) > NAMED else ""
    return f"{count(len(moved))} rows stand under another token in the second table: {pairs}{more}"


def _chance(measure: Measure) -> str:
    return number(measure.nulls.random.value, 3) if measure.nulls.random else ""


def _detail(measure: Measure) -> str:
    if measure.name == "neighbor_overlap":
        asked, others = measure.detail["queries"], measure.detail["searched"] - 1
        how = "" if measure.kind == "exact" else f", ± {number(measure.error, 1)} from {count(asked)} tokens"
        return f"at {measure.detail['k']} among the {count(others)} other rows{how}"
    if measure.detail.get("lowest_1_percent", 1.0) < 1:
        return f"lowest 1 % below {cosine(measure.detail['lowest_1_percent'])}"
    return ""


def _texts(study: Study, ids: Sequence[int]) -> str:
    shown = ", ".join(study.table.token(i).text for i in ids[:NAMED])
    return f"{shown} …" if len(ids) > NAMED else shown


def _rows(n: int) -> str:
    return f"{count(n)} row{'s' * (n != 1)}"
