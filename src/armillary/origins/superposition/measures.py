"""What is measured on features stored in fewer dimensions than there are features (Elhage et al. 2022).

A feature is a column W_i of the m×n matrix W: its direction in the m hidden dimensions. All functions take stacked
instances too: any leading axes before (m, n).
"""

from __future__ import annotations

import numpy as np

from armillary.shapes import Float64

NEGLIGIBLE = 1e-12  # a column shorter than this has no direction


def dimensions_per_feature(weights: Float64[np.ndarray, "*s m n"]) -> Float64[np.ndarray, "*s"]:
    """D* = m/‖W‖²_F: hidden dimensions per feature that is represented; 1 without superposition. ∞ for W = 0."""
    with np.errstate(divide="ignore"):
        return weights.shape[-2] / np.sum(weights**2, axis=(-2, -1))


def dimensionality(weights: Float64[np.ndarray, "*s m n"]) -> Float64[np.ndarray, "*s n"]:
    """D_i = ‖W_i‖²/Σ_j(Ŵ_i·W_j)², the share of a dimension that feature i has for itself; in [0, 1], 0 for W_i = 0."""
    squared = np.sum(weights**2, axis=-2)
    directions = weights / np.maximum(np.sqrt(squared), NEGLIGIBLE)[..., None, :]
    shared = np.sum((np.swapaxes(directions, -1, -2) @ weights) ** 2, axis=-1)
    return np.where(squared > NEGLIGIBLE**2, squared / np.maximum(shared, NEGLIGIBLE**2), 0.0)


def interference(weights: Float64[np.ndarray, "*s m n"]) -> Float64[np.ndarray, "*s n"]:
    """Σ_{j≠i}(Ŵ_i·W_j)²: how much of the other features is read along feature i; 0 where it is alone or absent."""
    squared = np.sum(weights**2, axis=-2)
    directions = weights / np.maximum(np.sqrt(squared), NEGLIGIBLE)[..., None, :]
    shared = np.sum((np.swapaxes(directions, -1, -2) @ weights) ** 2, axis=-1)
    return np.maximum(shared - squared, 0.0) * (squared > NEGLIGIBLE**2)


def cosines(weights: Float64[np.ndarray, "m n"]) -> Float64[np.ndarray, "n n"]:
    """Cosines between all features; 0 where one of the two is absent, 1 on the diagonal of the others."""
    lengths = np.linalg.norm(weights, axis=0)
    directions = weights / np.maximum(lengths, NEGLIGIBLE)
    return (directions.T @ directions) * np.outer(lengths > NEGLIGIBLE, lengths > NEGLIGIBLE)
