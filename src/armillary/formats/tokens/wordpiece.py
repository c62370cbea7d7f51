"""WordPiece (Devlin et al., 2019, BERT): words split greedily into the longest pieces of the vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def wordpiece_tokenizer(names: Sequence[str], *, lowercase: bool, added: Sequence[str] = ()) -> Tokenizer:
    """The `tokenizers` library's WordPiece over these names, ids in order, with BERT's own splitting of text."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers

    ids = {name: i for i, name in reversed(list(enumerate(names)))}
    unknown = "[UNK]" if "[UNK]" in ids else next(iter(added), "[UNK]")
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token=unknown, max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_tokens([AddedToken(name, normalized=False) for name in added])
    return tokenizer


def looks_lowercase(names: Sequence[str]) -> bool:
    """Whether no whole word of the vocabulary has a capital, brackets aside: then texts are lowered first."""
    return not any(name != name.lower() for name in names if not name.startswith(("[", "<")))
