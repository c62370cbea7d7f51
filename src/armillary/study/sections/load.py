"""What was read, what contradicts what, and the rows that need attention."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from armillary.answer import count, percent
from armillary.geometry.health import spoken
from armillary.report import Column, Finding, Headline, Section, TableData
from armillary.study.info import info_of
from armillary.study.sections.part import Part, named, table_of, twins
from armillary.table import OUTSIDE, Kind

if TYPE_CHECKING:
    from armillary.study.study import Study

NEEDS_SCAN = False
LISTED_GROUPS = 50

ID = "load"


def compose(study: Study, scanned: bool) -> Part:
    """The load report, with the rows that need attention."""
    odd = rows_that_need_attention(study)
    attention = Headline(
        label="rows that need attention",
        value=count(sum(len(ids) for ids in odd.values())),
        note=_attention_note(study, odd),
    )
    rows, width = study.shape
    size = Headline(label="rows × width", value=f"{count(rows)} × {count(width)}", note=_stored(study))
    section = Section(
        id=ID,
        title="What was read",
        sentences=_sentences(study),
        tables=[*_attention_table(study, odd), *_groups_table(study), _facts_table(study)],
        how="Header facts come from the file's header alone; row facts from one pass over the decoded rows. Rows are "
        "equal when their decoded values are (−0 counts as 0). Where a claim (a header count, a config flag, a file "
        "name) and the bytes differ, the bytes are believed.",
    )
    return Part(section, findings=tuple(_findings(study, odd)), headlines={0: size, 3: attention})


def rows_that_need_attention(study: Study) -> dict[str, np.ndarray]:
    """Ids by reason, each id under the first that holds: no-token, outside float32, zero, non-finite, duplicate (not first of its group)."""
    facts = study.facts
    doubles = np.array([i for group in facts.equal_groups for i in group[1:]], np.int64)
    reasons = {
        "no-token": np.flatnonzero(study.table.vocabulary.kinds == Kind.NO_TOKEN),
        OUTSIDE: facts.outside,
        "zero": facts.zero,
        "non-finite": facts.non_finite,
        "duplicate": np.sort(doubles),
    }
    seen = np.zeros(len(study.table), bool)
    found: dict[str, np.ndarray] = {}
    for reason, ids in reasons.items():
        found[reason] = ids[~seen[ids]]
        seen[ids] = True
    return found


def _attention_note(study: Study, odd: dict[str, np.ndarray]) -> str:
    """What the number is made of, and beside it those that are suspected alone, as `health` and its section list them."""
    told = ", ".join(f"{count(len(ids))} {spoken(name)}" for name, ids in odd.items() if len(ids))
    suspects = study.soundness.kinds.get("under-trained", ())
    suspected = (
        f"; a suspicion beside them: {count(len(suspects))} {'looks' if len(suspects) == 1 else 'look'} under-trained"
        if len(suspects)
        else ""
    )
    return f"{told or 'none is zero, broken, nameless or double'}{suspected}"


def _stored(study: Study) -> str:
    p = study.provenance
    share = info_of(study.table).share
    return f"{p.stored}, {percent(share)} of the model's parameters" if share and share < 1 else f"stored as {p.stored}"


def _sentences(study: Study) -> list[str]:
    report, p = study.load_report, study.provenance
    tied = {True: "one table serves as input and output", False: "input and output are two tables", None: ""}[p.tied]
    sentences = [
        f"{count(study.shape[0])} rows of {count(study.shape[1])} numbers, stored as {p.stored}, read as {report.format}.",
        f"By the file, {tied} ({report.tied_because})." if tied and report.tied_because else "",
        _contradicted(len(report.contradictions)),
    ]
    return [sentence for sentence in sentences if sentence]


def _contradicted(claims: int) -> str:
    if not claims:
        return "Nothing in the file contradicts its bytes."
    return f"{count(claims)} {'claim of the file contradicts' if claims == 1 else 'claims of the file contradict'} its bytes."


def _facts_table(study: Study) -> TableData:
    report = study.load_report
    facts = [
        ("format", report.format),
        ("tensor", report.tensor),
        ("files read", ", ".join(report.files_read)),
        ("files ignored", ", ".join(report.files_ignored)),
        ("stored as", report.stored),
        *_token_facts(study),
        ("input and output", report.tied_because),
        *(("contradiction", claim) for claim in report.contradictions),
        *(("note", note) for note in report.notes),
    ]
    columns = [Column(name="fact", label="fact"), Column(name="found", label="found")]
    return table_of("load-facts", "Everything the header says", columns, [list(f) for f in facts if f[1]])


def _token_facts(study: Study) -> list[tuple[str, str]]:
    report = study.load_report
    if study.table.vocabulary.named_by_id:
        return [("tokens", f"none; rows are named by their ids, #0 … #{len(study.table) - 1}")]
    return [
        ("tokens", count(report.tokens)),
        ("rows without a token", count(report.padded_rows)),
        ("tokens without a row", count(report.tokens_without_row)),
        ("names that occur twice", count(report.duplicate_names)),
    ]


def _attention_table(study: Study, odd: dict[str, np.ndarray]) -> list[TableData]:
    if not any(len(ids) for ids in odd.values()):
        return []
    columns = [
        Column(name="reason", label="reason"),
        Column(name="rows", label="rows", form="count"),
        Column(name="share", label="share", form="percent"),
        Column(name="tokens", label="tokens"),
    ]
    rows = [
        [
            spoken(reason),
            len(ids),
            len(ids) / len(study.table),
            twins(study, ids) if reason == "duplicate" else named(study.table, ids),
        ]
        for reason, ids in odd.items()
        if len(ids)
    ]
    return [table_of("attention", "Rows that need attention", columns, rows)]


def _groups_table(study: Study) -> list[TableData]:
    groups = sorted(study.facts.equal_groups, key=lambda group: (-len(group), group[0]))
    if not groups:
        return []
    columns = [
        Column(name="rows", label="rows", form="count"),
        Column(name="first_id", label="first id", form="id"),
        Column(name="tokens", label="tokens"),
    ]
    rows = [[len(group), group[0], named(study.table, group, 8)] for group in groups[:LISTED_GROUPS]]
    note = f"The {LISTED_GROUPS} largest of {count(len(groups))} groups." if len(groups) > LISTED_GROUPS else ""
    return [
        table_of(
            "equal-groups",
            f"{count(len(groups))} {'group' if len(groups) == 1 else 'groups'} of equal rows",
            columns,
            rows,
            note,
        )
    ]


def _findings(study: Study, odd: dict[str, np.ndarray]) -> Iterator[Finding]:
    total = len(study.table)
    for claim in study.load_report.contradictions:
        yield Finding(text=f"{claim.rstrip('.')}.", section=ID, weight=0.9, tone="bad")
    sentences = {  # of one row, of several
        OUTSIDE: ("lies", "lie", f"{OUTSIDE}, left out of every measurement until the table is scaled", 1.0),
        "non-finite": ("holds", "hold", "a value that is NaN or infinite; left out of every measurement", 1.0),
        "zero": ("is", "are", "zero without a direction; left out of every measurement", 0.8),
        "duplicate": (
            "equals",
            "equal",
            "another row in every number: no layer above can tell those tokens apart",
            0.75,
        ),
        "no-token": ("has", "have", "no token: padding, left out of every measurement", 0.4),
    }
    for reason, (one, several, text, weight) in sentences.items():
        ids = odd[reason]
        if len(ids):
            counted = f"{count(len(ids))} of {count(total)} rows ({percent(len(ids) / total)})"
            shown = twins(study, ids) if reason == "duplicate" else named(study.table, ids)
            yield Finding(
                text=f"{counted} {one if len(ids) == 1 else several} {text}: {shown}.",
                section=ID,
                weight=weight,
                tone="bad" if reason != "no-token" else "plain",
            )
    if not any(len(ids) for ids in odd.values()):
        yield Finding(
            text="Every row has a token and a direction, and no two rows are equal.",
            section=ID,
            weight=0.3,
            tone="good",
        )
