"""The health of a table: every kind of odd row with its reason, the indicators of under-training, tying, the round trip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.answer import Answer, aligned, count, number, percent
from armillary.errors import UsageError
from armillary.geometry import health
from armillary.measure import Measure
from armillary.shapes import Int64
from armillary.table import Kind, Table, Token

if TYPE_CHECKING:
    from armillary.study.study import Progress, Study

SHOWN = 20  # candidates printed
NAMED = 4  # tokens named of each kind
FAULTS = ("non-finite", "zero", "duplicate", "token without a row", "hole", "padded", "unreachable")


@dataclass(frozen=True, repr=False)
class Health(Answer):
    """`kinds`: ids by kind. `under_trained`: None where the table has no row to judge. `tying`: one sentence.

    `only`: how many rows were looked at where not all were.
    """

    table: Table
    kinds: Mapping[str, Int64[np.ndarray, "m"]]
    under_trained: health.UnderTrained | None
    trip: health.RoundTrip | None
    tying: str
    only: int | None = None

    @property
    def measures(self) -> list[Measure]:
        """How many rows are of each kind."""
        return health.health_measures(self.kinds, len(self.table))

    @property
    def verdict(self) -> str:
        """The whole finding in one line."""
        faults = [f"{count(len(self.kinds[k]))} {health.spoken(k)}" for k in FAULTS if len(self.kinds.get(k, ()))]
        looked = f"{count(self.only)} new rows" if self.only is not None else f"{count(len(self.table))} rows"
        sound = f"Of {looked}, {', '.join(faults)}" if faults else f"All {looked} are sound"
        if without := self.under_trained.untold if self.under_trained else "no row can be judged":
            return f"{sound}; under-training cannot be told: {without}."
        suspects = len(self.kinds.get("under-trained", ()))
        return f"{sound}; {count(suspects)} {'looks' if suspects == 1 else 'look'} under-trained."

    @property
    def rule(self) -> str | None:
        """By what rule rows look under-trained, and of which kinds of token those that do are; None where none is judged."""
        found, suspects = self.under_trained, self.kinds.get("under-trained")
        if found is None or (leading := found.leading) is None or leading.soft_threshold is None or suspects is None:
            return None
        references = count(len(found.indicators.references))
        kinds = f": {self.kinds_of(suspects)}" if len(suspects) else ""
        return (
            f"Rule: a row looks under-trained where its {leading.title} is at most {number(leading.soft_threshold)}, as it is for "
            f"{count(leading.reached)} of the {references} reference rows. {count(len(suspects))} {'row besides those does' if len(suspects) == 1 else 'rows besides those do'}{kinds}."
        )

    def kinds_of(self, ids: Int64[np.ndarray, "m"]) -> str:
        """How many of these rows are tokens of each kind, most frequent first; `all byte` where there is one kind."""
        found = np.bincount(self.table.vocabulary.kinds[ids], minlength=len(Kind))
        ordered = sorted((kind for kind in Kind if found[kind]), key=lambda kind: -found[kind])
        if len(ordered) == 1:
            return f"all {ordered[0].label}" if len(ids) > 1 else ordered[0].label
        return ", ".join(f"{count(int(found[kind]))} {kind.label}" for kind in ordered)

    def candidates(self, most: int | None = None) -> list[dict[str, Any]]:
        """Candidates for under-training, most suspicious first: id, token, value, share at or below, votes."""
        if self.under_trained is None:
            return []
        found = self.under_trained.candidates
        soft = self.under_trained.leading.soft_threshold if self.under_trained.leading else None
        columns = zip(
            found.ids.tolist(), found.values.tolist(), found.shares.tolist(), found.votes.tolist(), strict=True
        )
        rows = [(id, value, share, votes) for id, value, share, votes in columns][:most]
        return [
            {
                **_shown(self.table.token(id)),
                "value": value,
                "share_at_or_below": share,
                "votes": votes,
                "below_soft_threshold": soft is not None and value <= soft,
            }
            for id, value, share, votes in rows
        ]

    def to_dict(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "rows_looked_at": self.only if self.only is not None else len(self.table),
            "kinds": {kind: self._kind(kind) for kind in self.kinds},
            "outside_float32": self.table.row_facts.outside.tolist(),
            "under_trained": self._under_trained(),
            "round_trip": self._trip(),
            "tying": self.tying,
            "measures": [measure.to_dict() for measure in self.measures],
        }

    def _kind(self, kind: str) -> dict[str, Any]:
        ids = self.kinds[kind].tolist()
        beyond = {token.id: token for token in self.table.vocabulary.beyond}
        tokens = [beyond[i] if i in beyond else self.table.token(i) for i in ids]
        return {"count": len(ids), "why": health.KINDS[kind], "rows": [_shown(token) for token in tokens]}

    def _under_trained(self) -> dict[str, Any] | None:
        found = self.under_trained
        if found is None:
            return None
        references = found.indicators.references
        return {
            "references": {
                "count": len(references),
                "automatic": references.automatic,
                "reasons": {reason: len(ids) for reason, ids in references.reasons.items()},
                "ids": references.ids.tolist(),
            },
            "judged": len(found.indicators.judged),
            "leading": found.leading.name if found.leading else None,
            "rule": self.rule,
            "indicators": [
                {"name": i.name, "title": i.title, "soft_threshold": i.soft_threshold, "void": i.void or None}
                for i in found.indicators.all
            ],
            "agreement": [{"a": a, "b": b, "shared": share} for (a, b), share in found.agreement.items()],
            "candidates": self.candidates(),
        }

    def _trip(self) -> dict[str, Any] | None:
        if self.trip is None:
            return None
        return {"tried": self.trip.tried, "returned": self.trip.returned, "unreachable": len(self.trip.unreachable)}

    def __str__(self) -> str:
        parts = [
            self.verdict,
            "",
            self._kinds_table(),
            self.table.row_facts.outside_note,
            "",
            *self._suspicion(),
            self._trip_line(),
            self.tying,
        ]
        return "\n".join(part for part in parts if part is not None)

    def _kinds_table(self) -> str:
        rows = []
        for kind, ids in self.kinds.items():
            if len(ids) and kind != "under-trained":
                shown = ", ".join(self._name(int(i)) + self._twin(kind, int(i)) for i in ids[:NAMED])
                more = f" and {count(len(ids) - NAMED)} more" if len(ids) > NAMED else ""
                rows.append([health.spoken(kind), count(len(ids)), shown + more])
        return aligned(rows, ["left", "right", "left"], widest=90) if rows else "No row is of an odd kind."

    def _name(self, id: int) -> str:
        if id >= len(self.table):
            return next((t.text for t in self.table.vocabulary.beyond if t.id == id), str(id))
        return self.table.token(id).text

    def _twin(self, kind: str, id: int) -> str:
        """Of a duplicate, the row it repeats."""
        if kind != "duplicate":
            return ""
        return f" = {self._name(next(g[0] for g in self.table.row_facts.equal_groups if id in g))}"

    def _suspicion(self) -> list[str]:
        found = self.under_trained
        if found is None:
            return ["No row can be judged for under-training."]
        references = found.indicators.references
        reasons = ", ".join(f"{count(len(ids))} {reason}" for reason, ids in references.reasons.items())
        lines = [f"Reference rows: {count(len(references))} ({reasons})." if len(references) else "No reference rows."]
        rows = [[i.title, self._said(i)] for i in found.indicators.all]
        lines += [aligned(rows, ["left", "left"], widest=110)]
        if any(i.soft_threshold is not None for i in found.indicators.telling):
            lines.append(
                "Soft threshold: the 95th percentile of what the reference rows themselves have, each against the mean of "
                "the others; a row at or below it is as near as they are."
            )
        if found.agreement:
            lines.append(_agreed(list(found.agreement.values())))
        if self.rule is not None and found.leading is not None and len(found.candidates.ids):
            lines += ["", self.rule, self._candidates_table(found.leading)]
        return [*lines, ""]

    def _said(self, indicator: health.Indicator) -> str:
        if indicator.void:
            return f"void: {indicator.void}"
        if indicator.soft_threshold is None:
            return "no row can be told by it: too few reference rows to compare with"
        assert self.under_trained is not None
        indicators = self.under_trained.indicators
        ids = np.setdiff1d(indicators.judged, indicators.references.ids)
        below = int((indicator.values[ids] <= indicator.soft_threshold).sum())
        return f"{count(below)} other rows at or below the soft threshold {number(indicator.soft_threshold)}"

    def _candidates_table(self, leading: health.Indicator) -> str:
        assert self.under_trained is not None
        total, telling = len(self.under_trained.candidates.ids), len(self.under_trained.indicators.telling)
        rows = [
            [str(c["id"]), c["text"], number(c["value"]), percent(c["share_at_or_below"]), f"{c['votes']} of {telling}"]
            for c in self.candidates(SHOWN)
        ]
        kinds = self.kinds_of(self.under_trained.candidates.ids)
        title = f"Candidates, the lowest 2 % by {leading.title}: {count(total)} rows ({kinds}); the first {len(rows)}:"
        header = ["id", "token", leading.unit, "rows at or below", "indicators that agree"]
        return title + "\n" + aligned(rows, ["right", "left", "right", "right", "right"], header)

    def _trip_line(self) -> str | None:
        trip = self.trip
        if trip is None:
            without = self.table.vocabulary.tokenizer is None
            return f"Round trip: {'the vocabulary has no tokenizer' if without else 'left out, as asked'}."
        ways = ", ".join(f"{count(n)} {way}" for way, n in trip.returned.items() if n)
        return (
            f"Round trip: of {count(trip.tried)} tokens that are text, {ways} came back; "
            f"{count(len(trip.unreachable))} never did."
        )


def health_of(
    study: Study,
    *,
    reference: str | None = None,
    only: Int64[np.ndarray, "m"] | None = None,
    trip: bool = True,
    progress: Progress | None = None,
) -> Health:
    """The health of a study's table; `reference` ids such as 6..104, `only` these rows, `trip` through the tokenizer."""
    table = study.table
    _ = study.facts  # from the cache where it is there
    output = study.output()
    judged_table = output.table if output is not None and output.table.shape[0] == len(table) else table
    given = None if reference is None else health.parse_ids(reference)
    kinds = dict(health.odd_rows(table))
    tripped = health.round_trip(table.vocabulary, progress) if trip else None
    if tripped is not None:
        kinds["unreachable"] = tripped.unreachable
    references = health.reference_rows(judged_table, given)
    judged = health.judged_rows(table, only)
    suspects = health.under_trained(judged_table, references, judged, table.row_facts.norms) if len(judged) else None
    if suspects and suspects.leading and suspects.leading.soft_threshold is not None:
        kinds["under-trained"] = suspects.below
    if only is not None:
        kinds = {kind: np.intersect1d(ids, only) for kind, ids in kinds.items()}
    ordered = {kind: kinds[kind] for kind in health.KINDS if kind in kinds}
    return Health(table, ordered, suspects, tripped, tying_of(study), None if only is None else len(only))


