"""The parts of the lesson about words: one-hot and lookup, length, the ladder, analogies, one table for two ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.errors import UsageError
from armillary.study.lesson.examples import Examples
from armillary.study.lesson.words import cosine_matrix, listed, readable, to_every_row, word_view
from armillary.words.cosines import first
from armillary.words.lists import shipped
from armillary.words.word import try_word

if TYPE_CHECKING:
    from armillary.study.study import Study
    from armillary.words.word import Word

SHOWN, BEST, LONG, PAIRS_SHOWN = 4, 5, 50, 5
STEPS = 21  # places between the base word and the whole arithmetic
READ_BACK, PRODUCTS = 500, 16_000_000  # rows sampled for how often a row answers to itself; fewer in a larger table


def onehot(study: Study, examples: Examples) -> dict[str, Any]:
    """The lookup of a sentence beside the same as a product, and three words' cosines."""
    total, width = study.shape
    found = study.lookup(examples.sentence, one_hot=True)
    assert found.one_hot is not None
    three = readable(study, examples.three)
    return {
        "rows": total,
        "width": width,
        "sentence": found.text,
        "how": found.how,
        "tokens": study.token_views([t.id for t in found.tokens]),
        "values": found.rows[:, :SHOWN].astype(np.float64).tolist(),
        "equal": found.one_hot.equal,
        "rows_in_product": found.one_hot.rows_in_product,
        "three": [word_view(word) for word in three],
        "cosines": cosine_matrix(three),
    }


def length(study: Study, examples: Examples) -> dict[str, Any]:
    """For each example word its ten nearest by cosine and by dot product, and the first fifty products."""
    words = []
    for text in examples.words:
        try:
            near, long = study.neighbors(text, 10), study.neighbors(text, LONG, "dot")
        except UsageError:
            continue  # this table does not have the word
        words.append(
            {
                "text": text,
                "norm": near.norm,
                "note": near.word_note,
                "cosine": listed(study, [t.id for t in near.tokens], near.values),
                "dot": listed(study, [t.id for t in long.tokens], long.values),
                "shared": len({t.id for t in near.tokens} & {t.id for t in long.tokens[:10]}),
            }
        )
    if not words:
        raise UsageError(f"expected one of {', '.join(examples.words)} in this table, found none")
    return {"words": words, "searched": len(study.code)}


def ladder(study: Study, examples: Examples) -> dict[str, Any]:
    """The measured ladder with a few pairs of each rung, and the mean and spread of random pairs beside it."""
    around = study.background
    found = study.ladder(examples.language).to_dict()
    named = {section.name: section.pairs for section in shipped("ladder", examples.language)}
    named["identical"] = tuple((a, a) for a, _ in named["synonym"])
    for rung in found["rungs"]:
        rung["examples"] = _some_pairs(study, named[rung["name"]])
    null = (
        None if around is None else {"mean": around.mean, "sd": around.sd, "pairs": around.pairs, "kind": around.kind}
    )
    return {**found, "random": null}


def _some_pairs(study: Study, pairs: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """The first few pairs that this table spells, those of single tokens before others, each with its cosine."""
    spelled = [(try_word(study.table, a), try_word(study.table, b)) for a, b in pairs]
    known = [(a, b) for a, b in spelled if a is not None and b is not None]
    few = sorted(known, key=lambda pair: len(pair[0].ids) + len(pair[1].ids))[:PAIRS_SHOWN]
    return [{"a": a.text, "b": b.text, "value": cosine_matrix([a, b])[0][1]} for a, b in few]


def analogies(study: Study, examples: Examples) -> dict[str, Any]:
    """base + t·(plus − minus) for t from 0 to 1: the first rows, and the rank of the expected answer at each."""
    found, missing = [], []
    for question in examples.analogies:
        try:
            words = readable(study, question)
        except UsageError:
            missing.append(" ".join(question))
            continue
        found.append(_walk(study, words))
    if not found:
        raise UsageError(f"expected the words of one analogy in this table, found none of {'; '.join(missing)}")
    return {"questions": found, "rows": len(study.code), "missing": missing}


def _walk(study: Study, words: Sequence[Word]) -> dict[str, Any]:
    base, minus, plus, answer = words
    to_rows = to_every_row(study, words[:3])
    between = cosine_matrix(words)
    inputs = {i for word in words[:3] for i in word.ids} - ({answer.ids[0]} if answer.is_single else set())
    return {
        "base": base.text,
        "minus": minus.text,
        "plus": plus.text,
        "answer": word_view(answer),
        "inputs": sorted(inputs),
        "parallel": _parallel(words),
        "steps": [_at(study, to_rows, between, t / (STEPS - 1), inputs, answer) for t in range(STEPS)],
    }


def _at(
    study: Study, to_rows: np.ndarray, between: list[list[float]], t: float, inputs: set[int], answer: Word
) -> dict[str, Any]:
    """Cosines of u_base + t(u_plus − u_minus) follow from those of the three words: the sum is linear."""
    weights = np.array([1.0, -t, t])
    size = float(np.sqrt(weights @ np.array(between)[:3, :3] @ weights))
    with np.errstate(invalid="ignore"):
        scores = np.where(to_rows[0] > -np.inf, weights @ np.where(np.isfinite(to_rows), to_rows, 0.0) / size, -np.inf)
    goal = float(weights @ np.array(between)[:3, 3] / size)
    if answer.is_single:
        goal = float(scores[answer.ids[0]])
    ahead = scores > goal
    kept = int(ahead.sum()) + 1
    places = first(scores, BEST + len(inputs))
    return {
        "t": t,
        "cosine": goal,
        "kept": kept,
        "removed": kept - int(sum(ahead[i] for i in inputs)),
        "first": listed(study, places.tolist(), scores[places].tolist()),
    }


def _parallel(words: Sequence[Word]) -> float:
    """cos(plus − minus, answer − base) of the raw rows."""
    base, minus, plus, answer = (word.vector.astype(np.float64) for word in words)
    there, here = plus - minus, answer - base
    return float(there @ here / (np.linalg.norm(there) * np.linalg.norm(here)))


def tied(study: Study, examples: Examples) -> dict[str, Any]:
    """Whether the output reads the same rows, and how often a row's largest product is with its own row."""
    from armillary.words.readability import self_readout

    other = study.output()
    output = other or study
    read = self_readout(study.table, output.table, min(READ_BACK, max(50, PRODUCTS // len(output.table))))
    return {
        "tied": study.provenance.tied,
        "separate": other is not None,
        "share": read.share,
        "error": read.error,
        "sampled": read.rows,
        "words": answers_of(study, examples),
        "parameters": study.shape[0] * study.shape[1],
    }


def answers_of(study: Study, examples: Examples) -> list[dict[str, Any]]:
    """For each example word the rows of the output table with the largest products with its row."""
    output, words = study.output() or study, []
    for text in examples.words:
        try:
            (word,) = readable(study, [text])
        except UsageError:
            continue  # this table does not have the word
        near = output.neighbors(word.vector, BEST, "dot")
        words.append({**word_view(word), "first": listed(output, [t.id for t in near.tokens], near.values)})
    return words
