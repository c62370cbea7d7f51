"""The table: rows as stored, the token of each, where they came from. It measures nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import UsageError
from armillary.shapes import Float32
from armillary.table.facts import Header, LoadReport, Provenance, RowFacts
from armillary.table.row_pass import measure_rows
from armillary.table.rows import ArrayRows, RowDecoder
from armillary.table.token import Token
from armillary.table.vocabulary import Vocabulary

BLOCK_BYTES = 16 << 20  # one decoded block: large enough for BLAS, small beside any table


@dataclass(frozen=True, eq=False)
class Table:
    """A table of V vectors in d dimensions, with its vocabulary and provenance. Immutable.

    `vectors` decodes rows to float32 on demand; `header` holds what else the file's header says.
    """

    vectors: RowDecoder
    vocabulary: Vocabulary
    provenance: Provenance
    load_report: LoadReport
    header: Header = field(default_factory=lambda: MappingProxyType({}), repr=False)

    def __post_init__(self) -> None:
        if len(self.vocabulary) != self.vectors.shape[0]:
            raise UsageError(
                f"a table of {self.vectors.shape[0]:,} rows needs as many tokens, found {len(self.vocabulary):,}",
                "pad the vocabulary with no-token rows, or list the rest as beyond",
            )

    @classmethod
    def from_array(cls, rows: ArrayLike, tokens: Sequence[str | bytes] | None = None, source: str = "array") -> Table:
        """A table of any V×d array of numbers, a live torch weight included (read, never changed).

        Tokens name the rows in order; without them rows are named by id. UsageError unless the array is numeric
        and two-dimensional with d ≥ 1 and there is a token for each row.
        """
        array = _as_rows(rows)
        if tokens is not None and len(tokens) != array.shape[0]:
            raise UsageError(f"expected {array.shape[0]:,} tokens, one a row, found {len(tokens):,}")
        vocabulary = Vocabulary.of_ids(array.shape[0]) if tokens is None else Vocabulary.of_words(tokens)
        stored = {"float32": "F32", "float16": "F16", "float64": "F64"}.get(array.dtype.name, array.dtype.name)
        report = LoadReport(
            format="array", stored=stored, rows=array.shape[0], width=array.shape[1], tokens=len(tokens or ())
        )
        return cls(ArrayRows(array), vocabulary, Provenance(source, stored=stored), report)

    @property
    def shape(self) -> tuple[int, int]:
        """(V, d)"""
        return self.vectors.shape

    def __len__(self) -> int:
        return self.shape[0]

    def row(self, id: int) -> Float32[np.ndarray, "d"]:
        """The row of one id."""
        if not len(self):
            raise UsageError(f"expected an id, found {id:,} and a table without rows", "open a table that has some")
        if not 0 <= id < len(self):
            raise UsageError(
                f"expected an id from 0 to {len(self) - 1:,}, found {id:,}",
                f"armillary tokens {self.provenance.source} lists the ids",
            )
        return self.rows([id])[0]

    def rows(self, ids: Sequence[int] | np.ndarray) -> Float32[np.ndarray, "n d"]:
        """The rows of these ids, in this order, as a new array."""
        return self.vectors.take(np.asarray(ids, np.int64))

    def token(self, id: int) -> Token:
        """The token of one row."""
        return self.vocabulary[id]

    def find(self, text: str | bytes) -> list[int]:
        """All ids that spell `text`, leading space first."""
        return self.vocabulary.find(text)

    def blocks(self, rows: int | None = None) -> Iterator[tuple[int, Float32[np.ndarray, "n d"]]]:
        """(first row, float32 block) over the whole table in order; blocks of `rows`, by default about 16 MiB."""
        total, width = self.shape
        step = rows or max(1, BLOCK_BYTES // (4 * width))
        for start in range(0, total, step):
            yield start, self.vectors.block(start, min(start + step, total))

    @cached_property
    def row_facts(self) -> RowFacts:
        """Zero, non-finite and equal rows, norms and hash: one pass over the rows on first use."""
        return self.measure_rows()

    def measure_rows(self, progress: Callable[[int, int], None] | None = None) -> RowFacts:
        """The pass behind `row_facts`, with progress(rows done, rows)."""
        return measure_rows(self.vectors, self.blocks(), progress)

    def __repr__(self) -> str:
        total, width = self.shape
        return f"Table({self.provenance.source}: {total:,} × {width}, {self.provenance.stored})"

    def to_dict(self) -> dict[str, Any]:
        return {"shape": list(self.shape), **self.provenance.to_dict(), "load_report": self.load_report.to_dict()}


def _as_rows(rows: ArrayLike) -> np.ndarray:
    detach = getattr(rows, "detach", None)  # a torch parameter: a view of its values, no gradient, no copy
    if detach is not None:
        rows = detach().cpu()
        if str(getattr(rows, "dtype", "")) == "torch.bfloat16":  # numpy has no bfloat16; float32 holds it exactly
            rows = rows.float()  # pyright: ignore
        rows = rows.numpy()  # pyright: ignore
    array = np.asarray(rows)
    if array.ndim != 2 or array.shape[1] < 1 or array.dtype.kind not in "fiu":
        raise UsageError(
            f"expected a two-dimensional array of numbers, found shape {array.shape} of {array.dtype}",
            "pass one row per token: shape (V, d)",
        )
    return array
