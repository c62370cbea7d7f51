"""Search for tokens by text, by id, or by bytes: what a person types into a search box."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from armillary.table import Kind

if TYPE_CHECKING:
    from armillary.study.study import Study

_BYTES = re.compile(r"(?:\\x[0-9A-Fa-f]{2})+")


def search_tokens(study: Study, text: str, limit: int = 12) -> list[int]:
    """Ids of the tokens that a text may mean, at most `limit`: those that spell it, the id it is, then those that begin with it.

    `\\xE4\\xBA` means bytes. Within a group by id.
    """
    vocabulary = study.table.vocabulary
    if _BYTES.fullmatch(text):
        raw = bytes.fromhex(text.replace("\\x", ""))
        return list(dict.fromkeys([*vocabulary.find(raw), *_beginning(study, raw, limit)]))[:limit]
    found = vocabulary.find(text)
    if text.isdecimal() and int(text) < len(vocabulary):
        found.append(int(text))
    if len(found) < limit:
        found += _beginning(study, text.encode("utf-8", "surrogateescape"), limit)
    return list(dict.fromkeys(found))[:limit]


def _beginning(study: Study, raw: bytes, limit: int) -> list[int]:
    vocabulary = study.table.vocabulary
    starts = (raw, b" " + raw)
    found: list[int] = []
    for id, token in enumerate(vocabulary.raw):
        if token.startswith(starts) and vocabulary.kinds[id] != Kind.NO_TOKEN:
            found.append(id)
            if len(found) == limit:
                break
    return found
