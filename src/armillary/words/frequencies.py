"""How frequent each token is, by a source that is named: word lists, a user's corpus, or the tokenizer's own scores.

No table says how often its tokens occur. `wordfreq` knows words in some forty languages (a token counts if it is a
whole word of the language that its script suggests); a corpus counts tokens themselves; a tokenizer's scores order
them by when they were merged or by log-probability.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from armillary.errors import MissingExtra, UsageError
from armillary.shapes import Float64
from armillary.table import Kind, Vocabulary
from armillary.words.scripts import scripts

LANGUAGE_OF_SCRIPT: dict[str, str] = {
    "Latin": "en",
    "Han": "zh",
    "Cyrillic": "ru",
    "Arabic": "ar",
    "Hangul": "ko",
    "Hiragana": "ja",
    "Katakana": "ja",
    "Greek": "el",
    "Hebrew": "he",
    "Devanagari": "hi",
    "Bengali": "bn",
    "Tamil": "ta",
}
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
    """Frequencies of the tokens that are whole words, from wordfreq, by the language of each token's script."""
    try:
        from wordfreq import available_languages
    except ImportError as error:
        raise MissingExtra("Word frequencies", "words") from error
    languages = languages or LANGUAGE_OF_SCRIPT
    unknown = set(languages.values()) - set(available_languages("best"))
    if unknown:
        raise UsageError(f"expected languages that wordfreq has, found {', '.join(sorted(unknown))}")
    script_of = scripts(vocabulary)
    values = np.full(len(vocabulary), np.nan)
    whole = whole_words(vocabulary, script_of)
    for script in np.unique(script_of[whole]).tolist():
        if script not in languages:
            continue
        ids = np.flatnonzero(whole & (script_of == script))
        values[ids] = _known(
            languages[script], [vocabulary.raw[i].decode("utf-8").strip().lower() for i in ids.tolist()]
        )
    used = sorted({languages[s] for s in np.unique(script_of[whole]).tolist() if s in languages})
    return Frequencies(values, f"wordfreq, whole words, by script ({', '.join(used)})")


def _known(language: str, words: Sequence[str]) -> Float64[np.ndarray, "n"]:
    """Frequencies of words in a language, NaN unknown.

    wordfreq lists words by frequency in centibels; to look each list through for the words asked for is several times
    quicker than to make its dictionary of all.
    """
    from wordfreq import cB_to_freq, get_frequency_list

    asked = frozenset(words)
    lists = enumerate(get_frequency_list(language, "best"))
    known = {word: cB_to_freq(-below) for below, group in lists for word in asked.intersection(group)}
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
