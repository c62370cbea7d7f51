"""Tokens as a file lists them, and how they are laid against the rows of a table.

The two need not agree: a table may have more rows than there are tokens (padded rows), ids may be missing between
them (holes), and a vocabulary may name ids that have no row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from armillary.shapes import Float32, Int64, UInt8
from armillary.table import Kind, Token, Tokenizer, Vocabulary

NO_TOKENIZER = "this vocabulary is a list of words and has no tokenizer"


@dataclass(frozen=True)
class TokenList:
    """Tokens of one source: bytes, own spelling and kind of each; `ids` where they are not 0, 1, 2, …"""

    raw: Sequence[bytes]
    names: Sequence[str]
    kinds: UInt8[np.ndarray, "n"]
    ids: Int64[np.ndarray, "n"] | None = None
    scores: Float32[np.ndarray, "n"] | None = None
    tokenizer: Tokenizer | None = None
    encode_refusal: str = NO_TOKENIZER


def fit_to_rows(tokens: TokenList, rows: int) -> Vocabulary:
    """A vocabulary of exactly `rows` tokens, joined by id.

    Rows without a token become kind no-token; tokens without a row are kept as `beyond`.
    """
    fitted = _dense(tokens, rows)
    return Vocabulary(
        fitted.raw,
        fitted.names,
        fitted.kinds,
        tokenizer=fitted.tokenizer,
        scores=fitted.scores,
        beyond=_beyond(tokens, rows),
        encode_refusal=fitted.encode_refusal,
    )


def _dense(tokens: TokenList, rows: int) -> TokenList:
    """The same tokens with one entry per row."""
    if tokens.ids is None and len(tokens.raw) == rows:
        return tokens
    ids = np.arange(len(tokens.raw)) if tokens.ids is None else tokens.ids
    inside = np.flatnonzero((ids >= 0) & (ids < rows))
    raw, names = [b""] * rows, [""] * rows
    kinds = np.full(rows, Kind.NO_TOKEN, np.uint8)
    scores = None if tokens.scores is None else np.full(rows, np.nan, np.float32)
    kinds[ids[inside]] = tokens.kinds[inside]
    for source, id in zip(inside.tolist(), ids[inside].tolist(), strict=True):
        raw[id], names[id] = tokens.raw[source], tokens.names[source]
    if scores is not None and tokens.scores is not None:
        scores[ids[inside]] = tokens.scores[inside]
    return replace(tokens, raw=raw, names=names, kinds=kinds, ids=None, scores=scores)


def _beyond(tokens: TokenList, rows: int) -> list[Token]:
    ids = np.arange(len(tokens.raw)) if tokens.ids is None else tokens.ids
    outside = np.flatnonzero((ids < 0) | (ids >= rows))
    outside = outside[np.argsort(ids[outside], kind="stable")].tolist()
    raw, names, kinds = tokens.raw, tokens.names, tokens.kinds
    return [Token.of(int(ids[i]), raw[i], str(names[i]), Kind(int(kinds[i]))) for i in outside]
