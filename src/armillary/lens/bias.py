"""What the readout prefers whatever the text says: the biases of final norm and head, seen on the output table.

A bias b of the final norm adds b·w to the logit of token w, and the head's own bias adds to it; together they are the
scores of a model that has read nothing. Kobayashi et al. 2023 found that they follow word frequency.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.errors import UsageError
from armillary.lens.readout import Readout
from armillary.shapes import Float64

_DRAWS = 1000


@dataclass(frozen=True)
class BiasAgainstFrequency:
    """Spearman's correlation of what a bias adds to each logit with log frequency, over n tokens.

    `p`: share of `draws` shuffles that reach it in size (at least 1/(draws+1)); None where there is no bias.
    """

    spearman: float
    n: int
    p: float
    draws: int = _DRAWS

    def to_dict(self) -> dict[str, Any]:
        return {"spearman": self.spearman, "n": self.n, "p": self.p, "draws": self.draws}


def bias_of(readout: Readout) -> Float64[np.ndarray, "V"] | None:
    """What the biases of final norm and head add to every logit; None where there are none (RMS norm, no bias)."""
    if readout.norm.bias is None and readout.bias is None:
        return None
    total = np.zeros(len(readout.output))
    if readout.bias is not None:
        total += readout.bias
    if readout.norm.bias is not None:
        total += readout.output.astype(np.float64) @ readout.norm.bias
    return readout.multiplier * total


def bias_against_frequency(
    bias: Float64[np.ndarray, "V"], log_frequency: Float64[np.ndarray, "V"], *, seed: int = 0
) -> BiasAgainstFrequency:
    """Spearman's correlation over the tokens whose log frequency is finite, with a permutation test.

    UsageError for fewer than three such tokens or other lengths.
    """
    if len(bias) != len(log_frequency):
        raise UsageError(f"expected {len(bias):,} frequencies, one a token, found {len(log_frequency):,}")
    known = np.isfinite(log_frequency)
    if known.sum() < 3:
        raise UsageError(f"expected at least 3 tokens with a frequency, found {int(known.sum())}")
    first, second = (_ranked(values[known]) for values in (bias, log_frequency))
    value, rng = float(first @ second), np.random.default_rng(seed)
    reached = sum(abs(float(rng.permutation(first) @ second)) >= abs(value) for _ in range(_DRAWS))
    return BiasAgainstFrequency(value, int(known.sum()), (reached + 1) / (_DRAWS + 1))


def _ranked(values: np.ndarray) -> np.ndarray:
    """Mean ranks, centred, of unit length; zeros where all values are equal."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2.0)[which]
    ranks -= ranks.mean()
    size = np.linalg.norm(ranks)
    return ranks / size if size else ranks
