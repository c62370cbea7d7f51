"""A trained word model: two tables, what it cost, and how it came to be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armillary.answer import Answer, number, seconds
from armillary.origins.word2vec.settings import Kind, Settings
from armillary.shapes import Float32, Int64
from armillary.table import Table


@dataclass(frozen=True)
class Snapshot:
    """The word vectors after so many epochs; 0 is before any training."""

    epoch: int
    vectors: Float32[np.ndarray, "v d"] = field(repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class WordModel(Answer):
    """Word vectors W and context vectors C of one kind of model.

    `losses`: loss per word of the text by epoch, summed over its pairs, empty for count models. gensim leaves out pairs
    with |w·c| ≥ 6, so that it need not fall in every epoch. `snapshots` from epoch
    0 where asked for. `throughput`: words of the text a second, over all epochs.
    """

    kind: Kind
    source: str
    words: tuple[str, ...]
    counts: Int64[np.ndarray, "v"]
    vectors: Float32[np.ndarray, "v d"]
    contexts: Float32[np.ndarray, "v d"]
    settings: Settings
    losses: tuple[float, ...] = ()
    snapshots: tuple[Snapshot, ...] = ()
    seconds: float = 0.0
    throughput: float = 0.0
    interrupted: bool = False

    def to_table(self) -> Table:
        """The word vectors as a table, named by words."""
        return Table.from_array(self.vectors, self.words, source=f"{self.kind} on {self.source}")

    def to_output_table(self) -> Table:
        """The context vectors (gensim's `syn1neg`) as a table: the output side of an untied model."""
        return Table.from_array(self.contexts, self.words, source=f"{self.kind} on {self.source}, contexts")

    def at(self, epoch: int) -> Table:
        """The word vectors as they were after `epoch` epochs."""
        snapshot = next(s for s in self.snapshots if s.epoch == epoch)
        return Table.from_array(snapshot.vectors, self.words, source=f"{self.kind} on {self.source}, epoch {epoch}")

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "source": self.source,
            "vocabulary": len(self.words),
            "settings": self.settings.to_dict(),
            "losses": list(self.losses),
            "snapshots": [s.epoch for s in self.snapshots],
            "seconds": self.seconds,
            "words_per_second": self.throughput,
            "interrupted": self.interrupted,
        }

    def __str__(self) -> str:
        width = self.vectors.shape[1]
        lines = [
            f"{self.kind} on {self.source}: {len(self.words):,} words × {width:,} dimensions in {seconds(self.seconds)}"
        ]
        if self.throughput:
            lines.append(f"{number(self.throughput)} words a second")
        if self.losses:
            lines.append("loss by epoch: " + ", ".join(number(loss, 4) for loss in self.losses))
        if self.interrupted:
            lines.append("Interrupted: this is what training had reached.")
        return "\n".join(lines)
