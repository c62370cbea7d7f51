"""Sentencepiece's unigram model (Kudo, 2018): the split of a text with the highest sum of log-probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def unigram_tokenizer(
    pieces: Sequence[tuple[str, float]],
    *,
    unknown: int | None,
    byte_fallback: bool,
    prefix_space: bool,
    charsmap: bytes,
    squeeze: bool,
    added: Sequence[str],
) -> Tokenizer:
    """The `tokenizers` library's Unigram over (name, log-probability) in order of id.

    `charsmap`: the compiled normalisation of sentencepiece, b"" for none; `squeeze`: runs of spaces become one.
    """
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

    tokenizer = Tokenizer(models.Unigram(list(pieces), unknown, byte_fallback))
    steps: list[normalizers.Normalizer] = [normalizers.Precompiled(charsmap)] if charsmap else []
    if squeeze:
        steps += [normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")]
    if steps:
        tokenizer.normalizer = normalizers.Sequence(steps)
    scheme = "always" if prefix_space else "never"
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    tokenizer.decoder = decoders.Metaspace(prepend_scheme=scheme)
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in added if text])
    return tokenizer
