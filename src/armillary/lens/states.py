"""The residual stream of a text: one vector for every layer and position, and a layer of it as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from armillary.errors import UsageError
from armillary.shapes import Float32
from armillary.table import ArrayRows, LoadReport, Provenance, Table, Token, Vocabulary


@dataclass(frozen=True, eq=False)
class States:
    """`layers` (L+1, p, d): the states of p tokens after 0 … L layers, before any final norm.

    Layer 0 is what the table gave (scaled, with positions where the model adds them); layer L is what the readout
    reads.
    """

    tokens: tuple[Token, ...]
    layers: Float32[np.ndarray, "L p d"] = field(repr=False)
    source: str = ""

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def depth(self) -> int:
        """L, the number of layers."""
        return len(self.layers) - 1

    def at(self, layer: int) -> Float32[np.ndarray, "p d"]:
        """The states after `layer` layers, 0 … L; UsageError outside (a negative number is not the end)."""
        if not 0 <= layer <= self.depth:
            raise UsageError(f"expected a layer from 0 to {self.depth}, found {layer}")
        return self.layers[layer]

    def table(self, layer: int) -> Table:
        """The states after one layer as a table whose rows are positions."""
        return table_of([self], layer)


def table_of(states: Sequence[States], layer: int) -> Table:
    """The states of several texts after one layer as one table, a row for each position, in order.

    Every row keeps its token, so that a word that occurs twice is two rows of one spelling.
    """
    if not states:
        raise UsageError("expected the states of at least one text, found none")
    rows = np.concatenate([text.at(layer) for text in states])
    tokens = [token for text in states for token in text.tokens]
    kinds = np.array([token.kind for token in tokens], np.uint8)
    vocabulary = Vocabulary([t.bytes for t in tokens], [t.name for t in tokens], kinds)
    source = f"{states[0].source} · layer {layer}"
    report = LoadReport(
        format="states", tensor=f"layer {layer}", rows=rows.shape[0], width=rows.shape[1], tokens=len(tokens)
    )
    return Table(ArrayRows(rows), vocabulary, Provenance(source, tensor=f"layer {layer}"), report)
