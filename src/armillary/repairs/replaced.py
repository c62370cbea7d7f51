"""Rows made by a plan, and a table with those rows in the place of the old ones. The old table stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from armillary.errors import UsageError
from armillary.repairs.plan import Change, Plan
from armillary.shapes import Float32, Integer
from armillary.sphere import Code, cloud
from armillary.table import Kind, LoadReport, Provenance, RowDecoder, Table, Vocabulary, unused_or_normal

_Rows: TypeAlias = Mapping[int, np.ndarray]  # id -> float32 (d)


def made_rows(plan: Plan, table: Table) -> dict[int, Float32[np.ndarray, "d"]]:
    """The new rows of a plan by id, made from the rows of `table`: the table of the plan, or its output table.

    The draw is N(mean, covariance) of the rows with a token that is not unused; each row has a stream of its own
    (plan.seed, id), so that striking one change out leaves the others as they are. UsageError for a row made of one
    that is not finite.
    """
    wanted = [change for change in plan.changes if change.way is not None]
    normal = _normal(table) if any(change.way in ("mean", "draw") for change in wanted) else None
    return {change.id: _made(change, table, normal, plan.seed) for change in wanted}


def _made(
    change: Change, table: Table, normal: Callable[[int | None, int], np.ndarray] | None, seed: int
) -> np.ndarray:
    if normal is not None and change.way in ("mean", "draw"):
        row = normal(None if change.way == "mean" else change.id, seed)
    else:
        row = table.rows(list(change.of)).astype(np.float64).mean(axis=0)
    if not np.isfinite(row).all():
        raise UsageError(f"expected finite rows to make row {change.id:,} of, found others: {list(change.of)}")
    return row.astype(np.float32)


def _normal(table: Table) -> Callable[[int | None, int], np.ndarray]:
    """A function of (id or None, seed): a draw for that id, or the mean."""
    points = cloud(Code.of(table, (Kind.UNUSED,)))
    variances, axes = points.principal

    def draw(id: int | None, seed: int) -> np.ndarray:
        if id is None:
            return points.mean
        z = np.random.default_rng([seed, id]).standard_normal(len(variances))
        return points.mean + (np.sqrt(variances) * z) @ axes

    return draw


class ReplacedRows:
    """The rows of a table, some in the place of others, cut or grown to `rows`; decoded as the old ones are."""

    def __init__(self, old: RowDecoder, new: _Rows, rows: int) -> None:
        self._old = old
        self._new = new
        self._changed = np.array(sorted(new), np.int64)
        self.shape: tuple[int, int] = (rows, old.shape[1])

    def block(self, start: int, stop: int) -> Float32[np.ndarray, "n d"]:
        kept = max(start, min(stop, self._old.shape[0]))
        inside = self._changed[(self._changed >= start) & (self._changed < stop)]
        if not len(inside):
            return self._old.block(start, stop)
        rows = np.zeros((stop - start, self.shape[1]), np.float32)
        rows[: kept - start] = self._old.block(start, kept) if kept > start else 0
        for id in inside.tolist():
            rows[id - start] = self._new[id]
        return rows

    def take(self, ids: Integer[np.ndarray, "n"]) -> Float32[np.ndarray, "n d"]:
        wanted = np.asarray(ids, np.int64)
        rows = np.zeros((len(wanted), self.shape[1]), np.float32)
        old = ~np.isin(wanted, self._changed)
        rows[old] = self._old.take(wanted[old])
        for at in np.flatnonzero(~old).tolist():
            rows[at] = self._new[int(wanted[at])]
        return rows


def changed_table(table: Table, plan: Plan) -> Table:
    """The table that a plan makes of another; UsageError for a plan that was made for other rows."""
    check_belongs(table, plan)
    rows = ReplacedRows(table.vectors, made_rows(plan, table), plan.rows_after)
    vocabulary = changed_vocabulary(table.vocabulary, plan)
    report = LoadReport(
        format="plan", rows=rows.shape[0], width=rows.shape[1], tokens=int((vocabulary.kinds != Kind.NO_TOKEN).sum())
    )
    provenance = Provenance(
        f"{table.provenance.source}, changed", table.provenance.tensor, scale=table.provenance.scale
    )
    return Table(rows, vocabulary, provenance, report)


def check_belongs(table: Table, plan: Plan) -> None:
    """UsageError unless the plan was made for exactly these rows."""
    if table.shape != (plan.rows, plan.width) or table.row_facts.sha256 != plan.sha256:
        raise UsageError(
            f"expected a plan made for the rows of {table.provenance.source}, found one for {plan.source} "
            f"({plan.rows:,} × {plan.width:,}, rows {plan.sha256[:12]}…)",
            "make the plan anew",
        )


def changed_vocabulary(vocabulary: Vocabulary, plan: Plan) -> Vocabulary:
    """The vocabulary with the plan's tokens; without an encoder where there are new ones, which it would not know."""
    end, added = plan.rows_after, [change for change in plan.changes if change.do == "add"]
    extra = max(0, end - len(vocabulary))
    raw = [*vocabulary.raw[:end], *[b""] * extra]
    names = [*vocabulary.names[:end], *[""] * extra]
    kinds = np.concatenate([vocabulary.kinds[:end], np.full(extra, Kind.NO_TOKEN, np.uint8)])
    for change in added:
        raw[change.id] = change.token
        names[change.id] = change.token.decode("utf-8", "surrogateescape")
        kinds[change.id] = unused_or_normal(names[change.id])
    refusal = "its tokenizer does not know the new tokens; a whole model is written with them" if added else ""
    return Vocabulary(
        raw, names, kinds, tokenizer=None if added else vocabulary.tokenizer,
        beyond=[token for token in vocabulary.beyond if token.id >= end],
        encode_refusal=refusal or vocabulary.encode_refusal, named_by_id=vocabulary.named_by_id and not added,
    )  # fmt: skip
