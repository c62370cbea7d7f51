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
# DeepSeek's list of letters: those with case in these spans, and none that Unicode added elsewhere since
CASED_LETTERS = (
    r"[A-\x{556}\x{10a0}-\x{10c5}\x{13a0}-\x{13f5}\x{13f8}-\x{13fd}\x{1c90}-\x{1cbf}\x{1d00}-\x{1d9a}\x{1e00}-\x{2184}"
    r"\x{2c00}-\x{2cf3}\x{a640}-\x{a78e}\x{ab70}-\x{abbf}\x{fb00}-\x{ff5a}\x{10400}-\x{104fb}\x{10c80}-\x{10cf2}"
    r"\x{118a0}-\x{118df}\x{1e900}-\x{1e943}&&[\p{Lu}\p{Ll}\p{Lt}]]"
)

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
    "deepseek-llm": (
        "[\r\n]",
        rf"\s?{CASED_LETTERS}+",
        r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
        r"\s+$",
        _HAN_TO_HANGUL,
        r"\p{N}+",
    ),
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
