"""The miniature: a small language model whose input and output tables are one tensor or two.

A feed-forward model (Bengio 2003): the rows of the last few words, one hidden layer, and the output table. It is the
smallest thing that has both ends of a real model. Gradients are kept apart at the two ends even where the table is
one, by looking it up through two views.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.errors import MissingExtra


@dataclass(frozen=True)
class Size:
    """Words known, width of the tables, words of context, width of the hidden layer."""

    vocabulary: int
    width: int = 64
    context: int = 5
    hidden: int = 128


class Network:
    """Parameters and the loss. The same seed gives tied and untied the same input table and body."""

    def __init__(self, size: Size, tied: bool, seed: int) -> None:
        torch = import_torch()
        generator = torch.Generator().manual_seed(seed)

        def draw(*shape: int, scale: float) -> Any:
            return (torch.randn(shape, generator=generator) * scale).requires_grad_()

        self.size: Size = size
        self.tied: bool = tied
        self.table: Any = draw(size.vocabulary, size.width, scale=size.width**-0.5)
        self.into: Any = draw(size.context * size.width, size.hidden, scale=(size.context * size.width) ** -0.5)
        self.out: Any = draw(size.hidden, size.width, scale=size.hidden**-0.5)
        self.bias: Any = torch.zeros(size.hidden).requires_grad_()
        self.output: Any = self.table if tied else draw(size.vocabulary, size.width, scale=size.width**-0.5)

    @property
    def parameters(self) -> list[Any]:
        """Every tensor that is trained, once."""
        return [self.table, self.into, self.out, self.bias, *([] if self.tied else [self.output])]

    def loss(self, context: Any, target: Any) -> tuple[Any, Any, Any]:
        """(mean cross-entropy in nats, view of the table at the input end, view at the output end)."""
        from torch.nn.functional import cross_entropy

        first, last = self.table.view_as(self.table), self.output.view_as(self.output)
        first.retain_grad()
        last.retain_grad()
        rows = first[context].flatten(1)  # (b, context·d)
        state = (rows @ self.into + self.bias).tanh() @ self.out  # (b, d)
        return cross_entropy(state @ last.T, target), first, last

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        """Input and output rows as they are now, copies."""
        return self.table.detach().numpy().copy(), self.output.detach().numpy().copy()


def import_torch() -> Any:
    """torch, or MissingExtra."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("training a language model", "train") from error
    return torch
