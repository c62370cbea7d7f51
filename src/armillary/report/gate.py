"""The gate: measures of a report against limits, for a continuous integration that must say why it stopped.

A limit names a measure (`mean_cosine`), or `new_` and a measure: its value minus that of an older report. A measure that
is missing or is no number fails: a gate that cannot see must not open.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from armillary.answer import Answer, aligned, count, number
from armillary.errors import UnreadableError, UsageError

ALIASES: dict[str, str] = {"duplicates": "equal_rows"}
_NEW = "new_"
_LARGEST = 500_000_000  # bytes of a report


@dataclass(frozen=True)
class Limit:
    """`name` at most (max) or at least (min) `bound`, the bound itself allowed."""

    name: str
    side: Literal["max", "min"]
    bound: float

    @classmethod
    def parse(cls, text: str, side: Literal["max", "min"]) -> Limit:
        """A limit from `name=number`; UsageError for anything else."""
        name, equals, value = text.partition("=")
        try:
            bound = float(value)
        except ValueError:
            bound = math.nan
        if not equals or not name.strip() or math.isnan(bound):
            raise UsageError(f"expected a limit such as mean_cosine=0.3, found {text!r}")
        return cls(name.strip(), side, bound)


@dataclass(frozen=True)
class Verdict:
    """A limit with what was found; `value` None where there is no number, `why` says what is missing."""

    limit: Limit
    value: float | None
    why: str = ""

    @property
    def passed(self) -> bool:
        if self.value is None:
            return False
        return self.value <= self.limit.bound if self.limit.side == "max" else self.value >= self.limit.bound

    def to_dict(self) -> dict[str, Any]:
        limit = self.limit
        return {
            "name": limit.name,
            limit.side: limit.bound,
            "value": self.value,
            "passed": self.passed,
            "why": self.why,
        }


@dataclass(frozen=True, repr=False)
class Gate(Answer):
    """All limits of a check, in the order given."""

    verdicts: tuple[Verdict, ...]

    @property
    def failed(self) -> tuple[Verdict, ...]:
        return tuple(v for v in self.verdicts if not v.passed)

    @property
    def passed(self) -> bool:
        return not self.failed

    def to_dict(self) -> dict[str, Any]:
        return {"passed": self.passed, "limits": [v.to_dict() for v in self.verdicts]}

    def __str__(self) -> str:
        total = len(self.verdicts)
        if self.passed:
            return f"All {count(total)} limits hold." if total > 1 else "The limit holds."
        rows = [[v.limit.name, _found(v), f"{'at most' if v.limit.side == 'max' else 'at least'} {number(v.limit.bound)}"] for v in self.failed]  # fmt: skip
        body = aligned(rows, ["left", "right", "left"], ["measure", "found", "expected"], widest=80)
        return f"{count(len(rows))} of {count(total)} limits failed:\n{body}"


def check(report: str | Path, limits: Sequence[Limit], against: str | Path | None = None) -> Gate:
    """The gate of a report file; `against`: an older report, for limits that begin with new_.

    UsageError where no limit is given, or one begins with new_ and there is no older report; UnreadableError for a file
    that holds no measures.
    """
    if not limits:
        raise UsageError("expected a limit, found none", "armillary check report.json --max mean_cosine=0.3")
    now = read_measures(report)
    before = read_measures(against) if against is not None else None
    return Gate(tuple(_verdict(limit, now, before) for limit in limits))


def read_measures(path: str | Path) -> dict[str, float | None]:
    """Measures by name, of a report or of any command's --json document."""
    target = Path(path)
    try:
        if target.stat().st_size > _LARGEST:
            raise UnreadableError(f"expected a report in {path}, found {target.stat().st_size:,} bytes")
        document = json.loads(target.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or "it is no JSON"
        raise UnreadableError(f"expected a report in {path}: {why}", "armillary report MODEL -o report.json") from error
    for holder in (document, document.get("result") if isinstance(document, dict) else None):
        found = holder.get("measures") if isinstance(holder, dict) else None
        if isinstance(found, list):
            return {m["name"]: _real(m.get("value")) for m in found if isinstance(m, dict) and "name" in m}
    raise UnreadableError(f"expected measures in {path}, found none", "armillary report MODEL -o report.json")


def _real(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _verdict(limit: Limit, now: Mapping[str, float | None], before: Mapping[str, float | None] | None) -> Verdict:
    if limit.name in now or not limit.name.startswith(_NEW):
        return _looked_up(limit, ALIASES.get(limit.name, limit.name), now, "the report")
    if before is None:
        raise UsageError(f"expected --against OLD.json for the limit {limit.name}, found none")
    name = limit.name.removeprefix(_NEW)
    name = ALIASES.get(name, name)
    new, old = _looked_up(limit, name, now, "the report"), _looked_up(limit, name, before, "the older report")
    if new.value is None or old.value is None:
        return new if new.value is None else old
    return Verdict(limit, new.value - old.value)


def _looked_up(limit: Limit, name: str, measures: Mapping[str, float | None], where: str) -> Verdict:
    if name not in measures:
        return Verdict(limit, None, f"{where} has no measure {name}")
    value = measures[name]
    return Verdict(limit, value, "" if value is not None else f"{name} is no number in {where}")


def _found(verdict: Verdict) -> str:
    return verdict.why if verdict.value is None else number(verdict.value)
