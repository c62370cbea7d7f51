"""The toy model of superposition: x′ = ReLU(WᵀWx + b), n sparse features through m dimensions, trained in batches.

Elhage et al. 2022. Features are uniform on [0, 1] and active with probability p = 1 − S; the loss is the mean over
the batch of Σ_i I_i (x_i − x′_i)² / n. Many instances, each with its own probability and start, are trained in one
run: they differ only in the leading axis, so the cost per instance is small. Training has local minima (one run in
five of the pentagon ends at twice the loss), so what is read off is the instances of lowest loss.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.answer import Listing
from armillary.errors import MissingExtra, UsageError, check_range, check_seed
from armillary.origins.superposition.measures import dimensionality, dimensions_per_feature
from armillary.table import Table

BATCH = 512
STEPS = 2500
LEARNING_RATE = 1e-2
TEST_BATCHES = 32  # fresh batches behind a reported loss
MOST_FEATURES = 16_384


@dataclass(frozen=True, eq=False, repr=False)
class ToyModels(Listing):
    """Trained instances, by loss ascending within each probability.

    `weights` (s, m, n), `biases` (s, n), `losses` (s) (on one fresh sample, per feature), `probabilities` (s).
    """

    weights: np.ndarray
    biases: np.ndarray
    losses: np.ndarray
    probabilities: np.ndarray
    importance: np.ndarray
    seed: int
    steps: int
    interrupted: bool = False

    @property
    def title(self) -> str:
        _, m, n = self.weights.shape
        return f"{n:,} features in {m:,} dimensions, {len(self.losses):,} instances, {self.steps:,} steps each"

    @property
    def notes(self) -> list[str]:
        notes = ["Read the lowest losses: an instance that stays above them is a local minimum."]
        return ["Interrupted; this is as far as training came.", *notes] if self.interrupted else notes

    def columns(self) -> dict[str, list[Any]]:
        shares = dimensionality(self.weights)
        return {
            "probability": self.probabilities.tolist(),
            "loss": self.losses.tolist(),
            "dimensions_per_feature": dimensions_per_feature(self.weights).tolist(),
            "D_of_each": [" ".join(f"{d:.2f}" for d in sorted(row, reverse=True)[:12]) for row in shares.tolist()],
        }

    def to_dict(self) -> dict[str, Any]:
        _, m, n = self.weights.shape
        return {
            "features": n,
            "dimensions": m,
            "steps": self.steps,
            "seed": self.seed,
            "interrupted": self.interrupted,
            "probability": self.probabilities,
            "loss": self.losses,
            "dimensions_per_feature": dimensions_per_feature(self.weights),
            "dimensionality": dimensionality(self.weights),
            "weights": self.weights,
            "biases": self.biases,
        }

    def to_table(self, instance: int = 0) -> Table:
        """The features of one instance as rows of a table, named feature 0, 1, …."""
        features = self.weights[instance].T
        names = [f"feature {i}" for i in range(len(features))]
        return Table.from_array(features, names, source=f"superpose, seed {self.seed}, instance {instance}")


Draw = Callable[[int, Any], Any]  # (step, torch generator) -> batch (s, b, n)


def train(
    features: int,
    dimensions: int,
    probabilities: Sequence[float] = (0.05,),
    importance: Sequence[float] | None = None,
    instances: int = 20,
    steps: int = STEPS,
    batch: int = BATCH,
    learning_rate: float = LEARNING_RATE,
    seed: int = 0,
    draw: Draw | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ToyModels:
    """`instances` models for every probability, trained together by Adam with a cosine schedule.

    `draw` replaces independent features by another law of co-occurrence. Interrupting keeps what is trained so far.
    UsageError for numbers out of range, MissingExtra without torch.
    """
    check_seed(seed)
    weight = _check(features, dimensions, probabilities, importance, instances, steps)
    torch = _torch()
    generator = torch.Generator().manual_seed(seed)
    p = torch.tensor(probabilities).repeat_interleave(instances)
    shape = (len(p), dimensions, features)
    w = (torch.randn(shape, generator=generator) / dimensions**0.5).requires_grad_()
    b = torch.zeros(shape[0], 1, features).requires_grad_()
    optimizer = torch.optim.Adam([w, b], lr=learning_rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    importances = torch.tensor(weight, dtype=torch.float32)
    draw = draw or (lambda _, g: independent(p, batch, features, g))
    done, interrupted = 0, False
    try:
        for done in range(1, steps + 1):
            x = draw(done, generator)
            loss = _loss(x, w, b, importances).mean(dim=1).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            if progress:
                progress(done, steps)
    except KeyboardInterrupt:
        interrupted = True
    fresh = torch.Generator().manual_seed(seed + 1)
    with torch.no_grad():
        tests = [_loss(draw(0, fresh), w, b, importances).mean(dim=1) for _ in range(TEST_BATCHES)]
    losses = torch.stack(tests).mean(dim=0)
    return _sorted(w, b, losses, p, weight, seed, done, interrupted)


def independent(p: Any, batch: int, features: int, generator: Any) -> Any:
    """A batch (s, b, n) of features that are active independently with probability p (s)."""
    torch = _torch()
    size = (len(p), batch, features)
    values = torch.rand(size, generator=generator)
    return values * (torch.rand(size, generator=generator) < p[:, None, None])


def _loss(x: Any, w: Any, b: Any, importance: Any) -> Any:
    """(s, batch) losses, per feature."""
    hidden = x @ w.transpose(1, 2)  # (s, b, m)
    out = (hidden @ w + b).relu()
    return (importance * (x - out) ** 2).mean(dim=-1)


def _sorted(
    w: Any, b: Any, losses: Any, p: Any, weight: np.ndarray, seed: int, steps: int, interrupted: bool
) -> ToyModels:
    probabilities, values = p.numpy().astype(np.float64), losses.numpy().astype(np.float64)
    order = np.lexsort((np.arange(len(values)), values, probabilities))
    return ToyModels(
        weights=w.detach().numpy().astype(np.float64)[order],
        biases=b.detach().numpy().astype(np.float64)[order, 0],
        losses=values[order],
        probabilities=probabilities[order],
        importance=weight,
        seed=seed,
        steps=steps,
        interrupted=interrupted,
    )


def _check(
    features: int,
    dimensions: int,
    probabilities: Sequence[float],
    importance: Sequence[float] | None,
    instances: int,
    steps: int,
) -> np.ndarray:
    check_range("features", features, 1, MOST_FEATURES)
    check_range("dimensions", dimensions, 1, 4_096)
    check_range("instances", instances, 1, 10_000)
    check_range("steps", steps, 1, 10_000_000)
    if not probabilities or not all(0 < p <= 1 for p in probabilities):
        raise UsageError(f"expected probabilities above 0 and up to 1, found {list(probabilities)}")
    weight = np.ones(features) if importance is None else np.asarray(importance, np.float64)
    if weight.shape != (features,) or not (weight >= 0).all() or not np.isfinite(weight).all():
        raise UsageError(f"expected {features:,} importances of 0 or more, found {weight.tolist()}")
    return weight


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("training", "train") from error
    return torch
