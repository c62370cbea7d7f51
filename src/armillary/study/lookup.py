"""The lookup, step by step: a text becomes ids, ids become rows; and the same rows as one-hot vectors times the table.

Looking a row up and multiplying by a one-hot vector give the same numbers, bit for bit: every product but one is
with zero. That is checked here, not claimed, over the finite rows (zero times infinity is no number).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.answer import Listing, aligned, cosine, count, number
from armillary.errors import UsageError
from armillary.shapes import Float32
from armillary.table import Table, Token
from armillary.words.word import cure_of_unknown, word_ids

if TYPE_CHECKING:
    from armillary.study.study import Study

SHOWN = 4  # values of a row that are printed
MOST_PAIRS = 10  # distances listed


@dataclass(frozen=True)
class Distance:
    """Two tokens, the cosine of their rows, and the distance between the two as unit vectors."""

    a: Token
    b: Token
    cosine: float

    @property
    def distance(self) -> float:
        """√(2 − 2 cos): as unit vectors, so that it compares with the one-hot √2."""
        return math.sqrt(max(0.0, 2.0 - 2.0 * self.cosine))

    def to_dict(self) -> dict[str, Any]:
        return {"a": self.a.text, "b": self.b.text, "cosine": self.cosine, "distance": self.distance}


@dataclass(frozen=True)
class OneHot:
    """What the same lookup is, and costs, as a product with one-hot vectors."""

    equal: bool
    rows_in_product: int
    one_hot_numbers: int
    table_numbers: int
    distances: tuple[Distance, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "equal": self.equal,
            "rows_in_product": self.rows_in_product,
            "one_hot_numbers": self.one_hot_numbers,
            "table_numbers": self.table_numbers,
            "one_hot_distance": math.sqrt(2.0),
            "distances": [d.to_dict() for d in self.distances],
        }

    def __str__(self) -> str:
        verdict = "equal, number for number" if self.equal else "not equal"
        rows = [[f"{d.a.text} – {d.b.text}", number(d.distance), cosine(d.cosine)] for d in self.distances]
        table = aligned(rows, ["left", "right", "right"], ["pair", "distance as unit vectors", "cosine"])
        return "\n".join(
            [
                f"One-hot × table over {count(self.rows_in_product)} finite rows: {verdict} to the rows looked up.",
                f"One-hot vectors of the whole vocabulary hold {count(self.one_hot_numbers)} numbers, "
                f"the table {count(self.table_numbers)}: {number(self.one_hot_numbers / self.table_numbers)} times fewer.",
                "Every pair of one-hot vectors is √2 = 1.41 apart; these rows are not:",
                *(f"  {line}" for line in table.splitlines()),
            ]
        )


@dataclass(frozen=True, repr=False)
class Lookup(Listing):
    """A text, its tokens in order, and their rows (m, d)."""

    text: str
    how: str
    tokens: tuple[Token, ...]
    rows: Float32[np.ndarray, "m d"]
    one_hot: OneHot | None = None

    @property
    def title(self) -> str:
        m = len(self.tokens)
        return f"{self.text} → {count(m)} token{'s' * (m != 1)} → {m} × {self.rows.shape[1]} numbers · {self.how}"

    @property
    def notes(self) -> Sequence[str]:
        return () if self.one_hot is None else ("", str(self.one_hot))

    @property
    def norms(self) -> list[float]:
        """Euclidean norm of each row, in float64."""
        return np.sqrt(np.einsum("md,md->m", self.rows, self.rows, dtype=np.float64)).tolist()

    def columns(self) -> Mapping[str, Sequence[Any]]:
        return {
            "id": [t.id for t in self.tokens],
            "text": [t.text for t in self.tokens],
            "bytes": [t.bytes.hex(" ") for t in self.tokens],
            "kind": [t.kind.label for t in self.tokens],
            "norm": self.norms,
            "row": [_begin(row) for row in self.rows],
        }

    def to_dict(self) -> dict[str, Any]:
        norms = self.norms
        return {
            "text": self.text,
            "how": self.how,
            "tokens": [
                {
                    "id": t.id,
                    "text": t.text,
                    "bytes": t.bytes.hex(),
                    "kind": t.kind.label,
                    "norm": n,
                    "row": row.tolist(),
                }
                for t, n, row in zip(self.tokens, norms, self.rows, strict=True)
            ],
            "one_hot": self.one_hot.to_dict() if self.one_hot else None,
        }


def look_up(study: Study, text: str, one_hot: bool) -> Lookup:
    """The tokens of a text and their rows; with `one_hot`, the same rows by a product as well."""
    table = study.table
    ids, how = _ids(table, text)
    rows = table.rows(ids)
    tokens = tuple(table.token(id) for id in ids)
    return Lookup(text, how, tokens, rows, _as_product(study, tokens, rows) if one_hot else None)


def _ids(table: Table, text: str) -> tuple[list[int], str]:
    """Ids of a text and how they were found."""
    if table.vocabulary.tokenizer is not None:
        ids = table.vocabulary.encode(text)
        kept = [id for id in ids if id < len(table)]
        if not kept:
            raise UsageError(f"expected a text with at least one token, found {text!r}")
        return kept, "split by the model's own tokenizer, no special token added"
    found = table.find(text) or [id for word in text.split() for id in _named(table, word)]
    if not found:
        raise UsageError(
            f"expected words of this vocabulary, found none in {text!r}, which cannot be split: "
            f"{table.vocabulary.encode_refusal}",
            cure_of_unknown(table, text),
        )
    return found, f"found by its spelling; {table.vocabulary.encode_refusal}"


def _named(table: Table, word: str) -> list[int]:
    """The first row that spells a word, or the row of #42; none if there is none."""
    return table.find(word)[:1] or (word_ids(table, word) if word.startswith("#") else [])


