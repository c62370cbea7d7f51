"""A repair for documents and queries: fitted on the documents, applied to both, judged by what queries find.

Vectors come from `.npy`, or from Parquet with an id column and a column of lists; without ids rows are numbered from
0. Thresholds are cosines that a random query and document exceed at a stated rate: what "similar" means before, and
after, where the same number means something else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.answer import Answer, aligned, cosine, number
from armillary.errors import UnreadableError, UsageError
from armillary.repairs import Repair, fit, held_in_memory, repaired_table, save_repair
from armillary.shapes import Float32, Float64
from armillary.sphere import Code
from armillary.storage import check_spared
from armillary.study.changes import Change, changes_between
from armillary.study.evidence import Difference, mean_difference
from armillary.study.pair_cosines import Histogram, pair_histogram
from armillary.study.repairing import scores_text
from armillary.table import Table

if TYPE_CHECKING:
    from armillary.report import Report
    from armillary.study.study import Study

RATES = (0.95, 0.5, 0.05, 0.01, 0.001)  # of random pairs above a cosine; the small ones are false alarms
PAIRS, K, SEED = 200_000, 10, 0


@dataclass(frozen=True, eq=False)
class Vectors:
    """Named rows: `ids` (n) as text and `rows` (n, d)."""

    ids: tuple[str, ...]
    rows: Float32[np.ndarray, "n d"]


@dataclass(frozen=True, repr=False)
class RepairedDocuments(Answer):
    """What a repair does to retrieval. `hubs` and `thresholds`: (before, after) by name and by share of random pairs above;
    `histograms`: cosines of random pairs of documents, before and after. `asked`: the repair of queries where it is not
    that of the documents."""

    repair: Repair
    changes: tuple[Change, ...]
    scores: tuple[Difference, ...]
    hubs: Mapping[str, tuple[float, float]]
    thresholds: Mapping[float, tuple[float, float]]
    histograms: tuple[Histogram, Histogram]
    notes: tuple[str, ...] = ()
    asked: Repair | None = None

    @property
    def worse(self) -> tuple[str, ...]:
        """Scores that got worse."""
        return tuple(score.name for score in self.scores if score.verdict == "worse")

    def __str__(self) -> str:
        rows = [[c.title, number(c.before), number(c.after), c.verdict] for c in self.changes]
        rows += [[name, number(a), number(b), ""] for name, (a, b) in self.hubs.items()]
        lines = [
            self.repair.method,
            aligned(rows, ["left", "right", "right", "left"], ["measure", "before", "after", ""]),
        ]
        marks = [[f"{rate:.1%}", cosine(a), cosine(b)] for rate, (a, b) in self.thresholds.items()]
        lines += [
            "",
            aligned(marks, ["right", "right", "right"], ["random pairs above", "cosine before", "cosine after"]),
        ]
        if self.scores:
            said = f"Worse than before: {', '.join(self.worse)}." if self.worse else "No score got worse."
            lines += ["", scores_text(self.scores), "", said]
        return "\n".join([*lines, *self.notes])

    def report(self, study: Study) -> Report:
        """The same as a report with its figures; `study` says where the vectors come from."""
        from armillary.study.proof_report import documents_report

        return documents_report(study, self)

    def to_dict(self) -> dict[str, Any]:
        return {
            "repair": self.repair.to_dict(),
            "changes": [{**c.__dict__, "verdict": c.verdict} for c in self.changes],
            "scores": [s.to_dict() for s in self.scores],
            "hubs": {name: {"before": a, "after": b} for name, (a, b) in self.hubs.items()},
            "thresholds": [{"rate": r, "before": a, "after": b} for r, (a, b) in self.thresholds.items()],
            "worse": list(self.worse),
            "notes": list(self.notes),
        }


def repair_documents(
    documents: Path, queries: Path, relevance: Path | None, method: str, output: Path | None, **parameters: Any
) -> RepairedDocuments:
    """`repaired_retrieval` on files; with `output` the repaired documents and the map are written."""
    from armillary.words.retrieval import read_relevance

    check_spared(output, (documents, queries, relevance))
    grades = read_relevance(relevance) if relevance else {}
    result = repaired_retrieval(read_vectors(documents), read_vectors(queries), grades, method, **parameters)
    return written(result, read_vectors(documents), output) if output else result


def written(result: RepairedDocuments, documents: Vectors, output: Path) -> RepairedDocuments:
    """The same result with the repaired documents and the map written, and said so."""
    from armillary.formats import write_safetensors

    table = repaired_table(Table.from_array(documents.rows, list(documents.ids)), result.repair)
    paths = [*write_safetensors(table, output), save_repair(result.repair, output.with_suffix(".repair.safetensors"))]
    if result.asked is not None:
        paths.append(save_repair(result.asked, output.with_suffix(".queries.repair.safetensors")))
    return replace(result, notes=(*result.notes, f"Written: {', '.join(str(path) for path in paths)}."))


def repaired_retrieval(
    documents: Vectors,
    queries: Vectors,
    grades: Mapping[str, Mapping[str, float]],
    method: str,
    *,
    repair: Repair | None = None,
    own_mean: bool = False,
    **parameters: Any,
) -> RepairedDocuments:
    """Fit on the documents (or take a `repair` at hand), apply to both, and measure before and after.

    `own_mean`: queries lose their own mean, not the documents', since texts that ask are often of another kind.
    `grades`: by query id, the grade of each relevant document id; scores need them. UsageError for widths that differ.
    """
    if documents.rows.shape[1] != queries.rows.shape[1]:
        raise UsageError(
            f"expected queries as wide as the documents, {documents.rows.shape[1]:,}, found {queries.rows.shape[1]:,}"
        )
    code = Code.of(Table.from_array(documents.rows))
    repair = repair or fit(code, method, **parameters)
    after = held_in_memory(repaired_table(code.table, repair))
    sides = [(queries.rows.astype(np.float64), documents.rows.astype(np.float64))]
    asked = _with_mean_of(queries, repair) if own_mean else None
    sides.append(((asked or repair).apply(queries.rows), repair.apply(documents.rows)))
    one, other = ((_unit(q), _unit(x)) for q, x in sides)
    hubs = {name: (a, b) for (name, a), (_, b) in zip(_hubs(*one), _hubs(*other), strict=True)}
    marks = {rate: (a, b) for rate, a, b in zip(RATES, _thresholds(*one), _thresholds(*other), strict=True)}
    scores, notes = _scores(documents, queries, grades, one, other)
    pictured = (pair_histogram(code), pair_histogram(code, repair))
    return RepairedDocuments(repair, changes_between(code, Code.of(after)), scores, hubs, marks, pictured, notes, asked)


def _with_mean_of(queries: Vectors, repair: Repair) -> Repair:
    """The same map with the mean of the queries in place of that of the documents."""
    if not repair.mean.any():
        raise UsageError(f"expected a repair that takes a mean away, found {repair.method}", "leave --own-mean out")
    mean = queries.rows.mean(axis=0, dtype=np.float64)
    return replace(repair, parameters={**repair.parameters, "mean_of": "queries"}, mean=mean)


def read_vectors(path: Path) -> Vectors:
    """Vectors of a `.npy` or Parquet file; UnreadableError for another kind, or a file without vectors."""
    if path.suffix == ".parquet":
        return _from_parquet(path)
    from armillary.formats import open_table

    table = open_table(path)
    names = table.vocabulary
    ids = tuple(str(i) if names.named_by_id else names[i].text for i in range(len(table)))
    return Vectors(ids, np.concatenate([block for _, block in table.blocks()]))


def _from_parquet(path: Path) -> Vectors:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        found = parquet.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise UnreadableError(
            f"expected a Parquet file at {path}, found: {error}", "write id and vector columns"
        ) from error
    lists = [f.name for f in found.schema if pa.types.is_list(f.type) or pa.types.is_fixed_size_list(f.type)]
    named = next((n for n in ("id", "_id", "key") if n in found.column_names), None)
    if len(lists) != 1 or not found.num_rows:
        raise UnreadableError(
            f"expected one column of vectors in {path}, found {len(lists)} among {', '.join(found.column_names)}",
            "keep an id column and one column of lists of numbers",
        )
    try:
        rows = np.array(found[lists[0]].to_pylist(), np.float32)
    except (ValueError, TypeError) as error:
        raise UnreadableError(f"expected vectors of one width in column {lists[0]} of {path}, found others") from error
    ids = [str(i) for i in found[named].to_pylist()] if named else [str(i) for i in range(len(rows))]
    return Vectors(tuple(ids), rows)


def _scores(
    documents: Vectors,
    queries: Vectors,
    grades: Mapping[str, Mapping[str, float]],
    one: tuple[np.ndarray, np.ndarray],
    other: tuple[np.ndarray, np.ndarray],
) -> tuple[tuple[Difference, ...], tuple[str, ...]]:
    if not grades:
        return (), ("No relevance is given: what queries find cannot be judged, only geometry.",)
    from armillary.words.retrieval import CUTOFFS, NDCG_AT, scores_by_query

    place = {id: at for at, id in enumerate(documents.ids)}
    relevant = [{place[d]: g for d, g in grades.get(q, {}).items() if d in place} for q in queries.ids]
    a, b = scores_by_query(*one, relevant), scores_by_query(*other, relevant)
    names = [*(f"recall@{k}" for k in CUTOFFS), "MRR", f"nDCG@{NDCG_AT}"]
    judged = tuple(mean_difference(name, "score", a[:, i], b[:, i]) for i, name in enumerate(names))
    left_out = len(queries.ids) - len(a)
    return judged, (f"{left_out:,} queries have no relevant document here and are left out.",) if left_out else ()


def _hubs(queries: Float64[np.ndarray, "q d"], documents: Float64[np.ndarray, "n d"]) -> Sequence[tuple[str, float]]:
    """How often one document is among the first ten, and how many never are."""
    counts, k = np.zeros(len(documents)), min(K, len(documents))
    for start in range(0, len(queries), 256):
        cosines = queries[start : start + 256] @ documents.T
        counts += np.bincount(np.argpartition(-cosines, k - 1, axis=1)[:, :k].ravel(), minlength=len(documents))
    return [("Most frequent document among the first 10", float(counts.max())), ("Documents never among them", float((counts == 0).mean()))]  # fmt: skip


def _thresholds(queries: np.ndarray, documents: np.ndarray) -> list[float]:
    random = np.random.default_rng(SEED)
    i, j = random.integers(0, len(queries), PAIRS), random.integers(0, len(documents), PAIRS)
    values = np.concatenate(
        [np.vecdot(queries[i[a : a + 8192]], documents[j[a : a + 8192]]) for a in range(0, PAIRS, 8192)]
    )
    return [float(np.quantile(values, 1.0 - rate)) for rate in RATES]


def _unit(rows: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
