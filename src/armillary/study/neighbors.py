"""The exact neighbours of a word, a row or a vector, in the raw space of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from armillary.answer import Listing, cosine, count, number, percent, space_note
from armillary.errors import UsageError
from armillary.shapes import Float32
from armillary.table import OUTSIDE, SCALE, Token
from armillary.words.word import read_word, remark_on

if TYPE_CHECKING:
    from armillary.study.study import Study
    from armillary.words.background import Background

Metric = Literal["cosine", "dot", "euclidean"]
METRICS = ("cosine", "dot", "euclidean")
Query = str | int | ArrayLike


@dataclass(frozen=True, repr=False)
class Neighbors(Listing):
    """Neighbours of a query, nearest first; ties by id.

    `values` are cosines, dot products or Euclidean distances, by `metric`, recomputed in float64. `searched`: rows
    looked at, the query's own included; `left_out`: how many of the table's rows were not, by reason. `word_note`: how
    the query became a vector, where it is not one token. `background`: cosines of random pairs, under the cosine.
    """

    query: str
    query_id: int | None
    norm: float
    metric: Metric
    tokens: tuple[Token, ...]
    values: tuple[float, ...]
    searched: int
    left_out: Mapping[str, int]
    word_note: str = ""
    space: str = "raw"
    background: Background | None = None

    @property
    def title(self) -> str:
        own = f" · id {self.query_id}" if self.query_id is not None and self.query != f"#{self.query_id}" else ""
        measured = {"cosine": "cosine", "dot": "dot product", "euclidean": "Euclidean distance"}[self.metric]
        searched = f"exact over all {count(self.searched)} rows"
        return f"{self.query}{own} · norm {number(self.norm)} · {measured} in the {self.space} space, {searched}"

    @property
    def remarks(self) -> Sequence[str]:
        return (f"{self.word_note}.",) if self.word_note else ()

    @property
    def notes(self) -> Sequence[str]:
        left = ", ".join(f"{count(n)} {reason}" for reason, n in self.left_out.items())
        marked = space_note([self.query, self.word_note, *(token.text for token in self.tokens)])
        notes = (self._standing(), f"Left out: {left} rows." if left else "", marked)
        return tuple(note for note in notes if note)

    def _standing(self) -> str:
        """What the cosines mean here: how the last of them stands among random pairs."""
        around = self.background
        if around is None or not self.values:
            return ""
        share = around.share_above(self.values[-1]).value
        above = f"all but {percent(share)} of them" if share > 0 else f"all of {count(around.pairs)} such pairs"
        random = f"Two random rows of this table have a cosine of {cosine(around.mean)} ± {cosine(around.sd)}"
        return f"{random}; {cosine(self.values[-1])} lies above {above}."

    def columns(self) -> Mapping[str, Sequence[Any]]:
        return {
            "rank": range(1, len(self.tokens) + 1),
            "id": [t.id for t in self.tokens],
            "text": [t.text for t in self.tokens],
            self.metric: list(self.values),
        }

    def to_dict(self) -> dict[str, Any]:
        around = self.background
        return {
            "query": {"text": self.query, "id": self.query_id, "norm": self.norm, "note": self.word_note},
            "metric": self.metric,
            "space": self.space,
            "kind": "exact",
            "rows_searched": self.searched,
            "left_out": dict(self.left_out),
            "background": around and {"mean": around.mean, "sd": around.sd, "pairs": around.pairs, "kind": around.kind},
            "neighbors": [
                {"rank": rank, "id": t.id, "text": t.text, "bytes": t.bytes.hex(), "kind": t.kind.label, "value": value}
                for rank, (t, value) in enumerate(zip(self.tokens, self.values, strict=True), 1)
            ],
        }


def neighbors_of(study: Study, query: Query, k: int, metric: Metric, calibrated: bool = True) -> Neighbors:
    """The k nearest rows of a word (str), a row (int) or a vector (d numbers), itself left out by id.

    `calibrated`: as a person asks, with the cosines of random pairs beside them, which the first question must draw,
    and with near spellings of a word that is no token.
    """
    from armillary.scan import nearest

    if metric not in METRICS:
        raise UsageError(f"expected a metric among {', '.join(METRICS)}, found {metric!r}")
    if k < 1:
        raise UsageError(f"expected k of 1 or more, found {k}")
    name, own, vector, word_note = _read(study, query, calibrated)
    code = study.code
    if own is not None and own not in code.ids:
        reason = next(reason for reason, ids in code.excluded.items() if own in ids)
        raise UsageError(
            f"expected a row with a direction, found row {own} ({name}), which is left out: {reason}",
            SCALE if reason == OUTSIDE else "ask for another row, or leave fewer kinds out with --without",
        )
    exclude = () if own is None else (int(np.searchsorted(code.ids, own)),)
    found = nearest(code, vector[None], k=k, metric=metric, exclude=exclude)
    ids, values = code.ids[found.positions[0]].tolist(), found.values[0].tolist()
    return Neighbors(
        query=name,
        query_id=own,
        norm=float(np.sqrt(np.dot(vector.astype(np.float64), vector.astype(np.float64)))),
        metric=metric,
        tokens=tuple(map(study.table.token, ids)),
        values=tuple(values),
        searched=len(code),
        left_out={reason: len(ids) for reason, ids in code.excluded.items()},
        word_note=word_note,
        space=study.space,
        background=study.background if calibrated and metric == "cosine" else None,
    )


def _read(study: Study, query: Query, suggest: bool) -> tuple[str, int | None, Float32[np.ndarray, "d"], str]:
    """(name, id if it is one row, vector, note) of a query; `suggest`: near spellings in the note."""
    if isinstance(query, str):
        word = read_word(study.table, query)
        single = word.tokens[0] if word.is_single else None
        note = remark_on(study.table, word) if suggest else word.note
        return (single.text if single else query), (single.id if single else None), word.vector, note
    if isinstance(query, int | np.integer):
        id = int(query)
        return study.table.token(id).text if 0 <= id < len(study.table) else "", id, study.table.row(id), ""
    vector = np.asarray(query)
    width = study.shape[1]
    if vector.dtype.kind not in "fiu" or vector.shape not in ((width,), (1, width)):
        raise UsageError(f"expected a vector of {width:,} numbers, found shape {vector.shape} of {vector.dtype}")
    vector = np.ascontiguousarray(vector.reshape(-1), np.float32)
    if not np.isfinite(vector).all() or not vector.any():
        raise UsageError("expected a vector of finite numbers that are not all zero", "check how it was made")
    return "a vector", None, vector, ""
