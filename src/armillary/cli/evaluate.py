"""`armillary evaluate`: word-similarity, analogy and retrieval scores with coverage and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens

if TYPE_CHECKING:
    from armillary.study.study import Study
    from armillary.words.retrieval import RetrievalScore


def command(
    model: Model,
    sets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SET…",
            help="Sets by name (WS353, SimLex, Google …), or files; all English similarity sets and Google by default.",
        ),
    ] = None,
    rows: Annotated[int | None, typer.Option(min=1, help="Analogies over the first rows alone.")] = None,
    retrieval: Annotated[
        tuple[Path, Path, Path] | None,
        typer.Option(
            metavar="CORPUS QUERIES QRELS", help="Retrieval instead, on files of yours: texts, texts, judgements."
        ),
    ] = None,
    help_pages: Annotated[
        str, typer.Option(metavar="help-en|help-zh|help-zh-en", help="Retrieval on the built-in help pages.")
    ] = "",
    against: Annotated[
        str, typer.Option(metavar="MODEL", help="Sentence vectors of this encoder beside (extra lens): demo:minilm.")
    ] = "",
    tensor: Tensor = None,
    tokens: Tokens = None,
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:
    """Score a table on word similarity, analogies, retrieval.

    MEN, WS353, SimLex, …, Google; every rank convention, coverage, intervals. CORPUS and QUERIES hold a text a line, as
    JSON with an id and a text or as id, tab, text; QRELS holds query, document and grade in each line (BEIR's and TREC's
    files are such)."""
    from armillary.cli.opening import open
    from armillary.cli.output import show
    from armillary.cli.progress import progress

    study = open(model, tensor=tensor, tokens=tokens, cache=not no_cache)
    if retrieval or help_pages:
        scores, unused = _retrieval(study, retrieval, help_pages, against)
        result: dict[str, Any] = {"retrieval": [s.to_dict() for s in scores], "left_out": unused}
        show("evaluate", study, result, _retrieval_text(scores, unused), json)
        return
    with progress("evaluating") as advance:
        result = study.evaluate(sets or (), rows=rows, progress=advance)
    show("evaluate", study, result, _text(result), json)


def _text(result: dict[str, Any]) -> str:
    from armillary.answer import number, percent
    from armillary.cli.output import table
    from armillary.cli.word_lines import left_then_right

    parts = []
    if result["similarity"]:
        rows = [
            [
                s["name"],
                f"{s['spearman']:.3f}",
                f"{s['low']:.3f} … {s['high']:.3f}",
                f"{s['covered']} of {s['pairs']}",
                str(s["single"]),
            ]
            for s in result["similarity"]
        ]
        header = ["set", "Spearman", "95 % interval", "covered", "single tokens"]
        parts.append(table(rows, left_then_right(4), header))
    for analogies in result["analogies"]:
        header = ["relation", "covered", "kept", "inputs removed", "variants removed", "baseline", "of all", "MRR"]
        rows = [
            [r["name"], f"{r['covered']} of {r['questions']}"]
            + [percent(r[n]) for n in ("kept", "removed", "variants_removed", "baseline", "of_all")]
            + [number(r["mrr"])]
            for r in (*analogies["relations"], analogies["total"])
        ]
        parts.append(f"{analogies['name']}, first places over {analogies['rows']:,} rows")
        parts.append(table(rows, left_then_right(7), header))
    parts += [f"Left out: {message}." for message in result["skipped"]]
    return "\n\n".join(parts)


def _retrieval(
    study: Study, files: tuple[Path, Path, Path] | None, pages: str, against: str
) -> tuple[list[RetrievalScore], dict[str, int]]:
    from armillary.cli.progress import progress
    from armillary.study import evaluation as e
    from armillary.words.retrieval import read_corpus, read_relevance

    if files:
        corpus, queries, grades = read_corpus(files[0]), read_corpus(files[1]), read_relevance(files[2])
    else:
        queries, corpus, grades = e.help_pages(pages)
    scores = [
        e.evaluate_retrieval(study.table, queries, corpus, grades, f"mean of token rows, {study.provenance.source}")
    ]
    if against:
        with progress("encoding", "texts") as advance:
            scores.append(e.evaluate_encoder(against, queries, corpus, grades, advance))
    return scores, e.left_out(queries, corpus, grades)


def _retrieval_text(scores: Sequence[RetrievalScore], unused: dict[str, int]) -> str:
    from armillary.answer import count, number, percent
    from armillary.cli.output import table
    from armillary.cli.word_lines import left_then_right

    header = ["vectors", "recall@1", "@5", "@10", "@100", "MRR", "nDCG@10"]
    rows = [
        [
            s.name,
            *(percent(s.recall[k].value) for k in (1, 5, 10, 100)),
            number(s.mrr.value),
            f"{s.ndcg.value:.3f} ({s.ndcg.low:.3f} … {s.ndcg.high:.3f})",
        ]
        for s in scores
    ]
    first = scores[0]
    chance = ", ".join(f"@{k} {percent(v)}" for k, v in first.chance.items())
    told = [f"{_many(first.queries, 'query')}, {_many(first.documents, 'document')}. A random order finds: {chance}."]
    if any(first.blank):
        blank = f"{_many(first.blank[0], 'query')} and {_many(first.blank[1], 'document')}"
        told.append(f"Without any word of this table, so near to nothing: {blank}.")
    if unused:
        told.append(f"Left out: {', '.join(f'{name} {count(n)}' for name, n in unused.items())}.")
    return "\n".join([table(rows, left_then_right(6), header), "", *told])


def _many(n: int, name: str) -> str:
    return f"{n:,} {name if n == 1 else {'query': 'queries'}.get(name, name + 's')}"
