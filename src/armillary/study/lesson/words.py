"""A word of the lesson as JSON, and the cosines of a few of them to every row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.words.cosines import cosines_between, cosines_to
from armillary.words.word import Word, read_word

if TYPE_CHECKING:
    from armillary.study.study import Study


def readable(study: Study, texts: Sequence[str]) -> list[Word]:
    """The words in order; UsageError for one that the table does not have."""
    return [read_word(study.table, text) for text in texts]


def word_view(word: Word) -> dict[str, Any]:
    """A word with its id where it is one row (else None), its length, and the note that says what was pooled."""
    return {
        "text": word.text,
        "id": word.ids[0] if word.is_single else None,
        "ids": list(word.ids),
        "tokens": len(word.ids),
        "norm": word.norm,
        "note": word.note,
    }


def cosine_matrix(words: Sequence[Word]) -> list[list[float]]:
    """Cosines of all pairs of these words."""
    rows = np.stack([word.vector for word in words])
    return cosines_between(rows, rows).tolist()


def to_every_row(study: Study, words: Sequence[Word]) -> np.ndarray:
    """(m, V) cosines of the words to all rows, −inf for a row without a direction."""
    return cosines_to(study.table, np.stack([word.vector for word in words]))


def listed(study: Study, ids: Sequence[int], values: Sequence[float]) -> list[dict[str, Any]]:
    """Rows with a value each."""
    views = study.token_views(list(ids))
    return [{"id": v["id"], "text": v["text"], "value": float(x)} for v, x in zip(views, values, strict=True)]
