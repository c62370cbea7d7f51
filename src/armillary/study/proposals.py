"""What a plan would do to a table's rows: proposed from its health, or for new tokens. Nothing is written here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from armillary.answer import Answer, aligned, count
from armillary.errors import UsageError, check_seed
from armillary.repairs.pieces import Pieces
from armillary.repairs.plan import WAYS, Change, Plan, Way
from armillary.table import Kind, Table, Token, Vocabulary

if TYPE_CHECKING:
    from armillary.study.health import Health
    from armillary.study.study import Study

Padded = Literal["keep", "drop", "fill"]
RESET = ("non-finite", "zero", "under-trained", "duplicate")  # kinds whose rows a fix proposes to make anew
SHOWN = 20
MOST_FILLED = 65_536  # rows that a small table may be filled up by; a large one may double


@dataclass(frozen=True, repr=False)
class Proposal(Answer):
    """A plan for a study's table, in words; nothing is written by it."""

    study: Study
    plan: Plan

    @property
    def verdict(self) -> str:
        """What would change, in one line."""
        plan = self.plan
        if not plan.changes:
            return "Nothing to change."
        done = {do: sum(c.do == do for c in plan.changes) for do in ("reset", "add", "fill", "drop")}
        parts = [f"{do} {count(n)}" for do, n in done.items() if n]
        inside = sum(c.do == "add" and c.id < plan.rows for c in plan.changes)
        placed = f" ({count(inside)} of the new tokens inside the padding)" if inside else ""
        size = "" if plan.rows_after == plan.rows else f"; {count(plan.rows)} rows become {count(plan.rows_after)}"
        return f"Rows to {', '.join(parts)}{placed}{size}."

    def to_dict(self) -> dict[str, Any]:
        return {"verdict": self.verdict, **self.plan.to_dict()}

    def __str__(self) -> str:
        plan = self.plan
        rows = [[str(c.id), c.do, self._token(c), self._way(c), c.why] for c in plan.changes[:SHOWN]]
        lines = [self.verdict]
        if rows:
            head = ["id", "do", "token", "row", "why"]
            lines += ["", aligned(rows, ["right", "left", "left", "left", "left"], head, widest=64)]
        if len(plan.changes) > SHOWN:
            lines.append(f"… and {count(len(plan.changes) - SHOWN)} more")
        return "\n".join([*lines, *(["", *plan.notes] if plan.notes else [])])

    def _token(self, change: Change) -> str:
        if change.do in ("fill", "drop"):
            return "—"
        return Token.of(change.id, change.token, "", Kind.NORMAL).text

    def _way(self, change: Change) -> str:
        if change.way is None:
            return ""
        pieces = " + ".join(self.study.table.token(i).text for i in change.of)
        return {"pieces": f"mean of {pieces}", "token": f"that of {pieces}"}.get(change.way, WAYS[change.way])


def propose_fix(study: Study, found: Health, padded: Padded = "keep", seed: int = 0) -> Proposal:
    """A plan from the health of a table: rows that are broken, double, hardly trained or missing.

    A row is made of the fewest other tokens that spell its own, or drawn where nothing does. `padded`: rows past the
    last token are kept, dropped, or filled with a draw.
    """
    check_seed(seed)
    if padded not in ("keep", "drop", "fill"):
        raise UsageError(f"expected padded rows to keep, drop or fill, found {padded!r}")
    vocabulary = study.table.vocabulary
    reasons: dict[int, str] = {}
    for kind in RESET:
        for id in found.kinds.get(kind, ()):
            reasons.setdefault(int(id), kind)
    unused = (Kind.NO_TOKEN, Kind.UNUSED)
    resets = {id: why for id, why in sorted(reasons.items()) if Kind(int(vocabulary.kinds[id])) not in unused}
    pieces = Pieces(vocabulary, resets)
    changes = [_reset(vocabulary, id, pieces, why) for id, why in resets.items()]
    changes += _missing(vocabulary, pieces, len(study.table))
    padding = found.kinds.get("padded", np.zeros(0, np.int64)).tolist()
    if padded == "drop" and not any(c.id >= len(study.table) for c in changes):
        changes += [Change(id, "drop", why="past the last token") for id in padding]
    if padded == "fill":
        holes = found.kinds.get("hole", np.zeros(0, np.int64)).tolist()
        changes += [Change(id, "fill", "draw", why="no token") for id in [*holes, *padding]]
    return _proposal(study, changes, seed)


