"""The phase diagram of two features in one dimension: which arrangement is best, built by hand and as trained.

Feature 1 has importance 1, feature 2 importance r, each active with probability p. Built by hand, "both on one line,
opposite" has loss (1+r)p²/6 and "only one kept" has r(p/3 − p²/4) or (p/3 − p²/4); the losses here are integrated
numerically, so that the closed forms are checked rather than assumed. A trained pair may shrink its weights and raise
its bias, and so stays opposite beyond that boundary: the trained diagram is another one, and is labelled so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.answer import Listing
from armillary.errors import UsageError
from armillary.origins.superposition.toy import train
from armillary.shapes import Float64

ARRANGEMENTS = ("only the first", "only the second", "opposite")
NODES = 8


def expected_loss(
    weights: Float64[np.ndarray, "2"], bias: Float64[np.ndarray, "2"], probability: float, ratio: float
) -> float:
    """E Σ I_i(x_i − ReLU(w_i(w·x) + b_i))² of two features in one dimension, I = (1, r).

    Gauss–Legendre over each pattern of active features, each axis cut where a ReLU switches: the integrand is a
    polynomial between the cuts, so the quadrature is exact to rounding.
    """
    model = _Pair(weights, bias, np.array([1.0, ratio]))
    quiet = 1.0 - probability
    neither = float(model.squared(np.zeros((1, 2)))[0])
    alone = model.along(0, 0.0) + model.along(1, 0.0)
    edges = [cut for first in (0.0, 1.0) for cut in model.switches(1, first)]
    second, steps = _pieces(edges)
    together = sum(step * model.along(0, x) for x, step in zip(second.tolist(), steps.tolist(), strict=True))
    return quiet**2 * neither + probability * quiet * alone + probability**2 * together


@dataclass(frozen=True)
class _Pair:
    """Two features in one dimension: the outputs, where they switch, and the loss along one axis."""

    weights: np.ndarray
    bias: np.ndarray
    importance: np.ndarray

    def squared(self, rows: np.ndarray) -> np.ndarray:
        out = np.maximum((rows @ self.weights)[:, None] * self.weights + self.bias, 0.0)
        return ((rows - out) ** 2) @ self.importance

    def switches(self, feature: int, other: float) -> list[float]:
        """Where along `feature`'s axis, the other feature held at `other`, an output crosses 0."""
        slopes = self.weights * self.weights[feature]
        constants = self.weights * self.weights[1 - feature] * other + self.bias
        return [-c / s for c, s in zip(constants.tolist(), slopes.tolist(), strict=True) if s and 0.0 < -c / s < 1.0]

    def along(self, feature: int, other: float) -> float:
        """∫₀¹ of the loss over one feature, the other held."""
        x, steps = _pieces(self.switches(feature, other))
        rows = np.full((len(x), 2), other)
        rows[:, feature] = x
        return float(steps @ self.squared(rows))


def _pieces(cuts: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Gauss–Legendre nodes and weights on [0, 1] cut at these places."""
    x, w = np.polynomial.legendre.leggauss(NODES)
    edges = np.array([0.0, *sorted(cuts), 1.0])
    widths = np.diff(edges)[:, None] / 2.0
    return (edges[:-1, None] + widths * (x + 1.0)).ravel(), (widths * w).ravel()


def constructed_losses(probability: float, ratio: float) -> Float64[np.ndarray, "3"]:
    """Losses of the three arrangements built by hand, in the order of `ARRANGEMENTS`, by quadrature."""
    mean = probability / 2.0  # of a feature that is not kept, the best constant guess is its mean
    built = (
        (np.array([1.0, 0.0]), np.array([0.0, mean])),
        (np.array([0.0, 1.0]), np.array([mean, 0.0])),
        (np.array([1.0, -1.0]), np.zeros(2)),
    )
    return np.array([expected_loss(w, b, probability, ratio) for w, b in built])


def boundary(ratio: float) -> float:
    """The probability below which "opposite" is the best of the three, where the integrated losses cross."""
    from scipy.optimize import brentq

    if ratio <= 0:
        raise UsageError(f"expected a ratio of importances above 0, found {ratio}")

    def lead(probability: float) -> float:
        losses = constructed_losses(probability, ratio)
        return float(losses[2] - losses[:2].min()) / probability

    return float(brentq(lead, 1e-9, 1.0, xtol=1e-14, rtol=1e-14))


@dataclass(frozen=True, eq=False, repr=False)
class PhaseDiagram(Listing):
    """The best arrangement on a grid, as built by hand and as trained; indices into `ARRANGEMENTS`."""

    probabilities: np.ndarray
    ratios: np.ndarray
    constructed: np.ndarray  # (ratios, probabilities)
    trained: np.ndarray
    interrupted: bool = False

    @property
    def title(self) -> str:
        return "Two features in one dimension: best built by hand, and as trained"

    @property
    def notes(self) -> list[str]:
        return ["Interrupted; these are the ratios that were trained."] if self.interrupted else []

    def columns(self) -> dict[str, list[Any]]:
        grid = [(r, p) for r in range(len(self.ratios)) for p in range(len(self.probabilities))]
        return {
            "importance_ratio": [float(self.ratios[r]) for r, _ in grid],
            "probability": [float(self.probabilities[p]) for _, p in grid],
            "built": [ARRANGEMENTS[self.constructed[r, p]] for r, p in grid],
            "trained": [ARRANGEMENTS[self.trained[r, p]] for r, p in grid],
        }

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.columns(),
            "boundary": {str(r): boundary(float(r)) for r in self.ratios},
            "interrupted": self.interrupted,
        }


def phase_diagram(
    probabilities: Sequence[float] = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    ratios: Sequence[float] = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0),
    instances: int = 8,
    steps: int = 3000,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> PhaseDiagram:
    """Both diagrams on a grid; the trained one is read off the instance of lowest loss at each point.

    An interrupt keeps the ratios that were trained; KeyboardInterrupt where there is none yet.
    """
    probabilities = sorted(probabilities)
    trained: list[list[int]] = []
    stopped = False
    try:
        for row, ratio in enumerate(ratios):
            advance = _shifted(progress, row * steps, len(ratios) * steps)
            models = train(2, 1, probabilities, (1.0, ratio), instances, steps, seed=seed, progress=advance)
            if models.interrupted:
                raise KeyboardInterrupt
            best = models.weights[::instances, 0]
            trained.append([arrangement(weights) for weights in best])
    except KeyboardInterrupt:
        stopped = True
        if not trained:
            raise
    kept = ratios[: len(trained)]
    built = [[int(np.argmin(constructed_losses(p, r))) for p in probabilities] for r in kept]
    return PhaseDiagram(np.asarray(probabilities), np.asarray(kept), np.array(built), np.array(trained), stopped)


def _shifted(progress: Callable[[int, int], None] | None, before: int, total: int) -> Callable[[int, int], None] | None:
    return None if progress is None else lambda done, _: progress(before + done, total)


def arrangement(weights: Float64[np.ndarray, "2"]) -> int:
    """Index into `ARRANGEMENTS` of two trained weights: a feature under a fifth of the other's length is not kept."""
    first, second = np.abs(weights)
    if min(first, second) > 0.2 * max(first, second) and weights[0] * weights[1] < 0:
        return 2
    return 0 if first >= second else 1
