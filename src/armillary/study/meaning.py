"""Why this table is no ideal code, composed for a study: frequency, script and case against norm, axis and neighbours.

What needs word frequencies or scripts needs the extra `words`; neighbours come from a finished scan alone.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.answer import Answer
from armillary.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from armillary.study.study import Study
    from armillary.words.frequencies import Frequencies
    from armillary.words.meaning import FrequencyTrend, SameShare
    from armillary.words.readability import Probe, SelfReadout


@dataclass(frozen=True, repr=False)
class Meaning(Answer):
    """`trends`: norm and first component against log frequency, over all tokens known and by script; `shares`: of the
    nearest neighbours of the same script, frequency decile or case, beside chance (empty without a finished scan)."""

    frequency_source: str
    known: int
    trends: tuple[FrequencyTrend, ...]
    shares: tuple[SameShare, ...]

    def __str__(self) -> str:
        lines = [
            f"{t.quantity} against log frequency, {t.script}: ρ = {t.rho:+.3f} over {t.tokens:,} tokens"
            for t in self.trends
        ]
        lines += [f"neighbours of the same {s.label}: {s.share:.1%}, by chance {s.chance:.1%}" for s in self.shares]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        return {
            "frequency_source": self.frequency_source,
            "known": self.known,
            "trends": [asdict(t) for t in self.trends],
            "shares": [asdict(s) for s in self.shares],
        }


@dataclass(frozen=True, repr=False)
class Readability(Answer):
    """Held-out accuracy of linear probes beside shuffled labels, and how often an output row answers to its token."""

    probes: tuple[Probe, ...]
    readout: SelfReadout

    def __str__(self) -> str:
        lines = [f"{p.name}: {p.accuracy:.1%} held out, shuffled {p.shuffled:.1%}" for p in self.probes]
        return "\n".join([*lines, f"argmax returns the token itself: {self.readout.share:.1%}"])

    def to_dict(self) -> dict[str, Any]:
        return {"probes": [p.to_dict() for p in self.probes], "readout": self.readout.to_dict()}


def meaning_of(study: Study, frequencies: Frequencies | None = None) -> Meaning:
    """Norm, axis and neighbours against frequency, script and case; MissingExtra without the extra `words`."""
    from armillary.words.frequencies import word_frequencies
    from armillary.words.meaning import cases, frequency_trends, same_share
    from armillary.words.scripts import scripts

    vocabulary = study.table.vocabulary
    known = frequencies or word_frequencies(vocabulary)
    script_of = scripts(vocabulary)
    trends = tuple(frequency_trends(study.table, known.log, script_of))
    shares: list[SameShare] = []
    scan = study.finished_scan()
    if scan is not None and scan.k:
        labels = {"script": (script_of, script_of != "Unknown"), "case": (case := cases(vocabulary), case != "")}
        labels["frequency decile"] = known.deciles, known.deciles > 0
        shares = [
            same_share(name, scan.ids, scan.neighbors, of, sure) for name, (of, sure) in labels.items() if sure.any()
        ]
    return Meaning(known.source, known.known, trends, tuple(shares))


def readability_of(study: Study, language: str) -> Readability:
    """Probes for category, number, script and case where the vocabulary has two of each, and the tied read-out."""
    from armillary.words.readability import probe, self_readout

    probes: list[Probe] = []
    for name, ids, labels in _labelled(study, language):
        try:
            probes.append(probe(study.table, name, ids, labels))
        except UsageError:
            continue  # fewer than two labels with four rows each: this table cannot be asked
    return Readability(tuple(probes), self_readout(study.table))


def _labelled(study: Study, language: str) -> list[tuple[str, np.ndarray, list[str]]]:
    """(name, ids, labels) of everything a probe may be trained on."""
    from armillary.words.lists import shipped
    from armillary.words.meaning import cases
    from armillary.words.scripts import scripts
    from armillary.words.word import try_single_id

    table = study.table
    listed = [("category", word, s.name) for s in shipped("categories", language) for word in s.words]
    plural = [s for s in shipped("sets", language) if s.name == "plural"]
    listed += [
        ("number", word, side) for s in plural for p in s.pairs for word, side in zip(p, ("one", "many"), strict=True)
    ]
    found = [(kind, id, label) for kind, word, label in listed if (id := try_single_id(table, word)) is not None]
    asked = []
    for name in ("category", "number"):
        of = {id: label for kind, id, label in found if kind == name}
        asked.append((name, np.array(list(of), np.int64), list(of.values())))
    every = {"case": cases(table.vocabulary)}
    with suppress(MissingExtra):
        every["script"] = scripts(table.vocabulary)
    for name, of in every.items():
        ids = np.flatnonzero((of != "") & (of != "Unknown") & (of != "Common"))
        asked.append((name, ids, of[ids].tolist()))
    return asked
