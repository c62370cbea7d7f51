"""Words: what a text is in a table, and what its neighbours, directions and relations are."""

from armillary.words.word import Pool, Word, read_word

__all__ = ["Pool", "Word", "read_word"]
