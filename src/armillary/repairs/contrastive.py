"""Contrastive repair: a linear or one-hidden-layer map that brings pairs together and holds all else apart.

Trained with InfoNCE in both directions on most of the pairs, stopped early on some, judged on the rest, against what
centring alone does there. It starts from centring, so what it claims is what training added.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.errors import MissingExtra, UsageError, check_range, check_seed
from armillary.repairs.repair import Layer, Repair
from armillary.shapes import Float64, Int64, Num

LEAST_PAIRS = 50
DRAWS = 1_000
MOST_HIDDEN = 16_384  # as many as the widest tables have numbers in a row; beyond them the map outgrows the table


@dataclass(frozen=True)
class Training:
    """How to train. `hidden`: units of the hidden layer, 0 for a linear map; `patience`: epochs without gain."""

    hidden: int = 0
    temperature: float = 0.1
    epochs: int = 60
    patience: int = 4
    batch: int = 1024
    rate: float = 3e-4
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)
        check_range("hidden units", self.hidden, 0, MOST_HIDDEN)


@dataclass(frozen=True, eq=False)
class Contrastive:
    """A trained map and its judgement on pairs that training never saw.

    Scores are mean reciprocal ranks of the partner among all held-out partners; `low`, `high` bound the difference
    (95 % bootstrap over the groups of linked pairs). `log`: by epoch the loss, the held-out loss, alignment and uniformity.
    """

    repair: Repair
    score: float
    centred: float
    low: float
    high: float
    held_out: int
    log: tuple[dict[str, float], ...]

    @property
    def better(self) -> bool:
        """Whether it beats centring: the whole interval of the difference is above 0."""
        return self.low > 0

    def __str__(self) -> str:
        said = "beats" if self.better else "does not beat"
        chance = sum(1 / rank for rank in range(1, self.held_out + 1)) / self.held_out
        return (
            f"The trained map {said} centring on {self.held_out:,} pairs it never saw: mean reciprocal rank "
            f"{self.score:.3f} against {self.centred:.3f} (chance {chance:.3f}), difference {self.score - self.centred:+.3f} "
            f"[{self.low:+.3f}, {self.high:+.3f}]."
        ).replace("-", "−")

    def to_dict(self) -> dict[str, Any]:
        facts = {name: getattr(self, name) for name in ("score", "centred", "low", "high", "held_out", "better")}
        return {"repair": self.repair.to_dict(), **facts, "log": list(self.log)}


def train(
    left: Num[np.ndarray, "p d"],
    right: Num[np.ndarray, "p d"],
    mean: Float64[np.ndarray, "d"],
    *,
    groups: Int64[np.ndarray, "p"] | None = None,
    training: Training | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Contrastive:
    """Train on pairs of vectors (left_i, right_i); a tenth of the groups stops it, another tenth judges it.

    `mean`: what centring takes away. `groups`: pairs that share a row share a number and stay on one side of the split
    (each pair by itself if None). MissingExtra without torch; UsageError for fewer than 50 pairs.
    """
    training = training or Training()
    if len(left) < LEAST_PAIRS or left.shape != right.shape:
        raise UsageError(f"expected at least {LEAST_PAIRS} pairs to train on, found {min(len(left), len(right))}")
    rng = np.random.default_rng(training.seed)
    groups = np.arange(len(left)) if groups is None else groups
    part = _split(groups, rng)
    a, b = left.astype(np.float64) - mean, right.astype(np.float64) - mean
    scale = float(np.sqrt(np.mean(np.vecdot(a, a)))) or 1.0
    weights, log = _descend(a / scale, b / scale, part, training, rng, progress)
    matrix, layer = weights[0] / scale, (Layer(*weights[1:]) if training.hidden else None)
    facts = {**training.__dict__, "pairs": len(left), "epochs_run": len(log)}
    repair = Repair("contrastive", facts, matrix, mean, layer=layer)
    judged = part == 2
    ours = reciprocal_ranks(repair.apply(left[judged]), repair.apply(right[judged]))
    plain = reciprocal_ranks(a[judged], b[judged])
    low, high = _interval(ours - plain, groups[judged], rng)
    return Contrastive(repair, float(ours.mean()), float(plain.mean()), low, high, int(judged.sum()), tuple(log))


def groups_of(pairs: Int64[np.ndarray, "p 2"]) -> Int64[np.ndarray, "p"]:
    """A number for each pair, the same for pairs that are linked through rows they share."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, at = np.unique(pairs, return_inverse=True)
    at = at.reshape(-1, 2)
    graph = coo_array((np.ones(len(pairs)), (at[:, 0], at[:, 1])), shape=(len(rows), len(rows)))
    return connected_components(graph, directed=False)[1][at[:, 0]].astype(np.int64)


