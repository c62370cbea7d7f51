"""Candidates for under-training: the lowest rows of an indicator, how far the indicators agree, and where to draw a line.

A candidate is a suspicion. Whether the model really cannot handle the token takes a prompt to the running model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armillary.geometry.health.indicators import FEWEST_REFERENCES, Indicator, Indicators, indicators
from armillary.geometry.health.references import References
from armillary.shapes import Float64, Int64
from armillary.table import Kind, Table

LOWEST_SHARE = 0.02


@dataclass(frozen=True, eq=False)
class Candidates:
    """`ids` (c), most suspicious first; `values`, `shares` (share of judged rows at or below), `votes` of indicators."""

    ids: Int64[np.ndarray, "c"]
    values: Float64[np.ndarray, "c"]
    shares: Float64[np.ndarray, "c"]
    votes: Int64[np.ndarray, "c"]


@dataclass(frozen=True, eq=False)
class UnderTrained:
    """What the indicators say: `leading` orders the candidates, None where every indicator is void.

    `below`: ids at or below the soft threshold of the leading indicator, ascending (references left out).
    `agreement`: share of each pair of telling indicators' lowest 2 % that they have in common, by names.
    """

    indicators: Indicators
    leading: Indicator | None
    candidates: Candidates
    below: Int64[np.ndarray, "b"]
    agreement: dict[tuple[str, str], float]

    @property
    def untold(self) -> str:
        """Why no row can be said to look under-trained; empty where it can be told."""
        references = len(self.indicators.references)
        if references < FEWEST_REFERENCES:
            few = f"there are {references}" if references > 1 else "there is one" if references else "there are none"
            return f"it takes {FEWEST_REFERENCES} reference rows or more, and {few}"
        return "" if self.leading else f"the {references:,} reference rows do not stand apart from the others"

    def share_below(self, id: int) -> float:
        """Share of the judged rows whose leading indicator is at most that of row `id`, in (0, 1]."""
        assert self.leading is not None
        judged = self.leading.values[self.indicators.judged]
        return float((judged <= self.leading.values[id]).mean())


def judged_rows(table: Table, only: Int64[np.ndarray, "m"] | None = None) -> Int64[np.ndarray, "n"]:
    """Ids whose rows are judged: with a direction and a token that is not unused; within `only` where given."""
    facts, kinds = table.row_facts, table.vocabulary.kinds
    keep = np.isfinite(facts.norms) & (facts.norms > 0) & (kinds != Kind.UNUSED) & (kinds != Kind.NO_TOKEN)
    if only is not None:
        inside = np.zeros(len(table), bool)
        inside[only] = True
        keep &= inside
    return np.flatnonzero(keep).astype(np.int64)


def under_trained(
    output: Table, references: References, judged: Int64[np.ndarray, "n"], norms: Float64[np.ndarray, "V"] | None = None
) -> UnderTrained:
    """Indicators of `output`, the lowest 2 % of the judged rows, and those below the soft threshold.

    `norms`: of the input rows where they are another table. Land & Bartolo 2024.
    """
    found = indicators(output, references, judged, norms)
    most = int(LOWEST_SHARE * len(judged))
    lowest = {i.name: _lowest(i, judged, references, most) for i in found.telling}
    leading = found.telling[0] if found.telling else None
    return UnderTrained(
        found, leading, _candidates(leading, lowest, judged), _below(leading, found), _agreement(lowest)
    )


def _lowest(indicator: Indicator, judged: np.ndarray, references: References, most: int) -> np.ndarray:
    """At most `most` judged ids that are no references, by (value, id) ascending."""
    ids = np.setdiff1d(judged, references.ids)
    ids = ids[np.isfinite(indicator.values[ids])]
    return ids[np.lexsort((ids, indicator.values[ids]))][:most]


def _candidates(leading: Indicator | None, lowest: dict[str, np.ndarray], judged: np.ndarray) -> Candidates:
    if leading is None:
        none = np.zeros(0, np.int64)
        return Candidates(none, np.zeros(0), np.zeros(0), none)
    ids = lowest[leading.name]
    ordered = np.sort(leading.values[judged])
    at_most = np.searchsorted(ordered, leading.values[ids], side="right")
    votes = np.sum([np.isin(ids, other) for other in lowest.values()], axis=0)
    return Candidates(ids, leading.values[ids], at_most / len(judged), votes.astype(np.int64))


def _below(leading: Indicator | None, found: Indicators) -> np.ndarray:
    if leading is None or leading.soft_threshold is None:
        return np.zeros(0, np.int64)
    ids = np.setdiff1d(found.judged, found.references.ids)
    return ids[leading.values[ids] <= leading.soft_threshold]


def _agreement(lowest: dict[str, np.ndarray]) -> dict[tuple[str, str], float]:
    names = list(lowest)
    return {
        (a, b): len(np.intersect1d(lowest[a], lowest[b])) / max(len(lowest[a]), 1)
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    }
