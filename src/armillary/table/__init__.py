"""The table and what belongs to it: tokens, vocabulary, provenance, load report, row facts."""

from armillary.table.facts import OUTSIDE, SCALE, Candidate, LoadReport, Provenance, RowFacts
from armillary.table.rows import ArrayRows, LossyRows, RowDecoder, outside_float32, relative_loss
from armillary.table.table import Table
from armillary.table.token import Kind, Token, to_bytes, visible
from armillary.table.vocabulary import Tokenizer, Vocabulary, unused_or_normal

__all__ = [
    "OUTSIDE",
    "SCALE",
    "ArrayRows",
    "Candidate",
    "Kind",
    "LoadReport",
    "LossyRows",
    "Provenance",
    "RowDecoder",
    "RowFacts",
    "Table",
    "Token",
    "Tokenizer",
    "Vocabulary",
    "outside_float32",
    "relative_loss",
    "to_bytes",
    "unused_or_normal",
    "visible",
]