def propose_extension(
    study: Study, tokens: Sequence[bytes], way: str = "pieces", *, multiple: int = 1, seed: int = 0
) -> Proposal:
    """A plan that gives new tokens a row: after the last token, inside the padding first, then beyond the table.

    `way`: pieces, mean, draw, or a token of the table as `token:WORD`. `multiple`: fill up to a multiple of that many
    rows. Tokens that are there already are left out with a note; UsageError where none is new.
    """
    check_seed(seed)
    kind, _, word = way.partition(":")
    if kind not in WAYS or (kind == "token") != bool(word):
        raise UsageError(f"expected pieces, mean, draw or token:WORD, found {way!r}")
    if multiple < 1:
        raise UsageError(f"expected a multiple of 1 or more, found {multiple}")
    vocabulary = study.table.vocabulary
    like = _like(study.table, word) if word else ()
    new, notes = _new_tokens(vocabulary, tokens)
    first, rows = _end(vocabulary), len(study.table)
    last = max(rows, first + len(new))
    top = _filled_to(last, multiple)
    pieces = Pieces(vocabulary, _unusable(study.table))
    changes: list[Change] = []
    for id, token in enumerate(new, first):
        of = like or (_pieces(vocabulary, pieces, token) if kind == "pieces" else ())
        made: Way = "draw" if kind == "pieces" and not of else kind  # pyright: ignore[reportAssignmentType]
        where = "inside the padding" if id < rows else "beyond the table"
        changes.append(Change(id, "add", made, of, token, where))
    changes += [Change(id, "fill", "draw", why=f"up to a multiple of {multiple}") for id in range(last, top)]
    return _proposal(study, changes, seed, notes)


def _filled_to(rows: int, multiple: int) -> int:
    """The next multiple; UsageError where more rows would be filled than the table has, and more than `MOST_FILLED`."""
    top = -(-rows // multiple) * multiple
    if top - rows > max(rows, MOST_FILLED):
        raise UsageError(
            f"expected a multiple that fills at most {max(rows, MOST_FILLED):,} rows beyond the {rows:,}, found "
            f"{multiple:,}, which fills {top - rows:,}",
            "such as --multiple 64",
        )
    return top


def _reset(vocabulary: Vocabulary, id: int, pieces: Pieces, why: str) -> Change:
    raw = vocabulary.raw[id]
    plain = Kind(int(vocabulary.kinds[id])) in (Kind.NORMAL, Kind.USER_DEFINED)
    inside = vocabulary.names[id].startswith("##") and len(vocabulary.names[id]) > 2
    of = pieces.of(raw, inside=inside, not_itself=id) if plain else ()
    return Change(id, "reset", "pieces" if of else "draw", of, raw, why)


def _missing(vocabulary: Vocabulary, pieces: Pieces, rows: int) -> list[Change]:
    """Rows for tokens whose id lies beyond the table, and for the ids between them."""
    beyond = {token.id: token for token in vocabulary.beyond}
    changes: list[Change] = []
    for id in range(rows, max(beyond, default=-1) + 1):
        if id not in beyond:
            changes.append(Change(id, "fill", "draw", why="before a token without a row"))
            continue
        of = pieces.of(beyond[id].bytes) if beyond[id].kind is Kind.NORMAL else ()
        changes.append(
            Change(id, "add", "pieces" if of else "draw", of, beyond[id].bytes, "token without a row")
        )  # fmt: skip
    return changes


def _new_tokens(vocabulary: Vocabulary, tokens: Sequence[bytes]) -> tuple[list[bytes], tuple[str, ...]]:
    known = {raw for raw, kind in zip(vocabulary.raw, vocabulary.kinds.tolist(), strict=True) if kind != Kind.NO_TOKEN}
    known |= {token.bytes for token in vocabulary.beyond}
    new = list(dict.fromkeys(token for token in tokens if token and token not in known))
    old = [token for token in tokens if token in known]
    if not new:
        raise UsageError(f"expected new tokens, found none among {count(len(tokens))}", "all are in the table already")
    shown = ", ".join(token.decode("utf-8", "replace") for token in old[:5])
    return new, (f"{count(len(old))} of the tokens are in the table already: {shown}",) if old else ()


def _pieces(vocabulary: Vocabulary, pieces: Pieces, token: bytes) -> tuple[int, ...]:
    """What the tokenizer makes of a new token today; where it has none, the fewest tokens that spell it."""
    if vocabulary.tokenizer is not None:
        try:
            found = vocabulary.encode(token.decode())
        except (UnicodeDecodeError, UsageError):
            found = []
        if found and vocabulary.decode(found) == token:
            return tuple(found)
    return pieces.of(token)


def _unusable(table: Table) -> set[int]:
    facts = table.row_facts
    return {*facts.zero.tolist(), *facts.non_finite.tolist()}


def _like(table: Table, word: str) -> tuple[int, ...]:
    found = table.find(word)
    if not found:
        near = ", ".join(table.vocabulary.near(word))
        raise UsageError(f"expected a token of the table, found {word!r}", near and f"did you mean {near}?")
    return (found[0],)


def _end(vocabulary: Vocabulary) -> int:
    """The id after the last token."""
    named = np.flatnonzero(vocabulary.kinds != Kind.NO_TOKEN)
    return max([int(named[-1]) + 1 if len(named) else 0, *(token.id + 1 for token in vocabulary.beyond)])


def _proposal(study: Study, changes: Sequence[Change], seed: int, notes: tuple[str, ...] = ()) -> Proposal:
    table = study.table
    ordered = tuple(sorted(changes, key=lambda change: change.id))
    plan = Plan(study.provenance.source, study.facts.sha256, *table.shape, ordered, seed, notes)
    plan.check()
    return Proposal(study, plan)
