"""BPE over text in which spaces are written `▁`, with bytes for what is no token: Gemma 4, as GGUF stores it.

Unlike sentencepiece's BPE it has merges in an order of their own; they never cross a run of newlines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from armillary.formats.tokens.spelling import SPACE_MARK

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MARKED = "gemma4"  # the name of the model in GGUF


def marked_tokenizer(
    ids: Mapping[str, int], merges: Sequence[tuple[str, str]], added: Sequence[str], unknown: str | None
) -> Tokenizer:
    """The `tokenizers` library's BPE over these."""
    from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

    tokenizer = Tokenizer(models.BPE(dict(ids), list(merges), unk_token=unknown, byte_fallback=True))
    tokenizer.normalizer = normalizers.Replace(" ", SPACE_MARK.decode())
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"\n+"), "isolated")
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in added if text])
    return tokenizer