def reciprocal_ranks(left: Float64[np.ndarray, "p d"], right: Float64[np.ndarray, "p d"]) -> Float64[np.ndarray, "p"]:
    """1/rank, by cosine, of each right vector among all right vectors as seen from its left; ties count against."""
    cosines = _unit(left) @ _unit(right).T
    own = np.diag(cosines)[:, None]
    return 1.0 / np.maximum(1, (cosines >= own).sum(1))


def _split(groups: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """0 to train on, 1 to stop by, 2 to judge by; whole groups, none larger than a tenth outside training."""
    _, at, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    part_of, wanted = np.zeros(len(sizes), np.int64), max(1, len(groups) // 10)
    order = [g for g in rng.permutation(len(sizes)) if sizes[g] <= wanted]
    for part in (1, 2):
        held = 0
        while order and held < wanted:
            group = order.pop()
            part_of[group], held = part, held + sizes[group]
    part = part_of[at]
    if min((part == p).sum() for p in (0, 1, 2)) < 2:
        raise UsageError(
            "expected pairs that can be held out, found nearly all linked through shared rows", "add pairs"
        )
    return part


def _descend(
    a: np.ndarray,
    b: np.ndarray,
    part: np.ndarray,
    training: Training,
    rng: np.random.Generator,
    progress: Callable[[int, int], None] | None,
) -> tuple[list[np.ndarray], list[dict[str, float]]]:
    """Adam from the identity until the held-out loss has not fallen for `patience` epochs; the best weights."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("The contrastive repair", "train") from error
    weights = [
        torch.tensor(w, dtype=torch.float32, requires_grad=True) for w in _start(a.shape[1], training.hidden, rng)
    ]
    left, right = (torch.tensor(x, dtype=torch.float32) for x in (a, b))
    learn, stop = np.flatnonzero(part == 0), torch.tensor(np.flatnonzero(part == 1))
    optimiser = torch.optim.Adam(weights, lr=training.rate)
    with torch.no_grad():  # centring itself is the first candidate
        best = float(_info_nce(_mapped(left[stop], weights), _mapped(right[stop], weights), training.temperature))
    kept, since, log = [w.detach().clone() for w in weights], 0, []
    for epoch in range(training.epochs):
        losses = []
        for batch in np.array_split(rng.permutation(learn), max(1, round(len(learn) / training.batch))):
            at = torch.tensor(batch)
            loss = _info_nce(_mapped(left[at], weights), _mapped(right[at], weights), training.temperature)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(float(loss.detach()))
        with torch.no_grad():
            u, v = _mapped(left[stop], weights), _mapped(right[stop], weights)
            held = float(_info_nce(u, v, training.temperature))
            log.append({"epoch": epoch + 1.0, "loss": float(np.mean(losses)), "held_out_loss": held, **_spread(u, v)})
        if progress:
            progress(epoch + 1, training.epochs)
        best, kept, since = (held, [w.detach().clone() for w in weights], 0) if held < best else (best, kept, since + 1)
        if since >= training.patience:
            break
    return [w.double().numpy() for w in kept], log


def _start(d: int, hidden: int, rng: np.random.Generator) -> list[np.ndarray]:
    """The identity; a hidden layer begins with random features that nothing reads yet."""
    if not hidden:
        return [np.eye(d)]
    return [np.eye(d), rng.standard_normal((d, hidden)) / math.sqrt(d), np.zeros(hidden), np.zeros((hidden, d))]


def _mapped(x: Any, weights: list[Any]) -> Any:
    z = x @ weights[0]
    if len(weights) > 1:
        z = z + (z @ weights[1] + weights[2]).clamp(min=0) @ weights[3]
    return z / z.norm(dim=1, keepdim=True).clamp(min=1e-12)


def _info_nce(u: Any, v: Any, temperature: float) -> Any:
    """Mean of −ln softmax of the own partner, both ways (van den Oord, Li & Vinyals 2018)."""
    logits = u @ v.T / temperature
    own = logits.diagonal()
    return ((logits.logsumexp(1) - own).mean() + (logits.logsumexp(0) - own).mean()) / 2


def _spread(u: Any, v: Any) -> dict[str, float]:
    """Alignment of the pairs, and uniformity over pairs of left vectors (Wang & Isola 2020)."""
    n = len(u)
    distances = (2 - 2 * (u @ u.T)).clamp(min=0)
    off = (-2 * distances).exp().sum() - (-2 * distances.diagonal()).exp().sum()
    return {"alignment": float(((u - v) ** 2).sum(1).mean()), "uniformity": math.log(float(off) / (n * (n - 1)))}


def _interval(difference: np.ndarray, groups: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """Of the mean, over groups drawn anew: pairs that share a row are no independent evidence."""
    at = np.unique(groups, return_inverse=True)[1]
    total, size = np.bincount(at, difference), np.bincount(at)
    drawn = rng.integers(0, len(size), (DRAWS, len(size)))
    draws = total[drawn].sum(1) / size[drawn].sum(1)
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(low), float(high)


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
