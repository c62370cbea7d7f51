"""One row a token with every per-token measure, filtered and sorted by DuckDB expressions.

The columns that need a scan (nn_*, occurrence) are empty until one is cached or asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from armillary.answer import Listing, count
from armillary.answer.columns import Align
from armillary.errors import MissingExtra, UsageError
from armillary.study.filtering import Wanted, ids_where
from armillary.table import Kind, Vocabulary

if TYPE_CHECKING:
    from armillary.scan.result import Scan
    from armillary.study.study import Study

COLUMNS = ("id", "text", "bytes", "kind", "script", "norm", "cos_to_mean", "nn_id", "nn_text", "nn_cos", "occurrence", "duplicate_group", "health", "reference_distance", "reference_share")  # fmt: skip
_NEED_SCAN = ("nn_id", "nn_text", "nn_cos", "occurrence")
_NEED_HEALTH = ("health", "reference_distance", "reference_share")


@dataclass(frozen=True, repr=False)
class Tokens(Listing):
    """Tokens as an Arrow table; `total` rows before filter and limit, of which `matching` pass the filter.

    `scanned`, `judged`: whether the columns of a scan, and those of health, are filled.
    """

    table: pa.Table
    total: int
    matching: int
    scanned: bool
    judged: bool = False

    def __len__(self) -> int:
        return self.table.num_rows

    @property
    def title(self) -> str:
        return f"{count(len(self))} of {count(self.total)} tokens"

    @property
    def notes(self) -> Sequence[str]:
        return self.hints("scan=True", "health=True")

    def hints(self, scan: str, health: str) -> Sequence[str]:
        """Which columns are empty and what fills them, in the reader's own language: Python's, or the shell's."""
        unscanned = "" if self.scanned else f"Columns nn_* and occurrence are empty: {scan} fills them by a scan."
        unjudged = "" if self.judged else f"Columns health and reference_* are empty: {health} fills them."
        script = self.table.column("script")
        bare = (
            "Column script is empty: it needs the extra words." if len(self) and script.null_count == len(self) else ""
        )
        return tuple(note for note in (unscanned, unjudged, bare) if note)

    def columns(self) -> Mapping[str, Sequence[Any]]:
        return self.table.to_pydict()

    def head(self, rows: int) -> tuple[Mapping[str, list[Any]], int]:
        shown = self.table.slice(0, rows).to_pydict()
        empty = (*(() if self.scanned else _NEED_SCAN), *(() if self.judged else _NEED_HEALTH))
        return {name: v for name, v in shown.items() if name not in empty}, len(self)

    def cells(self) -> tuple[list[str], list[list[str]], list[Align], str]:
        """As any listing's, with the columns named as an expression must name them."""
        _, rows, align, more = super().cells()
        return list(self.head(0)[0]), rows, align, more

    def to_arrow(self) -> pa.Table:
        return self.table

    def to_dict(self) -> dict[str, Any]:
        return {"total": self.total, "scanned": self.scanned, "tokens": self.table.to_pylist()}

    def save(self, path: str | Path) -> Path:
        """Write as Parquet or CSV by the ending, whole or not at all."""
        from armillary.study.files import save_arrow

        return save_arrow(self.table, path)


def tokens_of(
    study: Study,
    where: str | None,
    sort: str | None,
    limit: int | None,
    scan: Scan | None,
    health: bool = False,
    wanted: Wanted | None = None,
) -> Tokens:
    """The tokens of a study; UsageError where an expression is none, names the columns there are.

    Health is looked at where asked, or where an expression names one of its columns.
    """
    if limit is not None and limit < 0:
        raise UsageError(f"expected a limit of 0 or more, found {limit}")
    health = health or any(name in f"{where} {sort}" for name in _NEED_HEALTH)
    table = _all_tokens(study, scan, health)
    total = matching = table.num_rows
    limit = None if limit is None else min(limit, total)  # what lies beyond has no room in 64 bits
    if where or sort:
        ids = ids_where(table, where, sort, wanted)
        table, matching = table.take(ids.slice(0, limit)), len(ids)
    return Tokens(table.slice(0, limit), total, matching, scan is not None, health)


