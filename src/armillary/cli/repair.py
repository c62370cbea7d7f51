"""`armillary repair`: make a table rounder, with the proof of what that bought and what it cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armillary.cli.options import AsJson, Model, NoCache, Tensor, Tokens, Without, kinds, seed_option

if TYPE_CHECKING:
    from armillary.study import Study


def command(
    model: Model,
    method: Annotated[str, typer.Option(metavar="NAME", help="centre, zipf-centre, all-but-the-top, whiten, zipf-whiten, standardise, conceptor, or contrastive.")] = "all-but-the-top",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The repaired table (.safetensors); the map goes beside it.")] = None,
    compare: Annotated[bool, typer.Option("--compare", help="Run every method and print them side by side.")] = False,
    no_proof: Annotated[bool, typer.Option("--no-proof", help="Fit and write only; measure nothing.")] = False,
    components: Annotated[int | None, typer.Option(metavar="D", help="Components that all-but-the-top removes; by default max(1, round(d/100)).")] = None,
    uncentred: Annotated[bool, typer.Option("--uncentred", help="all-but-the-top: project the rows before centring.")] = False,
    k: Annotated[int | None, typer.Option("-k", "--keep", metavar="K", help="Components that a whitening keeps; all that vary by default.")] = None,
    aperture: Annotated[float | None, typer.Option(metavar="A", help="Aperture α of the conceptor; 2 by default.")] = None,
    pairs: Annotated[str, typer.Option(metavar="variants|neighbours|FILE", help="Pairs for the contrastive repair.")] = "variants",
    hidden: Annotated[int, typer.Option(metavar="H", min=0, help="Hidden units of the contrastive map; 0 is linear.")] = 0,
    seed: Annotated[int, seed_option("of the contrastive training")] = 0,
    corpus: Annotated[Path | None, typer.Option(metavar="FILE", help="A text whose tokens give the frequencies of the Zipf repairs; word lists by default.")] = None,
    queries: Annotated[Path | None, typer.Option(metavar="FILE", help="Vectors of queries (npy, Parquet) where MODEL is documents.")] = None,
    relevance: Annotated[Path | None, typer.Option(metavar="FILE", help="Which documents answer which query, as TREC or three columns.")] = None,
    own_mean: Annotated[bool, typer.Option("--own-mean", help="Take from queries their own mean, not the documents'.")] = False,
    task: Annotated[str, typer.Option(metavar="dictionary-en|help-en|help-zh|help-zh-en", help="Repair the sentence vectors that this model makes of a built-in task (extra lens).")] = "",
    layer: Annotated[int | None, typer.Option(metavar="L", help="Whose states --task takes; the last of an encoder, the middle of others.")] = None,
    report: Annotated[Path | None, typer.Option("--report", metavar="FILE", help="Also write the proof with its figures: .html, .json or .md.")] = None,
    tensor: Tensor = None,
    tokens: Tokens = None,
    without: Without = "",
    no_cache: NoCache = False,
    json: AsJson = False,
) -> None:  # fmt: skip
    """Repair a table and prove what it bought and cost.

    Isotropy, hubs and scores before and after, and what got worse.

    With -o the repaired table and its map are written; the map applies to new vectors. With --queries, MODEL is a file
    of document vectors, and recall and nDCG are measured where --relevance says what is relevant.
    """
    from armillary.cli.opening import open
    from armillary.cli.output import note, show
    from armillary.cli.progress import progress
    from armillary.repairs.contrastive import Training
    from armillary.report.saving import checked_path
    from armillary.study.files import check_spared

    given = {"components": components, "uncentred": uncentred or None, "k": k, "aperture": aperture}
    chosen = {name: value for name, value in given.items() if value is not None}
    target = checked_path(report) if report else None
    training = Training(hidden=hidden, seed=seed)
    if queries is not None:
        from armillary.study.documents import repair_documents

        found = repair_documents(Path(model), queries, relevance, method, output, own_mean=own_mean, **chosen)
        if target:
            found.report(open(model, tensor=tensor, tokens=tokens, cache=not no_cache)).save(target)
            note(f"{target}")
        show("repair", {"documents": model, "queries": str(queries)}, found, str(found), json)
        return
    study = open(model, tensor=tensor, tokens=tokens, without=kinds(without), cache=not no_cache)
    check_spared(target, study, tokens, corpus)
    frequencies = _frequencies(study, corpus)
    with progress("repairing", "steps") as advance:
        if task:
            from armillary.study.tasks import repair_task

            result = repair_task(
                study, task, method, layer=layer, output=output, own_mean=own_mean, progress=advance, **chosen
            )
        elif compare:
            from armillary.study.side_by_side import comparison_of_repairs

            result = comparison_of_repairs(study, frequencies, advance)
        elif method == "contrastive":
            from armillary.study.training import contrastive_repair_of

            result = contrastive_repair_of(
                study, pairs, training=training, output=output, proof=not no_proof, progress=advance
            )
        else:
            from armillary.study.repairing import repair_of

            result = repair_of(
                study, method, proof=not no_proof, output=output, frequencies=frequencies, progress=advance, **chosen
            )
        if target:
            result.report(study).save(target)
            note(f"{target}")
    show("repair", study, result, str(result), json)


def _frequencies(study: Study, corpus: Path | None) -> Any:
    """Token frequencies counted in a text, or None."""
    if corpus is None:
        return None
    from armillary.words.frequencies import corpus_frequencies
    from armillary.words.lists import read_text

    return corpus_frequencies(study.table.vocabulary, read_text(corpus).splitlines()).values