def _as_product(study: Study, tokens: Sequence[Token], rows: Float32[np.ndarray, "m d"]) -> OneHot:
    table = study.table
    total, width = table.shape
    product, finite_rows = _one_hot_product(table, [t.id for t in tokens])
    finite = np.isfinite(rows).all(axis=1)
    return OneHot(
        equal=bool((product[finite] == rows[finite]).all()),
        rows_in_product=finite_rows,
        one_hot_numbers=total * total,
        table_numbers=total * width,
        distances=_distances(study, tokens, rows),
    )


def _one_hot_product(table: Table, ids: Sequence[int]) -> tuple[Float32[np.ndarray, "m d"], int]:
    """Σ over all finite rows of (1 where the row is the token's, else 0) × row, and how many rows that was."""
    wanted = np.asarray(ids)
    product = np.zeros((len(ids), table.shape[1]), np.float32)
    used = 0
    for start, block in table.blocks():
        keep = np.isfinite(block).all(axis=1)
        one_hot = (np.arange(start, start + len(block))[None] == wanted[:, None]).astype(np.float32)
        product += one_hot[:, keep] @ block[keep]
        used += int(keep.sum())
    return product, used


def _distances(study: Study, tokens: Sequence[Token], rows: Float32[np.ndarray, "m d"]) -> tuple[Distance, ...]:
    """Pairs among the tokens of the text; of a single token, the pairs with its nearest neighbours."""
    distinct = list(
        {t.id: (t, row) for t, row in zip(tokens, rows, strict=True) if np.isfinite(row).all() and row.any()}.values()
    )
    if len(distinct) == 1:
        (token, _), near = distinct[0], study.neighbors(distinct[0][0].id, k=3)
        return tuple(Distance(token, other, value) for other, value in zip(near.tokens, near.values, strict=True))
    pairs = [
        Distance(a, b, _cosine(x, y)) for i, (a, x) in enumerate(distinct) for b, y in distinct[i + 1 :]
    ]  # fmt: skip
    return tuple(pairs[:MOST_PAIRS])


def _cosine(x: np.ndarray, y: np.ndarray) -> float:
    x, y = x.astype(np.float64), y.astype(np.float64)
    return float(np.clip(x @ y / math.sqrt((x @ x) * (y @ y)), -1.0, 1.0))


def _begin(row: np.ndarray) -> str:
    values = ", ".join(number(float(v)) for v in row[:SHOWN])
    return f"[{values}{', …' if len(row) > SHOWN else ''}]"
