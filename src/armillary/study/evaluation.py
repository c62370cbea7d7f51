"""Evaluation sets by name or file, scored on a table; and retrieval on a corpus or on the built-in help pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.errors import UsageError
from armillary.table import Table

if TYPE_CHECKING:
    from armillary.words.evaluation_sets import EvaluationSet
    from armillary.words.retrieval import RetrievalScore

PAGE_CHARACTERS = 2_000
BUILT_IN = ("help-en", "help-zh", "help-zh-en")


def evaluate_sets(
    table: Table, names: Sequence[str], rows: int | None, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """{"similarity": […], "analogies": […], "skipped": […]}; a set that covers too little is skipped and said so."""
    from armillary.words.evaluation import evaluate_similarity
    from armillary.words.evaluation_analogies import evaluate_analogies
    from armillary.words.evaluation_sets import SETS, read_analogies, read_similarity

    wanted = names or [s.name for s in SETS if s.language == "en" and (s.kind == "similarity" or s.name == "Google")]
    result: dict[str, Any] = {"similarity": [], "analogies": [], "skipped": []}
    for name in wanted:
        path, known = _set_file(name)
        try:
            if known.kind == "analogy":
                score = evaluate_analogies(table, name, read_analogies(path, known.names), rows, progress)
                result["analogies"].append(score.to_dict())
            else:  # English sets are lower-cased, as published figures are
                pairs = read_similarity(path, known.language == "en")
                result["similarity"].append(evaluate_similarity(table, name, pairs).to_dict())
        except UsageError as error:
            if len(wanted) == 1:
                raise
            result["skipped"].append(error.message)
    return result


def _set_file(name: str) -> tuple[Path, EvaluationSet]:
    """The file of a set and what is known of it; a path of one's own is an analogy file if its first line has four
    words."""
    from armillary.catalog import data_path
    from armillary.words.evaluation_sets import SETS, EvaluationSet
    from armillary.words.lists import read_text

    for known in SETS:
        if known.name.casefold() == name.casefold():
            return data_path(f"evaluation/{known.file}"), known
    path = Path(name)
    if not path.exists():
        raise UsageError(
            f"expected an evaluation set or a file, found {name!r}", f"sets: {', '.join(s.name for s in SETS)}"
        )
    lines = [line for line in read_text(path).splitlines() if line.strip() and not line.startswith("#")]
    analogy = bool(lines) and (lines[0].startswith(":") or len(lines[0].split()) == 4)
    return path, EvaluationSet(name, str(path), "", "analogy" if analogy else "similarity")


def evaluate_retrieval(
    table: Table,
    queries: Mapping[str, str],
    corpus: Mapping[str, str],
    grades: Mapping[str, Mapping[str, float]],
    name: str,
) -> RetrievalScore:
    """Means of token rows as a search engine: recall, MRR, nDCG over a corpus."""
    from armillary.words.retrieval import retrieval, text_vectors

    asked, relevant = _asked(queries, corpus, grades)
    return retrieval(name, text_vectors(table, asked), text_vectors(table, list(corpus.values())), relevant)


def evaluate_encoder(
    model: str,
    queries: Mapping[str, str],
    corpus: Mapping[str, str],
    grades: Mapping[str, Mapping[str, float]],
    progress: Callable[[int, int], None] | None = None,
) -> RetrievalScore:
    """The same with sentence vectors of an encoder (a folder, or a named table such as demo:minilm); extra lens."""
    from armillary.study.sentences import encoder_of, sentence_vectors
    from armillary.words.retrieval import retrieval

    asked, relevant = _asked(queries, corpus, grades)
    vectors = sentence_vectors(encoder_of(model), [*asked, *corpus.values()], progress=progress)
    return retrieval(f"sentence vectors, {model}", vectors[: len(asked)], vectors[len(asked) :], relevant)


def _asked(
    queries: Mapping[str, str], corpus: Mapping[str, str], grades: Mapping[str, Mapping[str, float]]
) -> tuple[list[str], list[dict[int, float]]]:
    """Texts of the queries that have judgements, and the positions of their documents with grades."""
    places = {key: i for i, key in enumerate(corpus)}
    asked = [q for q in queries if any(d in places for d in grades.get(q, ()))]
    if not asked:
        query, judged = next(iter(grades.items()))
        raise UsageError(
            f"expected judgements of these queries and documents, found none whose ids agree; the first is of {query!r} and "
            f"{next(iter(judged))!r}",
            f"queries are {', '.join(map(repr, list(queries)[:3]))} …, documents {', '.join(map(repr, list(corpus)[:3]))} …",
        )
    relevant = [{places[d]: g for d, g in grades[q].items() if d in places} for q in asked]
    return [queries[q] for q in asked], relevant


def left_out(
    queries: Mapping[str, str], corpus: Mapping[str, str], grades: Mapping[str, Mapping[str, float]]
) -> dict[str, int]:
    """What takes no part, by name: queries without a judgement, judgements of queries or documents that are not there."""
    judged = [(q, d) for q, own in grades.items() for d in own]
    found = {
        "queries without a judgement of a document here": sum(
            not any(d in corpus for d in grades.get(q, ())) for q in queries
        ),
        "judgements of queries that are not there": sum(q not in queries for q, _ in judged),
        "judgements of documents that are not there": sum(q in queries and d not in corpus for q, d in judged),
    }
    return {name: n for name, n in found.items() if n}


def help_pages(which: str) -> tuple[dict[str, str], dict[str, str], dict[str, dict[str, float]]]:
    """(queries, corpus, judgements): the title of a help page asks for its text; `help-zh-en` asks in Chinese for
    English pages. Titles that several pages share ask for all of them."""
    if which not in BUILT_IN:
        raise UsageError(f"expected built-in pages among {', '.join(BUILT_IN)}, found {which!r}")
    asked_in, found_in = ("help-zh", "help-en") if which == "help-zh-en" else (which, which)
    asked, found = _pages(asked_in), _pages(found_in)
    corpus = {path: _without_title(page)[:PAGE_CHARACTERS] for path, page in found.items()}
    corpus = {path: text for path, text in corpus.items() if text}
    titles: dict[str, list[str]] = {}
    for path, page in asked.items():
        if path in corpus and page["title"]:
            titles.setdefault(page["title"], []).append(path)
    return {t: t for t in titles}, corpus, {t: dict.fromkeys(paths, 1.0) for t, paths in titles.items()}


def _pages(name: str) -> dict[str, dict[str, str]]:
    from armillary.catalog import data_path

    records = map(json.loads, data_path(name).read_text("utf-8").splitlines())
    return {record["path"]: record for record in records}


def _without_title(page: Mapping[str, str]) -> str:
    """A page's text with every exact repetition of its title left out, so that a query cannot find itself."""
    text = page["text"]
    return text.replace(page["title"], " ").strip() if page["title"] else text
