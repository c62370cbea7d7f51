"""The parts of the lesson where a table alone ends: one word in two sentences, and the order of words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.study.lesson.examples import Examples
from armillary.study.lesson.meaning import answers_of
from armillary.study.lesson.words import listed, readable, word_view
from armillary.study.live_lens import why_no_model

if TYPE_CHECKING:
    from armillary.study.study import Study

NEAR = 12


def bank(study: Study, examples: Examples) -> dict[str, Any]:
    """The one row of an ambiguous word, its neighbours, and why no model can tell its contexts apart (empty: one can)."""
    (word,) = readable(study, [examples.ambiguous])
    near = study.neighbors(examples.ambiguous, NEAR)
    return {
        "word": word_view(word),
        "contexts": list(examples.contexts),
        "near": listed(study, [t.id for t in near.tokens], near.values),
        "searched": len(study.code),
        "why_no_model": why_no_model(study),
    }


def lens(study: Study, examples: Examples) -> dict[str, Any]:
    """What rows answer straight from the table (layer 0), a prompt, and why no model can read its layers."""
    return {
        "words": answers_of(study, examples),
        "prompt": examples.prompt,
        "why_no_model": why_no_model(study),
    }


def order(study: Study, examples: Examples) -> dict[str, Any]:
    """The rows of three words, so that their mean can be taken in any order."""
    words = readable(study, examples.order)
    return {
        "words": [word_view(word) for word in words],
        "rows": [np.asarray(word.vector, np.float64).tolist() for word in words],
    }
