"""The hashed rows of fastText's character n-grams, of many words side by side.

An n-gram's row is its FNV-1a hash over signed bytes (as fastText has it) modulo the buckets; characters are told by their
UTF-8 heads, `<` and `>` mark the ends of a word and are no n-grams alone (Bojanowski et al., 2017).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armillary.shapes import Int64

_END_OF_SENTENCE = b"</s>"  # the one word that has no n-grams
_LONGEST_WORD = 4096  # bytes; what is beyond has no n-grams
_START, _FACTOR = np.uint32(2166136261), np.uint32(16777619)


def ngrams_at_most(word: bytes, shortest: int, longest: int) -> int:
    """How many n-grams a word can have, and itself: each begins at one of its bytes or marks."""
    return 1 + (min(len(word), _LONGEST_WORD) + 2) * max(0, longest - max(1, shortest) + 1)


def ngram_rows(
    words: Sequence[bytes], shortest: int, longest: int, buckets: int
) -> tuple[Int64[np.ndarray, "n"], Int64[np.ndarray, "words"]]:
    """The rows (0 … buckets−1) of the n-grams of each word, one word after the other in fastText's order, and how many."""
    marked = [b"<" + word[:_LONGEST_WORD] + b">" for word in words]
    data = np.frombuffer(b"".join(marked), np.uint8)
    heads = np.flatnonzero(data & 0xC0 != 0x80)  # where characters begin
    ends = np.append(heads[1:], len(data))
    word_ends = np.cumsum([len(word) for word in marked]) if marked else np.zeros(0, np.int64)
    owner = np.searchsorted(word_ends, heads, side="right")  # the word of each character
    last = np.searchsorted(owner, np.arange(len(words)), side="right") - 1  # the last character of each word
    signed = data.astype(np.int8).astype(np.uint32)
    first = np.append(True, owner[1:] != owner[:-1]) if len(owner) else np.zeros(0, bool)

    lengths = range(max(1, shortest), longest + 1)
    rows = np.zeros((len(heads), len(lengths)), np.int64)
    there = np.zeros((len(heads), len(lengths)), bool)
    value = np.full(len(heads), _START, np.uint32)
    for n in range(1, longest + 1):
        ending = np.arange(len(heads)) + n - 1  # the character that the n-gram ends with
        inside = np.flatnonzero(ending <= last[owner])
        _absorb(value, inside, heads[ending[inside]], ends[ending[inside]], signed)
        if n in lengths:
            rows[inside, n - lengths[0]] = value[inside] % np.uint32(buckets)
            there[inside, n - lengths[0]] = True
        if n == 1 and lengths and lengths[0] == 1:
            there[first | (np.arange(len(heads)) == last[owner]), 0] = False
    there[np.isin(owner, [i for i, word in enumerate(words) if word == _END_OF_SENTENCE])] = False
    counts = np.bincount(owner, there.sum(axis=1), len(words)).astype(np.int64)
    return rows[there], counts


def _absorb(value: np.ndarray, which: np.ndarray, begin: np.ndarray, end: np.ndarray, signed: np.ndarray) -> None:
    """Take the bytes begin … end−1 of one character into the hashes at `which`."""
    size = end - begin
    for k in range(int(size.max()) if len(size) else 0):
        more = size > k
        chosen = which[more]
        value[chosen] = (value[chosen] ^ signed[begin[more] + k]) * _FACTOR
