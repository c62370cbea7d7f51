"""Model2Vec's shared rows: many tokens point at one stored row, each with a weight of its own.

A token's vector is `embeddings[mapping[id]] × weights[id]`; `mapping` and `weights` lie beside `embeddings` in the
file, either may be absent. The rows of the table are the tokens' vectors, composed when they are asked for.
"""

from __future__ import annotations

import numpy as np

from armillary.errors import UnreadableError
from armillary.formats.numbers import times
from armillary.shapes import Float32, Int64, Integer
from armillary.table import RowDecoder

ROWS, MAPPING, WEIGHTS = "embeddings", "mapping", "weights"


class SharedRows:
    """One row a token: the stored row that it points at, times its weight."""

    def __init__(
        self, stored: RowDecoder, mapping: Int64[np.ndarray, "V"], weights: Float32[np.ndarray, "V"] | None
    ) -> None:
        self._stored, self._mapping, self._weights = stored, mapping, weights
        self.shape: tuple[int, int] = (len(mapping), stored.shape[1])

    def block(self, start: int, stop: int) -> Float32[np.ndarray, "n d"]:
        return self.take(np.arange(start, min(stop, self.shape[0])))

    def take(self, ids: Integer[np.ndarray, "n"]) -> Float32[np.ndarray, "n d"]:
        ids = np.asarray(ids, np.int64)
        rows = self._stored.take(self._mapping[ids])
        return rows if self._weights is None else times(rows, self._weights[ids])


def shared_rows(stored: RowDecoder, mapping: np.ndarray | None, weights: np.ndarray | None, source: str) -> RowDecoder:
    """The tokens' vectors. UnreadableError where mapping and weights do not fit each other or the rows."""
    V = stored.shape[0] if mapping is None else len(mapping)
    if weights is not None and len(weights) != V:
        raise UnreadableError(
            f"expected {V:,} weights in {source}, one a token, found {len(weights):,}", "fetch the model again"
        )
    if mapping is None:
        mapping = np.arange(V)
    elif V and not (mapping.min() >= 0 and mapping.max() < stored.shape[0]):
        bad = int(np.flatnonzero((mapping < 0) | (mapping >= stored.shape[0]))[0])
        raise UnreadableError(
            f"token {bad:,} of {source} points at row {int(mapping[bad]):,} of {stored.shape[0]:,}", "fetch it again"
        )
    return SharedRows(stored, mapping.astype(np.int64), weights)
