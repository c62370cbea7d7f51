"""Fixtures for the page's own arithmetic, written by the library: `python tests/page_fixtures.py OUT.json`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from armillary.bounds import welch
from armillary.bounds.capacity import log_capacity
from armillary.bounds.pair import log_tail
from armillary.origins.packing import energy
from armillary.origins.packing.known import SPHERES
from armillary.origins.superposition import dimensionality
from armillary.origins.superposition.toy import _loss
from armillary.origins.word2vec import pmi
from armillary.origins.word2vec.pmi import context_distribution
from lazy import torch


def fixtures() -> dict[str, Any]:
    """Everything `page/tests/learn.test.ts` compares with."""
    return {
        "tail": [[m, d, log_tail(m, d)] for m in (0.05, 0.3, 0.8) for d in (2, 3, 17, 256, 4096)],
        "capacity": [[d, e, log_capacity(d, e)] for d in (2, 8, 256, 4096) for e in (0.02, 0.1, 0.26, 0.7)],
        "welch": [[v, d, welch(v, d)] for v, d in ((5, 3), (32_000, 256), (262_144, 640), (4, 8))],
        "energy": _energy(),
        "best_angles": {str(n): angle for n, angle in SPHERES[3].items()},
        "toy": _toy(),
        "pmi": _pmi(),
    }


def _energy() -> dict[str, Any]:
    rows = energy.random_code(9, 3, np.random.default_rng(4))
    value, gradient = energy.soft_maximum(rows, 40.0)
    return {"rows": rows.tolist(), "sharpness": 40.0, "value": value, "gradient": gradient.tolist()}


def _toy() -> dict[str, Any]:
    """The library's loss by torch in float64, its gradients by autograd."""
    features, dimensions, size = 5, 2, 7
    generator = torch.Generator().manual_seed(3)
    w = torch.randn(1, dimensions, features, generator=generator, dtype=torch.float64).requires_grad_()
    b = (0.1 * torch.randn(1, 1, features, generator=generator, dtype=torch.float64)).requires_grad_()
    x = torch.rand(1, size, features, generator=generator, dtype=torch.float64)
    loss = _loss(x, w, b, torch.ones(features, dtype=torch.float64)).mean()
    loss.backward()
    assert w.grad is not None and b.grad is not None
    return {
        "features": features,
        "dimensions": dimensions,
        "weights": w.detach().ravel().tolist(),
        "biases": b.detach().ravel().tolist(),
        "batch": x.ravel().tolist(),
        "loss": float(loss.detach()),
        "weight_gradient": w.grad.ravel().tolist(),
        "bias_gradient": b.grad.ravel().tolist(),
        "dimensionality": dimensionality(w.detach().numpy()[0]).tolist(),
    }


def _pmi() -> dict[str, Any]:
    counts = np.array([[0, 4, 1, 0], [4, 0, 2, 3], [1, 2, 5, 0], [0, 3, 0, 1]], np.float64)
    sparse = csr_array(counts)
    dense = pmi(sparse).toarray()
    values = [[v if counts[i, j] else None for j, v in enumerate(row)] for i, row in enumerate(dense.tolist())]
    return {"counts": counts.tolist(), "shares": context_distribution(sparse, 0.75).tolist(), "values": values}


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(fixtures()), "utf-8")
