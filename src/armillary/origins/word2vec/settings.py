"""The settings that all four word models share, so that they differ only in what they do with the same pairs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from armillary.errors import UsageError, check_range, check_seed

Kind = Literal["skip-gram", "cbow", "ppmi", "shifted-pmi"]
KINDS: tuple[Kind, ...] = ("skip-gram", "cbow", "ppmi", "shifted-pmi")
_MOST = {
    "dimension": 16_384, "window": 1_000, "negative": 1_000, "minimum_count": 10**9, "epochs": 10_000, "workers": 1_024
}  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """How a word model is trained.

    `window`: words to each side, the nearer ones weighted more ((window − distance + 1)/window on average, as
    word2vec does). `negative`: k. `subsample`: words of a frequency above it are dropped at random, 0 for none.
    `smoothing`: the power on context frequencies (0.75). `workers`: with more than one, gensim's threads race and
    the same seed no longer gives the same numbers.
    """

    dimension: int = 100
    window: int = 5
    negative: int = 5
    minimum_count: int = 5
    subsample: float = 1e-3
    smoothing: float = 0.75
    epochs: int = 5
    learning_rate: float = 0.025
    seed: int = 0
    workers: int = 1

    def __post_init__(self) -> None:
        check_seed(self.seed)
        for name, most in _MOST.items():
            check_range(name.replace("_", " "), getattr(self, name), 1, most)
        if not (self.subsample >= 0 and 0 <= self.smoothing <= 1 and self.learning_rate > 0):
            raise UsageError(
                "expected subsample ≥ 0, smoothing from 0 to 1 and a learning rate above 0, found "
                f"{self.subsample}, {self.smoothing}, {self.learning_rate}"
            )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
