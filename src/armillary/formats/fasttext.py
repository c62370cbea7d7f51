"""fastText binary models: three named tables, `words` (the default), `input` and `output`.

A word's vector is the mean of its own input row and the input rows of its character n-grams (Bojanowski et al., 2017),
which share hashed rows. `input` is a word's own row alone; `output` has a row per word, or per label in a supervised
model, whose labels are the only tokens of that table.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from jaxtyping import Float32, Integer

from armillary.errors import UnreadableError, UsageError
from armillary.formats.fasttext_header import HIERARCHICAL, MAGIC, SUPERVISED, Cut, Matrix, Model, read_model
from armillary.formats.source import Format, Request, Source
from armillary.formats.vocabularies import vocabulary_facts
from armillary.table import ArrayRows, Candidate, LoadReport, Provenance, RowDecoder, Table, Vocabulary

WORDS, INPUT, OUTPUT = "words", "input", "output"
_END_OF_SENTENCE = b"</s>"  # the one word that has no n-grams
_LONGEST_WORD = 4096  # bytes; n-grams of longer ones are refused before they are counted


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
        raise UsageError(f"expected a tensor words, input or output in {source.name}, found none named {name}")
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
        return self._compose(range(start, min(stop, self.shape[0])))

    def take(self, ids: Integer[np.ndarray, "n"]) -> Float32[np.ndarray, "n d"]:
        return self._compose(np.asarray(ids, np.int64).tolist())

    def _compose(self, ids: Sequence[int]) -> Float32[np.ndarray, "n d"]:
        rows = np.empty((len(ids), self.shape[1]), np.float32)
        for row, id in zip(rows, ids, strict=True):
            parts = np.append(self._parts[id], np.uint32(id))
            row[:] = self._stored[parts].mean(axis=0, dtype=np.float64)
        return rows

    @cached_property
    def _parts(self) -> list[np.ndarray]:
        """By word, the input rows of its n-grams; found once, four bytes each."""
        m = self._model
        first = len(m.words)
        return [
            np.array([] if w == _END_OF_SENTENCE else ngram_rows(w, m.shortest, m.longest, m.buckets), np.uint32)
            + np.uint32(first)
            for w in m.words
        ]


def ngram_rows(word: bytes, shortest: int, longest: int, buckets: int) -> list[int]:
    """The hashed rows (0 … buckets−1) of the character n-grams of `<word>`, in fastText's order.

    FNV-1a over signed bytes (as fastText has it), characters by their UTF-8 heads; `<` and `>` alone are no n-grams.
    """
    marked = b"<" + word[:_LONGEST_WORD] + b">"
    heads = [i for i, byte in enumerate(marked) if byte & 0xC0 != 0x80]
    ends = [*heads[1:], len(marked)]
    found: list[int] = []
    for i, start in enumerate(heads):
        value, at = 2166136261, start
        for n in range(1, min(longest, len(heads) - i) + 1):
            for byte in marked[at : ends[i + n - 1]]:
                value = ((value ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619) & 0xFFFFFFFF
            at = ends[i + n - 1]
            alone = n == 1 and (i == 0 or i == len(heads) - 1)
            if n >= shortest and not alone:
                found.append(value % buckets)
    return found


FORMAT = Format("fastText binary", _recognises, _open)
