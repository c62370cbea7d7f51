"""Logistic regression and a ridge classifier, small and closed: linear probes without a learning library.

Both work in the span of the training rows (at most as many dimensions as there are rows), where the penalised
optimum lies anyway, so that 60 words in 640 dimensions cost as little as 60 in 60.
"""

from __future__ import annotations

import numpy as np

from armillary.shapes import Float64

STEPS = 50


def logistic_weights(
    gram: Float64[np.ndarray, "n n"], labels: Float64[np.ndarray, "n"], penalty: float = 1.0
) -> tuple[Float64[np.ndarray, "n"], float]:
    """Dual weights α and bias b of P(y = 1 | x) = σ(Σ α_i x_i·x + b), least −log-likelihood + penalty/2·‖w‖².

    Newton's method on α with K = gram; labels are 0 or 1. The optimum is unique; no randomness.
    """
    n = len(labels)
    alpha, bias = np.zeros(n), 0.0
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(gram @ alpha + bias, -35, 35)))
        s = np.maximum(p * (1 - p), 1e-10)
        z = gram @ alpha + bias + (labels - p) / s  # the working response of iterated least squares
        system = np.zeros((n + 1, n + 1))
        system[:n, :n] = gram + penalty * np.diag(1 / s)
        system[:n, n], system[n, :n] = 1.0, 1.0
        solved = np.linalg.solve(system, np.append(z, 0.0))
        change = np.abs(solved[:n] - alpha).max()
        alpha, bias = solved[:n], float(solved[n])
        if change < 1e-9:
            break
    return alpha, bias


def probe_accuracy(
    train: Float64[np.ndarray, "n d"],
    train_labels: np.ndarray,
    held_out: Float64[np.ndarray, "m d"],
    held_out_labels: np.ndarray,
    penalty: float = 1.0,
) -> Float64[np.ndarray, "t"]:
    """Held-out accuracy of a ridge classifier (one target a class, largest wins), for each row of `train_labels`.

    `train_labels` (t, n) holds t labelings of the same rows, the true one and shuffled ones: the factorisation is
    done once for all of them. Labels are 0 … c−1.
    """
    classes = int(max(train_labels.max(), held_out_labels.max())) + 1
    mean = train.mean(axis=0)
    scale = np.sqrt(((train - mean) ** 2).sum(axis=1).mean()) or 1.0
    a, b = (train - mean) / scale, (held_out - mean) / scale
    kernel = a @ a.T if len(a) <= a.shape[1] else None
    accuracies = np.empty(len(train_labels))
    reader = (
        b @ a.T @ np.linalg.inv(kernel + penalty / len(a) * np.eye(len(a)))
        if kernel is not None
        else b @ np.linalg.solve(a.T @ a + penalty / len(a) * np.eye(a.shape[1]), a.T)
    )
    for t, labels in enumerate(train_labels):
        targets = np.eye(classes)[labels]
        scores = reader @ (targets - targets.mean(axis=0)) + targets.mean(axis=0)
        accuracies[t] = (scores.argmax(axis=1) == held_out_labels).mean()
    return accuracies
