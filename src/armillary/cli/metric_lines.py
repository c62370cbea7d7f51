"""The three metrics side by side as text: what `neighbors --compare-metrics` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armillary.answer import cosine, count, number, percent
from armillary.cli.output import table
from armillary.cli.word_lines import left_then_right

if TYPE_CHECKING:
    from armillary.words.metrics import Metrics


def metric_lines(found: Metrics) -> str:
    """Neighbours of each word, overlap, hubs, the identity on unit rows, and synonyms of unequal length."""
    parts = [_nearest(found, text) for text in found.neighbors]
    parts += [_overlap(found), _hubs(found)]
    parts.append(
        f"On unit rows the squared distance is 2 − 2 cosine: the largest deviation is {found.identity_error:.1e}."
    )
    return "\n\n".join([*parts, *_unequal(found)])


def _nearest(found: Metrics, text: str) -> str:
    by = found.neighbors[text]
    cells = [[f"{near} {number(value)}" for _, near, value in rows] for rows in by.values()]
    body = table([list(row) for row in zip(*cells, strict=True)], ["left" for _ in by], list(by))
    shared = ", ".join(f"{pair} {percent(share)}" for pair, share in found.word_overlap[text].items())
    return f"{text}, raw space, exact over all {count(found.rows)} rows\n{body}\nShared: {shared}."


def _overlap(found: Metrics) -> str:
    rows = [[pair, percent(share)] for pair, share in found.overlap.items()]
    return f"Overlap of the {found.k} nearest, {count(found.queries)} rows drawn\n" + table(rows, left_then_right(1))


def _hubs(found: Metrics) -> str:
    rows = [
        [metric, ", ".join(f"{hub.text} {count(hub.occurrence)}" for hub in hubs)]
        for metric, hubs in found.hubs.items()
    ]
    lines = [
        f"Largest hubs: among the {found.k} nearest of how many of them",
        table(rows, ["left", "left"], widest=100),
    ]
    if found.hub_deciles is None:
        return "\n".join([*lines, "By frequency decile: not known; the extra words brings word frequencies."])
    shares = [[metric, *map(percent, by)] for metric, by in found.hub_deciles.items()]
    lines.append("Share of occurrences by frequency decile, 10 the most frequent; 10 % each by chance")
    return "\n".join([*lines, table(shares, left_then_right(10), ["", *map(str, range(1, 11))])])


def _unequal(found: Metrics) -> list[str]:
    if not found.unequal:
        return []
    header = ["synonyms of most unequal norm", "norms", "cosine", "Euclidean"]
    rows = [
        [f"{p.a} – {p.b}", f"{number(p.norm_a)}, {number(p.norm_b)}", cosine(p.cosine), number(p.euclidean)]
        for p in found.unequal
    ]
    return [table(rows, left_then_right(3), header)]
