"""Vocabularies of tokenizers: which token each row is, and how a text becomes ids."""

from armillary.formats.tokens.folder import has_vocabulary, read_vocabulary
from armillary.formats.tokens.from_gguf import tokens_of_gguf
from armillary.formats.tokens.tokenlist import TokenList, fit_to_rows

__all__ = ["TokenList", "fit_to_rows", "has_vocabulary", "read_vocabulary", "tokens_of_gguf"]
