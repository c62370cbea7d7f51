"""Byte-level BPE from a vocabulary and its merges, with the ways of splitting text that GGUF files name.

A text is first split into pieces, in one or more passes, and merges never cross a piece. The patterns are those of
the tokenizers themselves; GGUF holds only a name for them. An unknown name is refused rather than guessed, since a
wrong split gives wrong ids without a sound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_MODERN = (
    _CONTRACTION
    + r"|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_LLAMA3 = _MODERN.format(digits="{1,3}")
_QWEN2 = _MODERN.format(digits="")
_QWEN35 = _QWEN2.replace(r"\p{L}+|\p{N}", r"[\p{L}\p{M}]+|\p{N}").replace(r"[^\s\p{L}\p{N}]", r"[^\s\p{L}\p{M}\p{N}]")
_HAN_TO_HANGUL = "[一-龥ࠀ-一가-\ud7ff]+"

PRE_TOKENIZERS: dict[str, tuple[str, ...]] = {
    "default": (r"[\p{P}\$\+<=>\^~\|]+", _GPT2, r"\p{N}+", "[0-9][0-9][0-9]"),
    "gpt-2": (_GPT2,),
    "llama-bpe": (_LLAMA3,),
    "llama3": (_LLAMA3,),
    "llama-v3": (_LLAMA3,),
    "qwen2": (_QWEN2,),
    "qwen35": (_QWEN35,),
    "smollm": (r"\p{N}", _GPT2),
    "starcoder": (r"\p{N}", _GPT2),
    "refact": (r"\p{N}", _GPT2),
    "command-r": (r"\p{N}", _GPT2),
    "mpt": (_GPT2,),
    "falcon": (r"[\p{P}\$\+<=>\^~\|`]+", _GPT2.removesuffix(r"|\s+"), "[0-9][0-9][0-9]"),
    "deepseek-coder": ("[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _HAN_TO_HANGUL, r"\p{N}"),
}
WHOLE_WORDS_FIRST: frozenset[str] = frozenset(
    {"llama-bpe", "llama3", "llama-v3"}
)  # a piece that is a token is not merged


def byte_level_tokenizer(
    ids: Mapping[str, int], merges: Sequence[tuple[str, str]], pre_tokenizer: str, added: Sequence[str]
) -> Tokenizer:
    """The `tokenizers` library's BPE over these, split as the name `pre_tokenizer` says; KeyError if unknown."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

    model = models.BPE(dict(ids), list(merges), ignore_merges=pre_tokenizer in WHOLE_WORDS_FIRST)
    tokenizer = Tokenizer(model)
    splits = [pre_tokenizers.Split(Regex(p), "isolated") for p in PRE_TOKENIZERS[pre_tokenizer]]
    alphabet = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*splits, alphabet])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in added if text])
    return tokenizer
