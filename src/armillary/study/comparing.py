"""Two tables side by side, and several checkpoints in a row: what the room `geometry` found, with both tables' isotropy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.answer import Answer, Listing, cosine, count
from armillary.errors import MissingExtra, UsageError
from armillary.measure import Measure
from armillary.table import Table

if TYPE_CHECKING:
    from armillary.geometry.two_tables import TableComparison
    from armillary.report import Report
    from armillary.study.study import Study

SHOWN = 15  # movers printed
BOTH = ("mean_cosine", "mean_square_cosine", "participation_ratio", "effective_rank", "coherence", "minimum_angle", "mean_norm", "norm_against_frequency")  # fmt: skip
FEWEST_WORDS = 200  # of known frequency, below which length against frequency is not told


@dataclass(frozen=True, repr=False)
class TwoTables(Answer):
    """A comparison with the two studies it is about. `a` is the older, `b` the newer, where that has a meaning."""

    a: Study
    b: Study
    found: TableComparison

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Cosines, CKA and neighbour overlap of the joined rows, with their nulls."""
        return self.found.measures

    @property
    def verdict(self) -> str:
        """The whole finding in one line."""
        joined, n = self.found.join, len(self.found.join)
        if self.found.equal == n:
            same = "The joined rows are equal in every number"
        else:
            value = self.found.measure("cosine_identity") or self.found.measure("cosine_procrustes")
            how = "" if value and value.name == "cosine_identity" else " after the best rotation"
            same = f"The same token has a mean cosine of {cosine(value.value) if value else '—'}{how}"
        relation = {
            "equal": "the vocabularies are the same",
            "subset": "the first vocabulary is a subset of the second",
            "superset": "the second vocabulary is a subset of the first",
            "overlap": "each vocabulary has tokens of its own",
        }[joined.relation]
        return f"{same}; {relation}, with {count(n)} tokens in common."

    @cached_property
    def isotropy(self) -> dict[str, tuple[float | None, float | None]]:
        """Measures of both whole tables, a and b; coherence only where a scan is in the cache."""
        values = [_values(study) for study in (self.a, self.b)]
        return {name: (values[0].get(name), values[1].get(name)) for name in BOTH if any(name in v for v in values)}

    def movers(self, most: int = SHOWN) -> list[dict[str, Any]]:
        """The tokens that moved most: token, ids in both, cosine, ratio of norms."""
        found = self.found
        rows = []
        for p in found.movers(most).tolist():
            i, j = int(found.join.a[found.used[p]]), int(found.join.b[found.used[p]])
            ratio = float(found.norm_ratios[p])
            text = self.a.table.token(i).text
            rows.append({"text": text, "a": i, "b": j, "cosine": float(found.cosines[p]), "norm_ratio": ratio})
        return rows

    def report(self) -> Report:
        """The comparison as a report."""
        from armillary.study.compare_report import compare_report

        return compare_report(self)

    def to_dict(self) -> dict[str, Any]:
        from armillary.study.compare_lines import left_out

        joined = self.found.join
        return {
            "verdict": self.verdict,
            "a": self.a.provenance.source,
            "b": self.b.provenance.source,
            "joined": len(joined),
            "compared": len(self.found.used),
            "equal_rows": self.found.equal,
            "left_out": left_out(self),
            "only_a": self._tokens(self.a.table, joined.only_a),
            "only_b": self._tokens(self.b.table, joined.only_b),
            "moved": [{"a": m.a, "b": m.b} for m in self.found.moved],
            "measures": [measure.to_dict() for measure in self.measures],
            "drift": {"how": self.found.how, "movers": self.movers(100)},
            "tables": {name: {"a": a, "b": b} for name, (a, b) in self.isotropy.items()},
        }

    @staticmethod
    def _tokens(table: Table, ids: np.ndarray) -> list[dict[str, Any]]:
        tokens = (table.token(i) for i in ids.tolist())
        return [{"id": t.id, "text": t.text, "bytes": t.bytes.hex()} for t in tokens]

    def __str__(self) -> str:
        from armillary.study.compare_lines import lines_of

        return lines_of(self)


def _values(study: Study) -> dict[str, float]:
    measures = list(study.measures("isotropy", drawn=False))
    if study.finished_scan() is not None:
        measures += study.measures("sphere", drawn=False)
    values = {measure.name: measure.value for measure in measures}
    values["mean_norm"] = float(study.facts.norms[study.code.ids].mean())
    rho = _norm_against_frequency(study)
    return values if rho is None else values | {"norm_against_frequency": rho}


