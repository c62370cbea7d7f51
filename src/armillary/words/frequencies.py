"""How frequent each token is, by a source that is named: word lists, a user's corpus, or the tokenizer's own scores.

No table says how often its tokens occur. `wordfreq` knows words in some forty languages; a corpus counts tokens
themselves; a tokenizer's scores order them by when they were merged or by log-probability.

A script is read in one language: the first of `LANGUAGES_OF_SCRIPT` unless the vocabulary knows the commonest words of
another much better, as word vectors of German do. A token counts if it is a whole word, and has the frequency that
texts of that language give it; one that their list lacks has none. So in a vocabulary of many languages *Haus* has what
English texts give it, which is little: name a corpus where that matters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from armillary.errors import MissingExtra, UsageError
from armillary.shapes import Float64
from armillary.table import Kind, Vocabulary
from armillary.words.scripts import scripts

# wordfreq's languages by the script they are written in, the one that stands for the script first
LANGUAGES_OF_SCRIPT: dict[str, tuple[str, ...]] = {
    "Latin": ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "nb", "fi", "is", "pl", "cs", "sk", "sl", "sh", "hu", "ro", "ca", "lt", "lv", "tr", "id", "ms", "fil", "vi"),
    "Han": ("zh",),
    "Cyrillic": ("ru", "uk", "bg", "mk"),
    "Arabic": ("ar", "fa", "ur"),
    "Hangul": ("ko",),
    "Hiragana": ("ja",),
    "Katakana": ("ja",),
    "Greek": ("el",),
    "Hebrew": ("he",),
    "Devanagari": ("hi",),
    "Bengali": ("bn",),
    "Tamil": ("ta",),
}  # fmt: skip
NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese", "nl": "Dutch",
    "sv": "Swedish", "da": "Danish", "nb": "Norwegian", "fi": "Finnish", "is": "Icelandic", "pl": "Polish", "cs": "Czech",
    "sk": "Slovak", "sl": "Slovene", "sh": "Serbo-Croatian", "hu": "Hungarian", "ro": "Romanian", "ca": "Catalan",
    "lt": "Lithuanian", "lv": "Latvian", "tr": "Turkish", "id": "Indonesian", "ms": "Malay", "fil": "Filipino", "vi": "Vietnamese",
}  # fmt: skip
COMMONEST = 1_000  # words of a language by which it is told
BETTER = 0.1  # share of them by which another language must be known better than the first
UNSPACED = ("Han", "Hiragana", "Katakana", "Thai")


@dataclass(frozen=True, eq=False)
class Frequencies:
    """Relative frequency of every token (V), NaN where the source does not know it; `source` says what it is."""

    values: Float64[np.ndarray, "V"]
    source: str

    @property
    def known(self) -> int:
        """How many tokens have a frequency."""
        return int(np.isfinite(self.values).sum())

    @property
    def log(self) -> Float64[np.ndarray, "V"]:
        """Natural logarithm; NaN where unknown or zero."""
        return np.log(self.values, out=np.full(len(self.values), np.nan), where=self.values > 0)

    @property
    def deciles(self) -> np.ndarray:
        """Decile of each token among those known, 1 … 10 (the most frequent), 0 unknown; ties share their order by id."""
        deciles = np.zeros(len(self.values), np.int64)
        known = np.flatnonzero(np.isfinite(self.values))
        order = known[np.lexsort((known, self.values[known]))]
        deciles[order] = 1 + (10 * np.arange(len(order))) // max(1, len(order))
        return deciles


def word_frequencies(vocabulary: Vocabulary, languages: dict[str, str] | None = None) -> Frequencies:
    """Frequencies of the tokens that are whole words, from wordfreq; NaN for a word that its language's list lacks.

    `languages`: script to language, where given only these scripts; by default every script of `LANGUAGES_OF_SCRIPT` in
    the language that `language_of` tells. MissingExtra without the extra `words`, UsageError for an unknown language.
    """
    there = _wordfreq().available_languages("best")
    unknown = set((languages or {}).values()) - set(there)
    if unknown:
        raise UsageError(
            f"expected languages that wordfreq has, found {', '.join(sorted(unknown))}",
            f"there are {', '.join(sorted(there))}",
        )
    words = words_by_script(vocabulary)
    values = np.full(len(vocabulary), np.nan)
    used: set[str] = set()
    for script in sorted(words.keys() & (languages or LANGUAGES_OF_SCRIPT).keys()):
        language = languages[script] if languages else language_of(set(words[script].values()), script)
        values[list(words[script])] = _known(language, list(words[script].values()))
        used.add(language)
    return Frequencies(values, f"wordfreq, whole words, by script ({', '.join(sorted(used))})")


def language_of(words: Collection[str], script: str) -> str:
    """The language whose frequencies the words of a script are given: the script's first, unless another is known better.

    Known is a language by the share of its 1,000 commonest words that are among these; a tenth more makes another the
    one. `words` in lower case.
    """
    first, *others = LANGUAGES_OF_SCRIPT[script]
    own = _known_share(words, first) if others else 1.0
    if own + BETTER > 1.0:  # no other can be known that much better
        return first
    shares = {other: _known_share(words, other) for other in others}
    best = max(shares, key=lambda other: shares[other])
    return best if shares[best] >= own + BETTER else first


def _known_share(words: Collection[str], language: str) -> float:
    in_order = (word for bin in _wordfreq().get_frequency_list(language, "small") for word in bin if word.isalpha())
    commonest = list(islice(in_order, COMMONEST))
    return sum(word in words for word in commonest) / len(commonest)


def _wordfreq() -> Any:
    try:
        import wordfreq
    except ImportError as error:
        raise MissingExtra("Word frequencies", "words") from error
    return wordfreq


def words_by_script(vocabulary: Vocabulary) -> dict[str, dict[int, str]]:
    """The whole words of each script, lower-cased, by id."""
    script_of = scripts(vocabulary)
    whole = whole_words(vocabulary, script_of)
    return {
        script: {
            id: vocabulary.raw[id].decode("utf-8").strip().lower()
            for id in np.flatnonzero(whole & (script_of == script)).tolist()
        }
        for script in np.unique(script_of[whole]).tolist()
    }


def _known(language: str, words: Sequence[str]) -> Float64[np.ndarray, "n"]:
    """Frequencies of words in a language, NaN unknown.

    wordfreq lists words by frequency in centibels; to look each list through for the words asked for is several times
    quicker than to make its dictionary of all.
    """
    wordfreq = _wordfreq()
    asked = frozenset(words)
    lists = enumerate(wordfreq.get_frequency_list(language, "best"))
    known = {word: wordfreq.cB_to_freq(-below) for below, group in lists for word in asked.intersection(group)}
    return np.array([known.get(word, np.nan) for word in words])


def corpus_frequencies(vocabulary: Vocabulary, texts: Iterable[str]) -> Frequencies:
    """Share of each token in a corpus, split by the tokenizer, or at spaces where there is none."""
    counts: Counter[int] = Counter()
    for text in texts:
        if vocabulary.tokenizer is not None:
            counts.update(vocabulary.encode(text))
        else:
            for word in text.split():
                counts.update(vocabulary.find(word)[:1])
    total = sum(counts.values())
    if not total:
        raise UsageError("expected a corpus with tokens of this table, found none")
    values = np.zeros(len(vocabulary))
    inside = {i: n for i, n in counts.items() if i < len(values)}
    values[list(inside)] = np.array(list(inside.values())) / total
    return Frequencies(values, f"a corpus of {total:,} tokens")


def score_frequencies(vocabulary: Vocabulary) -> Frequencies:
    """From the tokenizer's own scores: log-probabilities as they are, merge ranks by Zipf's law 1/(rank + 2.7)."""
    scores = vocabulary.scores
    if scores is None or not np.isfinite(scores).any() or np.ptp(scores[np.isfinite(scores)]) == 0:
        raise UsageError("expected a tokenizer with scores, found none in this vocabulary", "name a corpus instead")
    scores = scores.astype(np.float64)
    normal = (vocabulary.kinds == Kind.NORMAL) & np.isfinite(scores)
    if np.abs(scores[normal] - np.round(scores[normal])).max(initial=0) < 1e-6:  # whole numbers are merge ranks
        values, how = 1 / (-scores + 2.7), "merge ranks of the tokenizer, by Zipf's law"
    else:
        values, how = np.exp(np.minimum(scores, 0)), "log-probabilities of the tokenizer"
    values = np.where(normal & (values > 0), values, np.nan)
    return Frequencies(values / np.nansum(values), how)


def frequencies(vocabulary: Vocabulary) -> Frequencies:
    """The default source: word lists."""
    return word_frequencies(vocabulary)


def whole_words(vocabulary: Vocabulary, script_of: np.ndarray) -> np.ndarray:
    """Which tokens are whole words: after a space where the vocabulary marks spaces, of letters alone."""
    texts = [raw.decode("utf-8", "replace") for raw in vocabulary.raw]
    marks_spaces = sum(t.startswith(" ") for t in texts[: 1 << 16]) > 10
    unspaced = np.isin(script_of, UNSPACED)
    starts = np.array([t[:1] == " " for t in texts]) if marks_spaces else np.ones(len(texts), bool)
    continued = np.array([name.startswith("##") for name in vocabulary.names])
    letters = np.array([t.strip().isalpha() for t in texts])
    return (starts | unspaced) & letters & ~continued & (vocabulary.kinds == Kind.NORMAL)
