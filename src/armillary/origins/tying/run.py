"""Training one miniature and writing down, step by step, what happens to its table at both ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.origins.tying.network import Network, Size, import_torch

DECILES = 10


@dataclass(frozen=True)
class Moment:
    """The state at one step.

    `loss` in nats; `mean_cosine` of input and output table; `gradient_in`, `gradient_out`: norm of the table's
    gradient through each end; `updates`: mean length of a row's change since the last moment, and `norms`: mean
    length of a row, of the output table by decile of word frequency, commonest first.
    """

    step: int
    loss: float
    mean_cosine_in: float
    mean_cosine_out: float
    gradient_in: float
    gradient_out: float
    updates: tuple[float, ...]
    norms: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Run:
    """One trained miniature: its tables, and the moments from step 0."""

    tied: bool
    input: np.ndarray
    output: np.ndarray
    moments: tuple[Moment, ...]
    interrupted: bool


def train_one(
    size: Size,
    tied: bool,
    contexts: np.ndarray,
    targets: np.ndarray,
    steps: int,
    batch: int,
    learning_rate: float,
    moments: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> Run:
    """Train with Adam on the same batches for the same seed; ids are by frequency, commonest first."""
    torch = import_torch()
    network = Network(size, tied, seed)
    optimizer = torch.optim.Adam(network.parameters, lr=learning_rate)
    generator = np.random.default_rng(seed)
    recorder = _Recorder(network)
    every = max(1, steps // max(moments, 1))
    interrupted = False
    try:
        for step in range(steps + 1):
            chosen = generator.integers(0, len(targets), batch)
            loss, first, last = network.loss(torch.from_numpy(contexts[chosen]), torch.from_numpy(targets[chosen]))
            optimizer.zero_grad()
            loss.backward()
            if step % every == 0 or step == steps:
                recorder.record(step, float(loss.detach()), first.grad, last.grad)
            if step < steps:
                optimizer.step()
            if progress:
                progress(step, steps)
    except KeyboardInterrupt:
        interrupted = True
    return Run(tied, *network.tables(), tuple(recorder.moments), interrupted)


class _Recorder:
    def __init__(self, network: Network) -> None:
        self.network = network
        self.before = network.tables()[1]
        self.moments: list[Moment] = []

    def record(self, step: int, loss: float, at_input: Any, at_output: Any) -> None:
        first, last = self.network.tables()
        self.moments.append(
            Moment(
                step,
                loss,
                mean_cosine(first),
                mean_cosine(last),
                float(at_input.norm()),
                float(at_output.norm()),
                by_decile(np.linalg.norm(last - self.before, axis=1)),
                by_decile(np.linalg.norm(last, axis=1)),
            )
        )
        self.before = last


def mean_cosine(rows: np.ndarray) -> float:
    """(‖Σu‖² − n)/(n(n−1)) over the rows' directions, in float64."""
    unit = rows.astype(np.float64)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    n = len(unit)
    return float((np.sum(unit.sum(axis=0) ** 2) - n) / (n * (n - 1)))


def by_decile(values: np.ndarray) -> tuple[float, ...]:
    """Means over tenths of the rows, commonest words first; NaN for a tenth without a row."""
    return tuple(float(part.mean()) if len(part) else float("nan") for part in np.array_split(values, DECILES))
