"""Readability: what a linear layer could read off the rows, and whether an output table returns its own token.

Held-out accuracy of a linear probe for category, script, case or number, beside the accuracy with shuffled labels
(which is what so many dimensions give for nothing). And the share of tokens for which argmax_j(e_i·w_j) = i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.errors import UsageError
from armillary.table import Table
from armillary.words.cosines import usable_rows
from armillary.words.logistic import probe_accuracy

SHUFFLES = 20
PROBED = 4_000
ARGMAX_ROWS = 2_000


@dataclass(frozen=True)
class Probe:
    """Held-out accuracy over `held_out` rows; `shuffled` ± sd with labels shuffled; `largest`: the largest class's share."""

    name: str
    accuracy: float
    shuffled: float
    shuffled_sd: float
    largest: float
    classes: int
    trained: int
    held_out: int

    def to_dict(self) -> dict[str, Any]:
        return dict(self.__dict__)


@dataclass(frozen=True)
class SelfReadout:
    """Share of `rows` sampled tokens whose largest e_i·w_j is their own; `margin`: median of e_i·w_i minus the best
    other; `error`: standard error of the share."""

    share: float
    error: float
    margin: float
    rows: int

    def to_dict(self) -> dict[str, Any]:
        return dict(self.__dict__)


def probe(table: Table, name: str, ids: np.ndarray, labels: Sequence[str], seed: int = 0) -> Probe:
    """A ridge probe on unit rows of these ids, half of them held out, on at most 4,000 of each half.

    UsageError for fewer than two labels with four rows each.
    """
    keep, rows = usable_rows(table, np.asarray(ids))
    known = np.array([str(label) for label in labels])[keep]
    code = np.unique(known, return_inverse=True)[1]
    enough = np.flatnonzero(np.bincount(code) >= 4)
    chosen = np.isin(code, enough)
    rows, code = rows[chosen].astype(np.float64), np.searchsorted(enough, code[chosen])
    if len(enough) < 2:
        raise UsageError(f"expected two labels of at least four rows for the probe {name!r}, found {len(enough)}")
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(rows))[: 2 * PROBED]
    train, held = order[: len(order) // 2], order[len(order) // 2 :]
    labelings = np.stack([code[train], *(rng.permutation(code[train]) for _ in range(SHUFFLES))])
    accuracy = probe_accuracy(rows[train], labelings, rows[held], code[held])
    largest = float(np.bincount(code[held]).max() / len(held))
    shuffled = accuracy[1:]
    return Probe(
        name,
        float(accuracy[0]),
        float(shuffled.mean()),
        float(shuffled.std(ddof=1)),
        largest,
        len(enough),
        len(train),
        len(held),
    )


def self_readout(table: Table, output: Table | None = None, rows: int = ARGMAX_ROWS, seed: int = 0) -> SelfReadout:
    """How often a token's own output row answers to its input row; `output` defaults to the table itself (tied)."""
    output = output or table
    if output.shape[1] != table.shape[1]:
        raise UsageError(f"expected an output table of width {table.shape[1]}, found {output.shape[1]}")
    shared = min(len(table), len(output))
    drawn = np.sort(np.random.default_rng(seed).choice(shared, min(rows, shared), replace=False))
    keep, _ = usable_rows(table, drawn)
    ids = drawn[keep]
    inputs = table.rows(ids)
    own = np.einsum("nd,nd->n", inputs.astype(np.float64), output.rows(ids).astype(np.float64))
    best = np.full(len(ids), -np.inf)
    for start, block in output.blocks():
        scores = inputs @ block.T
        inside = np.flatnonzero((ids >= start) & (ids < start + len(block)))
        scores[inside, ids[inside] - start] = -np.inf
        best = np.maximum(best, np.nan_to_num(scores, nan=-np.inf).max(axis=1))
    share = float((own > best).mean())
    return SelfReadout(share, float(np.sqrt(share * (1 - share) / len(ids))), float(np.median(own - best)), len(ids))
