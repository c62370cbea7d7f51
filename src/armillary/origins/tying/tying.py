"""One table for input and output, or two: a small language model trained both ways on the same text and seed.

Press & Wolf 2017 found that a tied table behaves like the output table of an untied model. Here it is measured in
miniature: the gradients at both ends, the mean cosine as the cone appears, and which of the two untied tables the
tied one is nearer to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from armillary.answer import Listing
from armillary.errors import UsageError, check_seed
from armillary.origins.tying.compare import Likeness, likeness
from armillary.origins.tying.network import Size
from armillary.origins.tying.run import Run, train_one
from armillary.origins.word2vec import Corpus
from armillary.table import Table

VOCABULARY = 2000


@dataclass(frozen=True, eq=False, repr=False)
class Tying(Listing):
    """Both runs, and the tied table's likeness to each untied table (None where training was interrupted before)."""

    source: str
    words: tuple[str, ...]
    tied: Run
    untied: Run | None
    to_input: Likeness | None
    to_output: Likeness | None
    seed: int

    @property
    def interrupted(self) -> bool:
        return self.tied.interrupted or self.untied is None or self.untied.interrupted

    @property
    def title(self) -> str:
        return (
            f"A language model of {len(self.words):,} words on {self.source}, tied and untied, the same text and seed"
        )

    def columns(self) -> dict[str, list[Any]]:
        runs = [r for r in (self.tied, self.untied) if r]
        moments = [(r, m) for r in runs for m in r.moments]
        return {
            "run": ["tied" if r.tied else "untied" for r, _ in moments],
            "step": [m.step for _, m in moments],
            "loss": [m.loss for _, m in moments],
            "mean_cosine_in": [m.mean_cosine_in for _, m in moments],
            "mean_cosine_out": [m.mean_cosine_out for _, m in moments],
            "gradient_in": [m.gradient_in for _, m in moments],
            "gradient_out": [m.gradient_out for _, m in moments],
            "update_common": [m.updates[0] for _, m in moments],
            "update_rare": [m.updates[-1] for _, m in moments],
        }

    @property
    def notes(self) -> list[str]:
        notes = ["Interrupted; this is as far as training came."] if self.interrupted else []
        if self.to_input and self.to_output:
            a, b = self.to_input, self.to_output
            side = "output" if b.procrustes > a.procrustes else "input"
            notes.append(
                f"After the best rotation the tied table has mean cosine {a.procrustes:.3f} with the untied input and "
                f"{b.procrustes:.3f} with the untied output: it is nearer to the {side}."
            )
            notes.append(
                f"Linear CKA {a.cka:.3f} and {b.cka:.3f}; the ten nearest overlap by {a.overlap:.3f} and {b.overlap:.3f}."
            )
        return notes

    def tables(self) -> dict[str, Table]:
        """`tied`, and `input` and `output` of the untied model, named by words."""
        rows = {"tied": self.tied.input}
        if self.untied:
            rows |= {"input": self.untied.input, "output": self.untied.output}
        return {name: Table.from_array(r, self.words, source=f"{name}, {self.source}") for name, r in rows.items()}

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "vocabulary": len(self.words),
            "seed": self.seed,
            "interrupted": self.interrupted,
            "runs": {
                "tied" if r.tied else "untied": [asdict(m) for m in r.moments] for r in (self.tied, self.untied) if r
            },
            "likeness": {
                "tied to input": asdict(self.to_input) if self.to_input else None,
                "tied to output": asdict(self.to_output) if self.to_output else None,
            },
        }


def tie(
    corpus: Corpus,
    vocabulary: int = VOCABULARY,
    width: int = 64,
    steps: int = 1500,
    batch: int = 256,
    learning_rate: float = 3e-3,
    moments: int = 15,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Tying:
    """Train tied and untied on the commonest `vocabulary` words of a corpus, the rest left out of the text.

    UsageError where the text is too short for one context; MissingExtra without torch.
    """
    check_seed(seed)
    if min(width, steps, batch, moments) < 1 or vocabulary < 2:
        raise UsageError("expected width, steps, batch and moments of 1 or more, and a vocabulary of 2 or more")
    size = Size(min(vocabulary, len(corpus.words)), width)
    contexts, targets = pairs(corpus, size)
    runs: list[Run] = []
    for tied in (True, False):
        advance = _shifted(progress, len(runs), steps)
        runs.append(train_one(size, tied, contexts, targets, steps, batch, learning_rate, moments, seed, advance))
        if runs[-1].interrupted:
            break
    untied = runs[1] if len(runs) == 2 else None
    sides: Sequence[Likeness | None] = (None, None)
    if untied:
        sides = [likeness(runs[0].input, other) for other in (untied.input, untied.output)]
    return Tying(corpus.source, corpus.words[: size.vocabulary], runs[0], untied, sides[0], sides[1], seed)


def pairs(corpus: Corpus, size: Size) -> tuple[np.ndarray, np.ndarray]:
    """(contexts (t, c), targets (t)) of every place that has a whole context in its sentence."""
    known = corpus.ids < size.vocabulary
    ids, sentence = corpus.ids[known].astype(np.int64), corpus.sentence_of[known]
    whole = np.flatnonzero(sentence[size.context :] == sentence[: -size.context]) if len(ids) > size.context else []
    if not len(whole):
        raise UsageError(
            f"expected a sentence of more than {size.context} known words in {corpus.source}, found none",
            "give a longer text",
        )
    whole = np.asarray(whole)
    contexts = np.stack([ids[whole + k] for k in range(size.context)], axis=1)
    return contexts, ids[whole + size.context]


def _shifted(
    progress: Callable[[int, int], None] | None, runs_done: int, steps: int
) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    return lambda done, _: progress(runs_done * steps + done, 2 * steps)