def _all_tokens(study: Study, scan: Scan | None, health: bool) -> pa.Table:
    vocabulary, facts = study.table.vocabulary, study.facts
    texts = [token.text for token in vocabulary]
    rows = len(texts)
    columns: dict[str, Any] = {
        "id": np.arange(rows),
        "text": pa.array([_unicode(text) for text in texts], pa.string()),
        "bytes": pa.array([raw.hex() for raw in vocabulary.raw], pa.string()),
        "kind": pa.array([kind.label for kind in Kind]).take(pa.array(vocabulary.kinds)),
        "script": _scripts(vocabulary),
        "norm": _number(facts.norms),
        "cos_to_mean": _number(_cosines_to_mean(study)),
        **_scan_columns(texts, scan),
        "duplicate_group": _duplicate_groups(rows, facts.equal_groups),
        **(_health_columns(study) if health else _empty(rows, _HEALTH_TYPES)),
    }
    return pa.table({name: columns[name] for name in COLUMNS})


def _cosines_to_mean(study: Study) -> np.ndarray:
    """Cosine of each row (V) to the mean direction; NaN for a row without a direction, and where no row has one."""
    if not study.has_directions:
        return np.full(len(study.table), np.nan)
    return _scattered(len(study.table), study.code.ids, study.cosines_to_mean)


def _scripts(vocabulary: Vocabulary) -> pa.Array:
    """The script of every token; null throughout where the extra `words` is not installed."""
    from armillary.words.scripts import script_codes

    try:
        names, codes = script_codes(vocabulary)
    except MissingExtra:
        return pa.nulls(len(vocabulary), pa.string())
    return pa.array(names, pa.string()).take(pa.array(codes))


_HEALTH_TYPES = {"health": pa.string(), "reference_distance": pa.float64(), "reference_share": pa.float64()}


def _empty(rows: int, types: Mapping[str, pa.DataType]) -> dict[str, Any]:
    return {name: pa.nulls(rows, kind) for name, kind in types.items()}


def _health_columns(study: Study) -> dict[str, Any]:
    """The kinds of each row by comma, the leading indicator, and the share of judged rows at or below it."""
    found, rows = study.soundness, len(study.table)
    kinds: dict[int, list[str]] = {}
    for kind, ids in found.kinds.items():
        for id in ids[ids < rows].tolist():
            kinds.setdefault(id, []).append(kind)
    columns = _empty(rows, _HEALTH_TYPES)
    columns["health"] = pa.array([", ".join(kinds[i]) if i in kinds else None for i in range(rows)], pa.string())
    suspects = found.under_trained
    if suspects is not None and suspects.leading is not None:
        judged, values = suspects.indicators.judged, suspects.leading.values
        ordered = np.sort(values[judged])
        shares = np.searchsorted(ordered, values[judged], side="right") / len(judged)
        columns["reference_distance"] = _number(values)
        columns["reference_share"] = _number(_scattered(rows, judged, shares))
    return columns


def _scan_columns(texts: list[str], scan: Scan | None) -> dict[str, Any]:
    rows = len(texts)
    if scan is None or scan.k == 0:
        types = {"nn_id": pa.int64(), "nn_text": pa.string(), "nn_cos": pa.float64(), "occurrence": pa.int64()}
        return _empty(rows, types)
    nearest = np.full(rows, -1)
    nearest[scan.ids] = scan.neighbors[:, 0]
    occurrence = np.full(rows, -1)
    occurrence[scan.ids] = scan.occurrence
    return {
        "nn_id": pa.array(nearest, mask=nearest < 0),
        "nn_text": pa.array([_unicode(texts[i]) if i >= 0 else None for i in nearest.tolist()], pa.string()),
        "nn_cos": _number(_scattered(rows, scan.ids, scan.similarities[:, 0])),
        "occurrence": pa.array(occurrence, mask=occurrence < 0),
    }


def _scattered(rows: int, ids: np.ndarray, values: np.ndarray) -> np.ndarray:
    full = np.full(rows, np.nan)
    full[ids] = values
    return full


def _number(values: np.ndarray) -> pa.Array:
    return pa.array(values, mask=~np.isfinite(values))


def _duplicate_groups(rows: int, groups: Sequence[Sequence[int]]) -> pa.Array:
    """The lowest id of a row's group of equal rows; null for a row that is equal to none."""
    first = np.full(rows, -1)
    for group in groups:
        first[list(group)] = group[0]
    return pa.array(first, mask=first < 0)


def _unicode(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
