"""The kinds of row that need attention and can be told without judgement: each row or token is, or is not, one.

A row may be of several kinds; each is listed under all of them, because each has its own cure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from armillary.measure import Definition, Measure
from armillary.table import Kind, Table

Ids: TypeAlias = np.ndarray  # int64 (m)

# kind -> why it needs attention
KINDS: dict[str, str] = {
    "non-finite": "a number of the row is NaN or infinite; whatever reads it becomes NaN",
    "zero": "the row is zero and has no direction; the token cannot be told from silence",
    "duplicate": "the row equals an earlier one in every number; no layer above can tell the tokens apart",
    "token without a row": "the tokenizer can produce an id that the table does not have; the model fails on it",
    "hole": "no token has this id although later ids have one; the row is never read",
    "padded": "the row lies past the last token; it is never read",
    "unreachable": "decoding the token and encoding the text does not give it back; the tokenizer never produces it alone",
    "undecodable": "the token's bytes are no UTF-8 by themselves: part of a character, normal for byte-level vocabularies",
    "under-trained": "the row lies as near to rows that no text can train as those lie to one another",
}

_TITLES = {"non-finite": "Rows with NaN or infinity", "token without a row": "Tokens without a row", "hole": "Holes"}
_SPOKEN = {"non-finite": "NaN or infinite"}


def spoken(kind: str) -> str:
    """A kind as sentences and tables name it; the key itself is the published one."""
    return _SPOKEN.get(kind, kind)


def odd_rows(table: Table) -> dict[str, Ids]:
    """Ids by kind, ascending, for the kinds that need no judgement and no tokenizer; empty ones included.

    `token without a row` lists ids beyond the table.
    """
    vocabulary, facts = table.vocabulary, table.row_facts
    nameless = np.flatnonzero(vocabulary.kinds == Kind.NO_TOKEN)
    named = np.flatnonzero(vocabulary.kinds != Kind.NO_TOKEN)
    end = int(named[-1]) + 1 if len(named) else 0
    repeated = [i for group in facts.equal_groups for i in sorted(group)[1:]]
    return {
        "non-finite": facts.non_finite.astype(np.int64),
        "zero": facts.zero.astype(np.int64),
        "duplicate": np.array(sorted(repeated), np.int64),
        "token without a row": np.array(sorted(token.id for token in vocabulary.beyond), np.int64),
        "hole": nameless[nameless < end].astype(np.int64),
        "padded": nameless[nameless >= end].astype(np.int64),
        "undecodable": _undecodable(table),
    }


def _undecodable(table: Table) -> Ids:
    text = np.flatnonzero(table.vocabulary.kinds != Kind.BYTE).tolist()  # one comparison: of single numbers it is slow
    return np.array([i for i in text if not _is_utf8(table.vocabulary.raw[i])], np.int64)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _definition(kind: str) -> Definition:
    return Definition(
        name=measure_name(kind),
        title=_TITLES.get(kind, f"{spoken(kind)[0].upper()}{spoken(kind)[1:]} rows"),
        formula=f"number of rows or tokens of the kind {spoken(kind)}",
        meaning=f"{KINDS[kind][0].upper()}{KINDS[kind][1:]}.",
        source="Land & Bartolo 2024" if kind in ("unreachable", "undecodable", "under-trained") else "elementary",
        space="raw rows as stored",
        unit="rows",
        low=0.0,
    )


def measure_name(kind: str) -> str:
    """The name of the measure that counts a kind: `zero_rows`, `token_without_a_row_rows` …"""
    return f"{kind.replace('-', '_').replace(' ', '_')}_rows"


DEFINITIONS: tuple[Definition, ...] = tuple(_definition(kind) for kind in KINDS)


def health_measures(found: Mapping[str, Ids], rows: int) -> list[Measure]:
    """How many rows are of each kind that was looked for, as measures; `rows`: of the table."""
    return [
        Measure(definition, float(len(found[kind])), rows)
        for kind, definition in zip(KINDS, DEFINITIONS, strict=True)
        if kind in found
    ]