def _norm_against_frequency(study: Study) -> float | None:
    """Spearman's ρ of norm and log frequency (wordfreq); None without the extra `words`, or for too few words."""
    from armillary.words.frequencies import word_frequencies
    from armillary.words.meaning import rank_trend

    if study.table.vocabulary.named_by_id:
        return None
    try:
        log = word_frequencies(study.table.vocabulary).log
    except MissingExtra:
        return None
    ids = study.code.ids[np.isfinite(log[study.code.ids])]
    return rank_trend(log[ids], study.facts.norms[ids])[0] if len(ids) >= FEWEST_WORDS else None


@dataclass(frozen=True, repr=False)
class Trajectory(Listing):
    """Checkpoints in a row: each table by itself, beside the one before it, and beside the last."""

    names: tuple[str, ...]
    values: Mapping[str, Sequence[float | None]]

    @property
    def title(self) -> str:
        return f"{count(len(self.names))} checkpoints, in the order given"

    @property
    def notes(self) -> Sequence[str]:
        return (
            "Cosines and overlap are of the same token; to_last compares with the last checkpoint, to_previous with the "
            "one before. A random table has a mean cosine of 0 with any other.",
        )

    def columns(self) -> Mapping[str, Sequence[Any]]:
        return {"checkpoint": list(self.names), **{name: list(column) for name, column in self.values.items()}}

    def to_dict(self) -> dict[str, Any]:
        columns = self.columns()
        return {"checkpoints": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]}


def compare_studies(a: Study, b: Study, k: int = 10) -> TwoTables:
    """Two studies side by side."""
    from armillary.geometry.two_tables import compare_tables

    for study in (a, b):
        _ = study.facts  # from the cache where it is there
    return TwoTables(a, b, compare_tables(a.table, b.table, k))


def other_or_output(study: Study, other: Study | None) -> Study:
    """`other`, or the study's own output table; UsageError where it has none of its own."""
    second = other or study.output()
    if second is None:
        raise UsageError(
            f"expected a second table to compare {study.provenance.source} with, found that its input and output are one",
            "give a second model",
        )
    return second


def trajectory_of(studies: Sequence[Study], names: Sequence[str] | None = None, k: int = 10) -> Trajectory:
    """Several checkpoints of one model; UsageError for fewer than two, or where two share no token."""
    if len(studies) < 2:
        raise UsageError(f"expected two or more checkpoints, found {len(studies)}")
    last = studies[-1]
    to_last = [compare_studies(study, last, k).found for study in studies]
    to_previous = [compare_studies(a, b, k).found for a, b in pairwise(studies)]
    own = [_values(study) for study in studies]
    values: dict[str, list[float | None]] = {
        "cos_to_last": [_value(c, "cosine_identity") for c in to_last],
        "cka_to_last": [_value(c, "linear_cka") for c in to_last],
        "overlap_to_last": [_value(c, "neighbor_overlap") for c in to_last],
        "cos_to_previous": [None, *(_value(c, "cosine_identity") for c in to_previous)],
        "equal_rows_to_previous": [None, *(c.equal for c in to_previous)],
        "mean_cosine": [v.get("mean_cosine") for v in own],
        "participation_ratio": [v.get("participation_ratio") for v in own],
        "mean_norm": [v.get("mean_norm") for v in own],
    }
    return Trajectory(tuple(names or [s.provenance.source for s in studies]), values)


def _value(comparison: TableComparison, name: str) -> float | None:
    measure = comparison.measure(name)
    return None if measure is None else measure.value


def compare(old: ArrayLike | Table | Study, new: ArrayLike | Table | Study, k: int = 10) -> TwoTables:
    """Two tables side by side: studies, tables, or live arrays and torch weights, which are read and never changed.

    Arrays are joined by row, as each names its rows by id; tables with tokens by their tokens.
    """
    return compare_studies(_study(old), _study(new), k)


def _study(table: ArrayLike | Table | Study) -> Study:
    from armillary.study.study import Study

    if isinstance(table, Study):
        return table
    return Study(table if isinstance(table, Table) else Table.from_array(_snapshot(table)), cache=False)


def _snapshot(rows: ArrayLike) -> ArrayLike:
    """A copy, so that a training loop may go on changing the weights in place."""
    detach = getattr(rows, "detach", None)
    return detach().clone() if detach is not None else np.array(rows)
