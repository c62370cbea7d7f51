"""fastText binary models: three named tables, `words` (the default), `input` and `output`.

A word's vector is the mean of its own input row and the input rows of its character n-grams (Bojanowski et al., 2017),
which share hashed rows. `input` is a word's own row alone; `output` has a row per word, or per label in a supervised
model, whose labels are the only tokens of that table.
"""

from __future__ import annotations

import itertools
import mmap
import struct

import numpy as np

from armillary.errors import UnreadableError, UsageError
from armillary.formats.fasttext_header import HIERARCHICAL, MAGIC, SUPERVISED, Cut, Matrix, Model, read_model
from armillary.formats.fasttext_ngrams import ngram_rows, ngrams_at_most
from armillary.formats.source import Format, Request, Source
from armillary.formats.vocabularies import vocabulary_facts
from armillary.shapes import Float32, Float64, Int64, Integer
from armillary.table import ArrayRows, Candidate, LoadReport, Provenance, RowDecoder, Table, Vocabulary

WORDS, INPUT, OUTPUT = "words", "input", "output"
_TOGETHER = 1 << 22  # numbers that the n-grams of the words composed at a time may have: 32 MB in float64


def _recognises(source: Source) -> bool:
    return source.head[:4] == MAGIC


def _open(source: Source, request: Request) -> Table:
    with source.path.open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        model = read_model(data, source.name)
    except (Cut, struct.error) as error:
        raise UnreadableError(
            f"the fastText model {source.name} is cut or corrupt: {error}", "copy it again"
        ) from error
    name = request.tensor or (OUTPUT if request.role == "output" else WORDS)
    rows, vocabulary = _table(model, name, source)
    V, d = rows.shape
    ngrams = f"n-grams of {model.shortest} to {model.longest} characters in {model.buckets:,} rows"
    report = LoadReport(
        format="fastText binary" + (", supervised" if model.kind == SUPERVISED else ""),
        files_read=(source.path.name,),
        tensor=name,
        rows=V,
        width=d,
        tied_because="fastText stores input and output apart",
        notes=(ngrams if _has_ngrams(model) else "no n-grams", *_labels(model)),
        candidates=_candidates(model),
        **vocabulary_facts(vocabulary),
    )
    return Table(rows, vocabulary, Provenance(source.name, name, tied=False), report)


def _table(model: Model, name: str, source: Source) -> tuple[RowDecoder, Vocabulary]:
    if name == OUTPUT and model.output is not None:
        tokens = model.labels if model.kind == SUPERVISED else model.words
        rows = ArrayRows(_mapped(source, model.output))
        named = len(tokens) == rows.shape[0] and model.loss != HIERARCHICAL  # else a row is a node of a tree
        return rows, Vocabulary.of_words(tokens) if named else Vocabulary.of_ids(rows.shape[0])
    if name not in (WORDS, INPUT):
        raise UsageError(
            f"expected a tensor words, input or output in {source.name}, found none named {name}",
            "those three are all there are",
        )
    stored = _mapped(source, model.input)
    vocabulary = Vocabulary.of_words(model.words)
    if name == INPUT or not _has_ngrams(model):
        return ArrayRows(stored[: len(model.words)]), vocabulary
    return WordRows(stored, model), vocabulary


def _mapped(source: Source, matrix: Matrix) -> np.ndarray:
    if not matrix.shape[0] or not matrix.shape[1]:
        return np.zeros(matrix.shape, np.float32)
    return np.memmap(source.path, "<f4", "r", matrix.begin, matrix.shape)


def _has_ngrams(model: Model) -> bool:
    return model.longest > 0 and model.buckets > 0 and model.pruned < 0


def _labels(model: Model) -> tuple[str, ...]:
    return (f"{len(model.labels):,} labels, the rows of {OUTPUT}",) if model.labels else ()


def _candidates(model: Model) -> tuple[Candidate, ...]:
    shape = (len(model.words), model.width)
    shown = [
        Candidate(WORDS, shape, "F32", "words with their n-grams, as fastText gives them"),
        Candidate(INPUT, shape, "F32", "the words' own rows"),
    ]
    if model.output is not None:
        what = "one row a label" if model.kind == SUPERVISED else "the output table"
        shown.append(Candidate(OUTPUT, model.output.shape, "F32", what))
    return tuple(shown)


class WordRows:
    """Word vectors, composed from input rows when they are asked for: the mean, in float64, rounded once."""

    def __init__(self, stored: Float32[np.ndarray, "r d"], model: Model) -> None:
        self._stored = stored
        self._model = model
        self.shape: tuple[int, int] = (len(model.words), model.width)

    def block(self, start: int, stop: int) -> Float32[np.ndarray, "n d"]:
        return self.take(np.arange(start, min(stop, self.shape[0])))

    def take(self, ids: Integer[np.ndarray, "n"]) -> Float32[np.ndarray, "n d"]:
        ids = np.asarray(ids, np.int64)
        rows = np.empty((len(ids), self.shape[1]), np.float32)
        for start, stop in itertools.pairwise(self._edges(ids)):
            rows[start:stop] = self._compose(ids[start:stop])
        return rows

    def _edges(self, ids: Int64[np.ndarray, "n"]) -> list[int]:
        """Where the words are parted, so that the n-grams of a part have at most `_TOGETHER` numbers, or are one word's."""
        m = self._model
        most = np.fromiter(
            (ngrams_at_most(m.words[i], m.shortest, m.longest) for i in ids.tolist()), np.int64, len(ids)
        )
        part = np.cumsum(most * m.width) // _TOGETHER
        return [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(ids)] if len(ids) else []

    def _compose(self, ids: Int64[np.ndarray, "n"]) -> Float64[np.ndarray, "n d"]:
        from scipy.sparse import csr_array

        m = self._model
        words = [m.words[i] for i in ids.tolist()]
        ngrams, counts = ngram_rows(words, m.shortest, m.longest, m.buckets)
        ends = np.cumsum(counts)
        parts = np.insert(ngrams + len(m.words), ends, ids)  # a word's own row after those of its n-grams
        used, column = np.unique(parts, return_inverse=True)
        edges = np.append(0, ends + np.arange(1, len(ids) + 1))
        of_words = csr_array((np.ones(len(parts)), column, edges), (len(ids), len(used)))
        with np.errstate(invalid="ignore"):  # a NaN that signals; such rows are reported as non-finite
            return of_words @ self._stored[used].astype(np.float64) / (counts[:, None] + 1)


FORMAT = Format("fastText binary", _recognises, _open)
