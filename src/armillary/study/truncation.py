"""What is lost when only the first dimensions are kept, or numbers are made coarse: why three are not enough.

Neighbours are judged against those of the full space; scores where evaluation sets, word lists and help pages cover the
table. Recall is on a seeded subsample of rows where there are more, the same for every cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.answer import Listing
from armillary.errors import ArmillaryError, UsageError
from armillary.shapes import Float64
from armillary.sphere import Code, cloud
from armillary.study.cutting import CutRows, Cutter
from armillary.table import Table

if TYPE_CHECKING:
    from armillary.study.study import Progress, Study

ROWS, K, SEED = 5_000, 10, 0
SET, HELP, QUERIES = "WS353", "help-en", 500


@dataclass(frozen=True)
class Cut:
    """A reduced space: its kind, how many dimensions, bytes a row, and what is left."""

    kind: str
    dimensions: int
    bytes_per_row: int
    recall: float
    purity: float | None
    similarity: float | None
    retrieval: float | None


@dataclass(frozen=True, repr=False)
class Truncation(Listing):
    """Cuts of one table. `rows`: among how many rows neighbours were sought; `lacking`: scores that cannot be had, and why.

    Purity is that of six categories, word similarity Spearman's correlation on WS353, retrieval nDCG@10 of help pages
    that are asked by their titles, a text being the mean of its rows.
    """

    cuts: tuple[Cut, ...]
    rows: int
    variance: Mapping[int, float]
    lacking: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return f"Neighbour recall@{K} against the full space, among {self.rows:,} rows"

    @property
    def notes(self) -> Sequence[str]:
        three = self.variance.get(3)
        said = () if three is None else (f"The first 3 components hold {100 * three:.1f} % of the variance.",)
        chance = min(1.0, K / max(1, self.rows - 1))
        return (
            *said,
            f"Chance recall is {chance:.4f}. Components are the principal axes of the centred rows; rows are projected with their mean.",
            *self.lacking,
        )

    def columns(self) -> Mapping[str, Sequence[Any]]:
        return {
            "kept": [cut.kind for cut in self.cuts],
            "dimensions": [cut.dimensions for cut in self.cuts],
            "bytes_a_row": [cut.bytes_per_row for cut in self.cuts],
            "recall": [cut.recall for cut in self.cuts],
            "category_purity": [cut.purity for cut in self.cuts],
            "word_similarity": [cut.similarity for cut in self.cuts],
            "retrieval": [cut.retrieval for cut in self.cuts],
        }

    def to_dict(self) -> dict[str, Any]:
        cuts = [cut.__dict__ for cut in self.cuts]
        return {"rows": self.rows, "k": K, "cuts": cuts, "lacking": list(self.lacking)}


def truncation_of(study: Study, sizes: Sequence[int] = (), progress: Progress | None = None) -> Truncation:
    """Cut to the first components and to the first raw coordinates (2, 3, 8, 16 … by default), int8 and binary."""
    code, d = study.code, study.shape[1]
    if any(not 1 <= size <= d for size in sizes):
        raise UsageError(f"expected sizes from 1 to {d:,}, found {', '.join(map(str, sizes))}")
    sizes = sorted(set(sizes)) or [size for size in (2, 3, *(2**p for p in range(3, 14))) if size < d] + [d]
    n = len(code)
    at = np.arange(n) if n <= ROWS else np.sort(np.random.default_rng(SEED).choice(n, ROWS, replace=False))
    sample, whole = code.take(at), cloud(code)
    true, words = _neighbours(sample), _Words.of(study.table)
    pages, lacking = _pages(study.table)
    plans = [("components", size) for size in sizes] + [("coordinates", size) for size in sizes]
    cuts = []
    for done, (kind, size) in enumerate([*plans, ("int8", d), ("binary", d)]):
        if progress:
            progress(done, len(plans) + 2)
        cut = Cutter(kind, size, whole)
        cost = {"int8": d, "binary": -(-d // 8)}.get(kind, 4 * size)
        purity, similarity = words.scores(cut)
        found = pages.score(cut) if pages else None
        cuts.append(Cut(kind, size, cost, _recall(_neighbours(cut(sample)), true), purity, similarity, found))
    variances = whole.principal[0]
    share = np.cumsum(variances) / (variances.sum() or 1.0)
    return Truncation(tuple(cuts), len(at), {size: float(share[size - 1]) for size in sizes}, lacking)


@dataclass(frozen=True, eq=False)
class _Words:
    """The words that scores need, with their full rows: cut as they are, no table is made anew."""

    table: Table
    pairs: Sequence[tuple[str, str, float]]

    @classmethod
    def of(cls, table: Table) -> _Words:
        from armillary.study.evidence import similarity_sets

        return cls(table, similarity_sets().get(SET, []))

    def scores(self, cut: Cutter) -> tuple[float | None, float | None]:
        from armillary.words.categories import categories
        from armillary.words.evaluation import evaluate_similarity
        from armillary.words.lists import shipped

        reduced = Table(CutRows(self.table, cut), self.table.vocabulary, self.table.provenance, self.table.load_report)
        purity = similarity = None
        with suppress(ArmillaryError):  # too few of the words are in the table
            purity = categories(reduced, shipped("categories", "en")).purity
        with suppress(ArmillaryError):
            if self.pairs:
                similarity = evaluate_similarity(reduced, SET, self.pairs, draws=1).spearman
        return purity, similarity


@dataclass(frozen=True, eq=False)
class _Pages:
    """Titles that ask for help pages, as means of their rows: what is cut is what a vector store would hold."""

    titles: Float64[np.ndarray, "q d"]
    pages: Float64[np.ndarray, "n d"]
    relevant: Sequence[Mapping[int, float]]

    def score(self, cut: Cutter) -> float:
        """nDCG@10. Numbers are made coarse by the scale of the pages themselves."""
        from armillary.words.retrieval import scores_by_query

        own = (
            cut
            if cut.kind in ("components", "coordinates")
            else replace(cut, cloud=cloud(Code.of(Table.from_array(self.pages))))
        )
        titles, pages = (own(x.astype(np.float32)).astype(np.float64) for x in (self.titles, self.pages))
        return float(scores_by_query(titles, pages, self.relevant)[:, -1].mean())


def _pages(table: Table) -> tuple[_Pages | None, tuple[str, ...]]:
    """The English help pages and 500 seeded titles; None, with the reason, where they cannot be had."""
    from armillary.study.evaluation import help_pages
    from armillary.words.retrieval import text_vectors

    try:
        queries, corpus, grades = help_pages(HELP)
    except ArmillaryError as error:
        return None, (f"No retrieval: {error.message}; {error.cure}.",)
    if table.vocabulary.named_by_id:
        return None, ("No retrieval: the rows of this table have no words.",)
    drawn = np.sort(np.random.default_rng(SEED).permutation(len(queries))[:QUERIES])
    asked = [list(queries)[i] for i in drawn]
    places = {path: i for i, path in enumerate(corpus)}
    pages = text_vectors(table, list(corpus.values()))
    if pages.any(axis=1).mean() < 0.5:
        return None, ("No retrieval: half of the help pages have no word of this table.",)
    relevant = [{places[path]: grade for path, grade in grades[title].items()} for title in asked]
    return _Pages(text_vectors(table, asked), pages, relevant), ()


def _neighbours(rows: np.ndarray) -> np.ndarray:
    """The K nearest of each row by cosine, ties by position; rows without a direction are near nothing."""
    from armillary.scan import ArrayRows as Plain
    from armillary.scan import scan

    kept = np.flatnonzero(rows.any(axis=1))
    found = scan(Plain(np.ascontiguousarray(rows[kept])), kept, k=K, histogram="none")
    neighbours = np.full((len(rows), found.k), -1)
    neighbours[kept] = found.neighbors
    return neighbours


def _recall(found: np.ndarray, true: np.ndarray) -> float:
    """Mean share of a row's true neighbours that are found."""
    hits = sum((found[:, :, None] == true[:, None, [j]]).any(axis=(1, 2)) for j in range(true.shape[1]))
    return float(np.mean(hits / max(1, true.shape[1])))
