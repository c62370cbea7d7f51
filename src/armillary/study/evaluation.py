"""Evaluation sets by name or file, scored on a table; and retrieval on a corpus or on the built-in help pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.errors import UsageError
from armillary.table import Table

if TYPE_CHECKING:
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
        path, kind, lower = _set_file(name)
        try:
            if kind == "analogy":
                score = evaluate_analogies(table, name, read_analogies(path), rows, progress)
                result["analogies"].append(score.to_dict())
            else:
                result["similarity"].append(evaluate_similarity(table, name, read_similarity(path, lower)).to_dict())
        except UsageError as error:
            if len(wanted) == 1:
                raise
            result["skipped"].append(error.message)
    return result


def _set_file(name: str) -> tuple[Path, str, bool]:
    """The file of a set, its kind, and whether it is lower-cased (English sets are, as published figures are); a path of one's own is an analogy file if its first line has four words."""
    from armillary.catalog import data_path
    from armillary.words.evaluation_sets import SETS
    from armillary.words.lists import read_text

    for known in SETS:
        if known.name.casefold() == name.casefold():
            return data_path(f"evaluation/{known.file}"), known.kind, known.language == "en"
    path = Path(name)
    if not path.exists():
        raise UsageError(
            f"expected an evaluation set or a file, found {name!r}", f"sets: {', '.join(s.name for s in SETS)}"
        )
    lines = [line for line in read_text(path).splitlines() if line.strip() and not line.startswith("#")]
    analogy = bool(lines) and (lines[0].startswith(":") or len(lines[0].split()) == 4)
    return path, "analogy" if analogy else "similarity", False


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
    model: str, queries: Mapping[str, str], corpus: Mapping[str, str], grades: Mapping[str, Mapping[str, float]]
) -> RetrievalScore:
    """The same with sentence vectors of an encoder (a folder, or a named table such as demo:minilm); extra lens."""
    from armillary.catalog import is_named, resolve
    from armillary.words.retrieval import retrieval

    place = resolve(model) if is_named(model) else Path(model)
    folder = place if place.is_dir() else place.parent
    asked, relevant = _asked(queries, corpus, grades)
    vectors = sentence_vectors(folder, asked), sentence_vectors(folder, list(corpus.values()))
    return retrieval(f"sentence vectors, {model}", *vectors, relevant)


def _asked(
    queries: Mapping[str, str], corpus: Mapping[str, str], grades: Mapping[str, Mapping[str, float]]
) -> tuple[list[str], list[dict[int, float]]]:
    """Texts of the queries that have judgements, and the positions of their documents with grades."""
    places = {key: i for i, key in enumerate(corpus)}
    asked = [q for q in queries if q in grades]
    if not asked:
        raise UsageError("expected queries with judgements, found none whose ids agree")
    relevant = [{places[d]: g for d, g in grades[q].items() if d in places} for q in asked]
    return [queries[q] for q in asked], relevant


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


def sentence_vectors(model: Path, texts: Sequence[str], progress: Callable[[int, int], None] | None = None):
    """Sentence vectors of a Hugging Face encoder folder: the mean of its last states, 128 tokens a text."""
    from armillary.errors import MissingExtra

    try:
        import torch
        from transformers import AutoModel, AutoTokenizer
    except ImportError as error:
        raise MissingExtra("Sentence vectors", "lens") from error
    tokenizer, encoder = AutoTokenizer.from_pretrained(model), AutoModel.from_pretrained(model).eval()
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    vectors = np.zeros((len(texts), encoder.config.hidden_size))
    for start in range(0, len(order), 32):
        part = order[start : start + 32]
        batch = tokenizer([texts[i] for i in part], truncation=True, max_length=128, padding=True, return_tensors="pt")
        with torch.inference_mode():
            states = encoder(**batch).last_hidden_state
        mask = batch["attention_mask"][..., None]
        vectors[part] = ((states * mask).sum(1) / mask.sum(1)).double().numpy()
        if progress:
            progress(start + len(part), len(order))
    return vectors


def _pages(name: str) -> dict[str, dict[str, str]]:
    from armillary.catalog import data_path

    records = map(json.loads, data_path(name).read_text("utf-8").splitlines())
    return {record["path"]: record for record in records}


def _without_title(page: Mapping[str, str]) -> str:
    """A page's text with every exact repetition of its title left out, so that a query cannot find itself."""
    text = page["text"]
    return text.replace(page["title"], " ").strip() if page["title"] else text
