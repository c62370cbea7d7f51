"""A plan: which rows of a table would change, how each new row is made, and why. Proposed, read, edited, then applied.

A plan names the table it was made for by the hash of its rows, and is refused by any other. It is JSON, so that a
person can strike a change out, or write another origin into it, before anything is written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from armillary.errors import UnreadableError, UsageError
from armillary.storage import atomic_path

Action = Literal["reset", "add", "fill", "drop"]
Way = Literal["pieces", "token", "mean", "draw"]
VERSION = 1
_LARGEST = 500_000_000  # bytes of a plan

# way -> how the new row is made
WAYS: dict[str, str] = {
    "pieces": "the mean of the rows of its pieces",
    "token": "the row of another token",
    "mean": "the mean of all rows",
    "draw": "a draw from the mean and covariance of all rows",
}


@dataclass(frozen=True)
class Change:
    """One row. `do`: reset a token's row, add a token, fill a row without one, or drop the row.

    `way`: how its row is made, None where it is dropped; `of`: ids whose rows it is made of (pieces, token). `token`:
    bytes of the token, empty for fill and drop.
    """

    id: int
    do: Action
    way: Way | None = None
    of: tuple[int, ...] = ()
    token: bytes = b""
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "do": self.do,
            "token": self.token.decode("utf-8", "backslashreplace"),
            "bytes": self.token.hex(),
            "to": self.way,
            "of": list(self.of),
            "why": self.why,
        }


@dataclass(frozen=True)
class Plan:
    """Changes of a table of `rows` rows of `width` numbers whose rows have the hash `sha256`; `seed` of the draws."""

    source: str
    sha256: str
    rows: int
    width: int
    changes: tuple[Change, ...]
    seed: int = 0
    notes: tuple[str, ...] = field(default=())

    @property
    def rows_after(self) -> int:
        """How many rows the table has once the plan is applied."""
        dropped = sum(change.do == "drop" for change in self.changes)
        last = max((change.id for change in self.changes if change.do != "drop"), default=-1)
        return max(self.rows - dropped, last + 1)

    def check(self) -> None:
        """UsageError where the changes do not fit together or onto the table."""
        ids = [change.id for change in self.changes]
        if len(set(ids)) != len(ids):
            twice = next(i for i in ids if ids.count(i) > 1)
            raise UsageError(f"expected one change a row in the plan, found two of row {twice:,}")
        for change in self.changes:
            _check(change, self.rows)
        dropped = sorted(change.id for change in self.changes if change.do == "drop")
        kept = max((change.id for change in self.changes if change.do != "drop"), default=-1)
        if dropped and (dropped != list(range(dropped[0], self.rows)) or kept >= dropped[0]):
            raise UsageError(
                "expected the rows that a plan drops to be the last ones of the table, found others",
                "a row in the middle cannot go: every id after it would change",
            )
        grown = sorted(i for i in ids if i >= self.rows)
        if grown != list(range(self.rows, self.rows + len(grown))):
            raise UsageError(
                f"expected rows beyond the table to follow one another from {self.rows:,}, found {grown[0]:,} … {grown[-1]:,}",
                "fill the rows between them",
            )

    def to_dict(self) -> dict[str, Any]:
        return {
            "plan": VERSION,
            "source": self.source,
            "rows_sha256": self.sha256,
            "rows": self.rows,
            "rows_after": self.rows_after,
            "width": self.width,
            "seed": self.seed,
            "notes": list(self.notes),
            "changes": [change.to_dict() for change in self.changes],
        }

    def save(self, path: str | Path) -> Path:
        """Write the plan as JSON; UsageError where a file is there already, which somebody may have edited."""
        target = Path(path)
        if target.exists():
            raise UsageError(f"expected no file at {target} yet, found one", "name another, or delete it")
        with atomic_path(target) as temporary:
            temporary.write_text(json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n", "utf-8")
        return target


def _check(change: Change, rows: int) -> None:
    beyond = change.id >= rows
    if beyond and change.do in ("reset", "drop"):
        raise UsageError(f"expected a row from 0 to {rows - 1:,} to {change.do}, found {change.id:,}")
    wanted = {"pieces": len(change.of) >= 1, "token": len(change.of) == 1}.get(change.way or "", not change.of)
    if (change.way is None) != (change.do == "drop") or not wanted:
        raise UsageError(
            f"expected a way to make row {change.id:,} ({', '.join(WAYS)}) with what it is made of, found "
            f"{change.way or 'none'} of {list(change.of)}"
        )
    outside = [i for i in change.of if not 0 <= i < rows]
    if outside:
        raise UsageError(f"expected rows from 0 to {rows - 1:,} to make row {change.id:,} of, found {outside[0]:,}")


def read_plan(path: str | Path, find: Callable[[str], Sequence[int]] | None = None) -> Plan:
    """A plan from its file; `find` gives the ids of a text, so that an edited plan may name tokens in `of`.

    UnreadableError for a file that is none, with the first thing that is wrong in it.
    """
    target = Path(path)
    try:
        if target.stat().st_size > _LARGEST:
            raise UnreadableError(f"expected a plan in {path}, found {target.stat().st_size:,} bytes")
        value = json.loads(target.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or "it is no JSON"
        raise UnreadableError(f"expected a plan in {path}: {why}", "armillary health MODEL --fix plan.json") from error
    if not isinstance(value, dict) or value.get("plan") != VERSION:
        raise UnreadableError(f"expected a plan of version {VERSION} in {path}, found other JSON")
    try:
        changes = tuple(_change(entry, find) for entry in value["changes"])
        plan = Plan(
            str(value["source"]), str(value["rows_sha256"]), int(value["rows"]), int(value["width"]), changes,
            int(value.get("seed", 0)), tuple(map(str, value.get("notes", ()))),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableError(f"expected the changes of a plan in {path}, found one that is wrong: {error}") from error
    plan.check()
    return plan


def _change(entry: Mapping[str, Any], find: Callable[[str], Sequence[int]] | None) -> Change:
    do, way = entry["do"], entry.get("to")
    if do not in get_args(Action):
        raise ValueError(f"do is one of {', '.join(get_args(Action))}, not {do!r}")
    if way is not None and way not in WAYS:
        raise ValueError(f"to is one of {', '.join(WAYS)}, not {way!r}")
    id = entry["id"]
    if type(id) is not int or id < 0:
        raise ValueError(f"an id is a whole number from 0 up, not {id!r}")
    of = tuple(_id(origin, find) for origin in entry.get("of", ()))
    return Change(id, do, way, of, bytes.fromhex(entry.get("bytes", "")), str(entry.get("why", "")))


def _id(origin: Any, find: Callable[[str], Sequence[int]] | None) -> int:
    if type(origin) is int:
        return origin
    found = find(origin) if find and isinstance(origin, str) else ()
    if not found:
        raise ValueError(f"of holds ids and tokens of the table, and {origin!r} is neither")
    return found[0]
