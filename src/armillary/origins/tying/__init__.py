"""Tying: one table for input and output, or two, in a small language model trained both ways."""

from armillary.origins.tying.compare import Likeness, likeness
from armillary.origins.tying.run import Moment, Run, mean_cosine
from armillary.origins.tying.tying import Tying, tie

__all__ = ["Likeness", "Moment", "Run", "Tying", "likeness", "mean_cosine", "tie"]
