"""What people ask of words, composed for a study: similarity, analogies, directions, categories, evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armillary.errors import UsageError
from armillary.table import Table

if TYPE_CHECKING:
    from armillary.words.analogy import Analogy
    from armillary.words.background import Background
    from armillary.words.calibrator import Calibrator
    from armillary.words.categories import Categories
    from armillary.words.directions import Direction
    from armillary.words.ladder import Ladder
    from armillary.words.lists import Section
    from armillary.words.metrics import Metrics
    from armillary.words.null import ChanceOfRank
    from armillary.words.relation import Relation
    from armillary.words.scores import Method
    from armillary.words.similarity import Similarity
    from armillary.words.trends import Trend
    from armillary.words.word import Pool, Word


@dataclass(frozen=True)
class AnalogyAnswer:
    """An analogy with its null (None for methods other than 3CosAdd)."""

    analogy: Analogy
    chance: ChanceOfRank | None

    def __str__(self) -> str:
        return f"{self.analogy}\n{self.chance.sentence}" if self.chance else str(self.analogy)

    def to_dict(self) -> dict[str, Any]:
        return {**self.analogy.to_dict(), "null": self.chance.to_dict() if self.chance else None}


class WordQuestions:
    """The questions about words that a `Study` answers; it brings the table and the cache."""

    table: Table
    path: Path | None
    cache: bool

    def spelled(self, *texts: str) -> list[Word | None]:
        """The row or rows that each text stands for; None for one that the table does not have."""
        from armillary.words.word import try_word

        return [try_word(self.table, text) for text in texts]

    def similarity(self, *words: str, pool: Pool = "mean") -> Similarity:
        """Every pair of these words: cosine with percentile and z among random pairs, CSLS, dot product, distance.

        Never starts a scan; reads a finished one where there is one. UsageError for fewer than two words or an
        unknown one.
        """
        from armillary.words.similarity import similarity

        return similarity(self.table, words, _background(self), pool)

    def ladder(self, language: str = "en") -> Ladder:
        """The relation ladder, identical to unrelated, in `en` or `zh`: means, intervals, and whether the order held."""
        from armillary.words.ladder import ladder

        return ladder(self.table, language)

    def calibrator(self) -> Calibrator:
        """A calibrator of this table for production: `save` it, and `arm.Calibrator.load` applies it without the table."""
        from armillary.words.calibrator import Calibrator

        return Calibrator.fit(self.table)

    def analogy(
        self,
        question: str,
        *,
        answer: str | None = None,
        method: Method = "3CosAdd",
        k: int = 10,
        pool: Pool = "mean",
        raw_rows: bool = False,
        null: bool = True,
    ) -> AnalogyAnswer:
        """`king - man + woman` or `man : king :: woman : ?`: ranks in every convention, baseline and null.

        `answer`: the word whose ranks are asked, by default the first that comes. UsageError for a bad expression or an
        unknown word.
        """
        from armillary.words.analogy import analogy
        from armillary.words.null import chance

        found = analogy(self.table, question, answer=answer, method=method, k=k, pool=pool, raw_rows=raw_rows)
        return AnalogyAnswer(found, chance(self.table, found) if null and method == "3CosAdd" else None)

    def direction(self, which: str | Sequence[tuple[str, str]], *, language: str = "en") -> Direction:
        """A direction from pairs, or of a ready set by name (gender, plural, tense, comparative, capital, sentiment)."""
        from armillary.words.directions import direction

        if isinstance(which, str):
            return direction(self.table, ready_set(which, language).pairs, which)
        return direction(self.table, which)

    def relation(self, which: str, pairs: Sequence[tuple[str, str]] | None = None, *, language: str = "en") -> Relation:
        """Every analogy method on the pairs of a ready set, or on pairs given, with ranks in every convention."""
        from armillary.words.relation import relation

        return relation(self.table, which, pairs if pairs is not None else ready_set(which, language).pairs)

    def trend(self, words: Sequence[str] | None = None, *, language: str = "en") -> Trend:
        """The trend along an ordered list; by default the number words."""
        from armillary.words.trends import trend

        name = "number magnitude" if words is None else "trend"
        return trend(self.table, ready_set(name, language).words if words is None else words, name)

    def categories(self, source: str | Path = "en") -> Categories:
        """The six categories in `en` or `zh`, or a user's own lists (text, CSV, JSON): separation, purity, near misses."""
        from armillary.words.categories import categories
        from armillary.words.lists import LANGUAGES, read_sections, shipped

        known = shipped("categories", str(source)) if str(source) in LANGUAGES else read_sections(Path(source))
        return categories(self.table, known)

    def compare_metrics(
        self,
        *words: str,
        k: int = 10,
        queries: int = 1_000,
        progress: Callable[[int, int], None] | None = None,
    ) -> Metrics:
        """Cosine, dot product and Euclidean distance side by side; hubs by frequency decile where wordfreq is there.

        `queries`: seeded rows over which hubs and agreement are counted. progress(rows read, rows to be read).
        """
        from armillary.errors import MissingExtra
        from armillary.study.stages import heard
        from armillary.words.frequencies import word_frequencies
        from armillary.words.metrics import compare_metrics

        try:
            deciles = word_frequencies(self.table.vocabulary).deciles
        except MissingExtra:
            deciles = None
        known = deciles if deciles is not None and deciles.any() else None
        return compare_metrics(heard(self.table, progress, 2 + len(words)), words, k, known, queries)

    def evaluate(
        self,
        sets: Sequence[str] = (),
        *,
        rows: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> dict[str, Any]:
        """Word-similarity and analogy sets by name or file; by default all English similarity sets and Google.

        `rows`: analogies over the first rows alone. UnreadableError where the data set `evaluation` was not fetched.
        """
        from armillary.study.evaluation import evaluate_sets

        return evaluate_sets(self.table, sets, rows, progress)


def ready_sets(language: str) -> list[Section]:
    """The ready sets that are pairs."""
    from armillary.words.lists import shipped

    return [s for s in shipped("sets", language) if s.lines and all(len(line) == 2 for line in s.lines)]


def ready_set(name: str, language: str) -> Section:
    """A ready set by name; UsageError lists the names."""
    from armillary.words.lists import shipped

    sections = {section.name: section for section in shipped("sets", language)}
    if name not in sections:
        raise UsageError(f"expected a ready set, found {name!r}", f"there are {', '.join(sections)}")
    return sections[name]


def _background(study: WordQuestions) -> Background | None:
    """The random pairs of a finished scan where one is known without a pass over the rows; None: sample them."""
    from armillary.study.memory import facts_are_kept

    if "facts" in study.__dict__ or (study.cache and facts_are_kept(study.table, study.path)):
        return getattr(study, "background", None)
    return None