def new_rows(study: Study, old: Study) -> Int64[np.ndarray, "m"]:
    """Ids of tokens that the older table lacks; UsageError where there are none."""
    from armillary.geometry.two_tables import join

    joined = join(study.table.vocabulary, old.table.vocabulary)
    if not len(joined.only_a):
        raise UsageError(
            f"expected tokens that {old.provenance.source} lacks, found none in {study.provenance.source}",
            "leave --only new out to look at all rows",
        )
    return joined.only_a


def tying_of(study: Study) -> str:
    """Tied or not, by the tensors, and what that saves; one sentence."""
    provenance, report = study.provenance, study.load_report
    size = study.shape[0] * study.shape[1]
    because = f" ({report.tied_because})" if report.tied_because else ""
    if provenance.tied is None:
        return f"Tying: cannot be told{because}."
    whole = provenance.parameters
    if provenance.tied:
        share = f", {percent(size / (whole + size))} of what the model would have untied" if whole else ""
        return f"Tied: input and output are one table{because}; that saves {count(size)} parameters{share}."
    share = f", {percent(size / whole)} of the model" if whole else ""
    return f"Untied: input and output are two tables{because}; tying them would save {count(size)} parameters{share}."


def _agreed(shares: list[float]) -> str:
    """How many of their lowest rows any two indicators have in common."""
    low, high = percent(min(shares)), percent(max(shares))
    common = low if low == high else f"{low} to {high}"
    return f"Of the 2 % of rows that each indicator puts lowest, any two have {common} in common; by chance it would be 2 %."


def _shown(token: Token) -> dict[str, Any]:
    return {"id": token.id, "text": token.text, "bytes": token.bytes.hex(), "kind": token.kind.label}
