"""Exact cosines of a few vectors to every row of a table, ranks, and the first k.

Everything a word is asked needs the same numbers: its cosine to every row. They are computed by the one loop that
defines a cosine (sequential float64 sums over raw float32 rows), so that equal rows tie exactly and ranks are
ranks. The loop runs over coordinates and is vectorised over rows and over the vectors asked.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from armillary.scan.crew import Crew
from armillary.shapes import Bool, Float32, Float64, Int64
from armillary.table import Kind, Table

BLOCK_ROWS = 4096
QUICK_BLOCK_BYTES = 2 << 20


def cosines_to(table: Table, vectors: Float32[np.ndarray, "m d"]) -> Float64[np.ndarray, "m V"]:
    """Cosine of each vector with each row; −inf where a row has no direction (zero, non-finite, no token)."""
    vectors = np.atleast_2d(np.asarray(vectors, np.float32)).astype(np.float64)
    out = np.empty((len(vectors), len(table)), np.float64)
    own = _sequential_squares(vectors.T)
    for start, block in table.blocks(BLOCK_ROWS):
        columns = np.ascontiguousarray(block.T, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            squared = _sequential_squares(columns)
            values = _sequential_products(vectors, columns) / np.sqrt(own[:, None] * squared)
        values[:, ~(np.isfinite(squared) & (squared > 0))] = -np.inf
        out[:, start : start + len(block)] = np.clip(values, -1.0, 1.0, where=np.isfinite(values), out=values)
    out[:, table.vocabulary.kinds == Kind.NO_TOKEN] = -np.inf
    return out


def quick_cosines(
    table: Table, unit: Float32[np.ndarray, "m d"], nowhere: float = -1.0, threads: int | None = None
) -> Float32[np.ndarray, "m V"]:
    """Cosines of unit vectors to every row by float32 products, for counts and means; `nowhere` for rows without a
    direction. Blocks are as small as a core's cache, because a quantised table is decoded on the way."""
    width = table.shape[1]
    step = max(1, QUICK_BLOCK_BYTES // (4 * width))
    out = np.empty((len(unit), len(table)), np.float32)
    table.vectors.block(0, 1)  # a table that is decoded into the cache is so once, before threads share it

    def work(start: int, _: int) -> None:
        block = table.vectors.block(start, min(start + step, len(table)))
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            norms = np.sqrt(np.einsum("nd,nd->n", block, block))
            values = (block @ unit.T).T / norms
        values[:, ~(np.isfinite(norms) & (norms > 0))] = nowhere
        out[:, start : start + len(block)] = values

    with Crew(threads) as crew:
        crew.each(work, range(0, len(table), step))
    out[:, table.vocabulary.kinds == Kind.NO_TOKEN] = nowhere
    return out


def cosines_between(rows: Float32[np.ndarray, "n d"], others: Float32[np.ndarray, "m d"]) -> Float64[np.ndarray, "n m"]:
    """Cosine of each row with each other row, by the defining loop."""
    a, b = rows.astype(np.float64), np.ascontiguousarray(others.T, dtype=np.float64)
    squared = _sequential_squares(a.T)[:, None] * _sequential_squares(b)
    return np.clip(_sequential_products(a, b) / np.sqrt(squared), -1.0, 1.0)


def cosines_of_pairs(a: Float32[np.ndarray, "n d"], b: Float32[np.ndarray, "n d"]) -> Float64[np.ndarray, "n"]:
    """Cosine of each row of `a` with the same row of `b`, by the defining loop."""
    x, y = (np.ascontiguousarray(rows.T, dtype=np.float64) for rows in (a, b))
    total = np.zeros(len(a), np.float64)
    for p, q in zip(x, y, strict=True):
        total += p * q
    return np.clip(total / np.sqrt(_sequential_squares(x) * _sequential_squares(y)), -1.0, 1.0)


def rank_of(scores: Float64[np.ndarray, "V"], id: int, removed: Collection[int] = ()) -> int:
    """Rank of a row by (score descending, id ascending), from 1, the rows in `removed` taken out of the race."""
    own = scores[id]
    ahead = np.count_nonzero(scores > own) + np.count_nonzero(scores[:id] == own)
    out = sum(bool(scores[i] > own or (scores[i] == own and i < id)) for i in removed)
    return int(ahead) - out + 1


def first(scores: Float64[np.ndarray, "V"], k: int, removed: Collection[int] = ()) -> Int64[np.ndarray, "k"]:
    """The first k ids by (score descending, id ascending), `removed` and rows without a direction left out."""
    usable = scores > -np.inf
    if len(removed):
        usable[list(removed)] = False
    ids = np.flatnonzero(usable)
    k = min(k, len(ids))
    if k == 0:
        return ids[:0].astype(np.int64)
    threshold = np.partition(scores[ids], len(ids) - k)[len(ids) - k]
    near = ids[scores[ids] >= threshold]
    return near[np.lexsort((near, -scores[near]))][:k].astype(np.int64)


def usable_rows(table: Table, ids: Int64[np.ndarray, "n"]) -> tuple[Bool[np.ndarray, "n"], Float32[np.ndarray, "n d"]]:
    """Which of these rows have a direction, and the unit rows (float32) of those that do."""
    rows = table.rows(ids)
    squared = np.einsum("nd,nd->n", rows, rows, dtype=np.float64)
    keep = np.isfinite(squared) & (squared > 0) & (table.vocabulary.kinds[ids] != Kind.NO_TOKEN)
    return keep, (rows[keep] / np.sqrt(squared[keep])[:, None]).astype(np.float32)


def _sequential_products(vectors: np.ndarray, columns: np.ndarray) -> np.ndarray:
    total = np.zeros((len(vectors), columns.shape[1]), np.float64)
    for q, column in enumerate(columns):
        total += vectors[:, q, None] * column
    return total


def _sequential_squares(columns: np.ndarray) -> np.ndarray:
    total = np.zeros(columns.shape[1], np.float64)
    for column in columns:
        total += column * column
    return total
