"""`armillary train CORPUS`: word vectors from a text, and whether they hold what their optimum promises."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from armillary.cli.lab import Figure, ReportPage, check_outputs, write_outputs
from armillary.cli.options import AsJson, seed_option

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from armillary.origins.word2vec import Corpus, Kind, Settings, WordModel


def command(
    source: Annotated[
        str, typer.Argument(metavar="CORPUS", help="A text, a .gz, a folder; or dictionary, gcide, wordnet, chinese.")
    ],
    kind: Annotated[
        Literal["skip-gram", "cbow", "ppmi", "shifted-pmi", "all", "tying"],
        typer.Option("--model", help="What is trained; tying: a small language model, tied and untied."),
    ] = "skip-gram",
    dimension: Annotated[int, typer.Option("--dimension", "-d", help="Width of the vectors.")] = 100,
    window: Annotated[int, typer.Option(help="Words to each side.")] = 5,
    negative: Annotated[int, typer.Option(help="Negative samples, k.")] = 5,
    minimum_count: Annotated[int, typer.Option(help="Words that occur less often are left out.")] = 5,
    subsample: Annotated[
        float, typer.Option(help="Frequency above which words are dropped at random; 0: never.")
    ] = 1e-3,
    smoothing: Annotated[float, typer.Option(help="Power on context frequencies.")] = 0.75,
    epochs: Annotated[int, typer.Option(help="Passes over the text.")] = 5,
    seed: Annotated[int, seed_option("of starts and draws")] = 0,
    workers: Annotated[int, typer.Option(help="Threads; above 1 the same seed gives other numbers.")] = 1,
    check: Annotated[bool, typer.Option(help="Check w·c against PMI − log k (skip-gram and cbow).")] = True,
    snapshots: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the table before training and after every epoch.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the vectors, and NAME.contexts beside.")
    ] = None,
    figure: Figure = None,
    report: ReportPage = None,
    as_json: AsJson = False,
) -> None:
    """Train word vectors on a text and check them against PMI. Ctrl-C keeps what is trained so far."""
    from armillary.cli.output import note, show
    from armillary.cli.progress import progress
    from armillary.errors import UsageError
    from armillary.origins import saving, word2vec

    settings = word2vec.Settings(
        dimension, window, negative, minimum_count, subsample, smoothing, epochs, seed=seed, workers=workers
    )
    check_outputs(figure, report)
    for path in (output, *_tables_at(output, kind)) if output else ():
        saving.check_target(path)
    if snapshots and not snapshots.is_dir():
        raise UsageError(
            f"expected a folder to write snapshots into, found none at {snapshots}",
            f"make it first: mkdir -p {snapshots}",
        )
    if (kind == "all" and output) or (kind in ("all", "tying") and snapshots):
        raise UsageError(f"expected one word model to write, found --model {kind}", "name one: --model skip-gram")
    with progress("reading the text", "words"):
        corpus = word2vec.open_corpus(source, minimum_count)
    if corpus.odd_lines:
        note(f"Lines with bytes that are not UTF-8: {corpus.odd_lines:,}; those bytes separate words.")
    if kind == "tying":
        _tie(corpus, seed, output, figure, report, as_json)
        return
    counts = None
    if check or kind in ("ppmi", "shifted-pmi", "all"):
        with progress("counting pairs", "passes") as advance:
            counts = word2vec.cooccurrence(corpus, settings, advance)
    kinds = word2vec.KINDS if kind == "all" else (kind,)
    models, stopped = _trained(corpus, kinds, settings, snapshots is not None, counts)
    for path in [*_written(models[0], output), *_snapshots(models[0], snapshots)]:
        note(f"wrote {path}")
    checks = {
        m.kind: word2vec.check_pmi(m, counts, seed)
        for m in models
        if check and counts is not None and m.kind in ("skip-gram", "cbow")
    }
    name, pairs = word2vec.word_pairs()
    compared = word2vec.compare(models, pairs, name)
    write_outputs(f"train {corpus.source}", [*models, *checks.values(), compared], figure, report)
    result = {
        "corpus": corpus.to_dict(),
        "comparison": compared.to_dict(),
        "pmi": {kind: found.to_dict() for kind, found in checks.items()},
    }
    parts = [*map(str, models), *(f"{kind}: {found}" for kind, found in checks.items()), str(compared)]
    show("train", None, result, "\n\n".join(parts), as_json)
    if stopped:
        raise typer.Exit(130)


def _trained(
    corpus: Corpus, kinds: tuple[Kind, ...], settings: Settings, snapshots: bool, counts: csr_array | None
) -> tuple[list[WordModel], bool]:
    """One model of each kind, and whether it was interrupted; of a count model interrupted there is nothing to keep."""
    from armillary.cli.progress import progress
    from armillary.origins import word2vec

    models: list[WordModel] = []
    try:
        for kind in kinds:
            with progress(f"training {kind}", "words") as advance:
                models.append(word2vec.train(corpus, kind, settings, snapshots, counts, advance))
            if models[-1].interrupted:
                return models, True
    except KeyboardInterrupt:
        if not models:
            raise
        return models, True
    return models, False


def _tie(
    corpus: Corpus, seed: int, output: Path | None, figure: Path | None, report: Path | None, as_json: bool
) -> None:
    """The language model, tied and untied; its three tables are written as NAME.tied, NAME.input, NAME.output."""
    from armillary.cli.output import note, show
    from armillary.cli.progress import progress
    from armillary.origins import saving, tying

    with progress("training tied and untied", "steps") as advance:
        found = tying.tie(corpus, seed=seed, progress=advance)
    places = _tables_at(output, "tying") if output else ()
    for place, table in zip(places, found.tables().values(), strict=False):  # interrupted: the first alone
        for path in saving.save(table, place):
            note(f"wrote {path}")
    write_outputs(f"train {corpus.source}, tied and untied", [found], figure, report)
    show("train", None, found, str(found), as_json)
    if found.interrupted:
        raise typer.Exit(130)


def _tables_at(output: Path, kind: str) -> list[Path]:
    """Where the tables of a model are written: its vectors and contexts, or the three of tying."""
    if kind == "tying":
        return [output.with_name(f"{output.stem}.{name}.safetensors") for name in ("tied", "input", "output")]
    return [output, output.with_name(f"{output.stem}.contexts.safetensors")]


def _written(model: WordModel, output: Path | None) -> list[Path]:
    from armillary.origins import saving

    if output is None:
        return []
    vectors, contexts = _tables_at(output, model.kind)
    return [*saving.save(model.to_table(), vectors), *saving.save(model.to_output_table(), contexts)]


def _snapshots(model: WordModel, folder: Path | None) -> list[Path]:
    from armillary.origins import saving

    if folder is None:
        return []
    return [saving.save(model.at(s.epoch), folder / f"epoch-{s.epoch}.safetensors")[0] for s in model.snapshots]
