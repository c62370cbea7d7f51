"""Fit a repair to the cloud of a code: all of them come from a mean and a covariance, so two passes at most do.

Spectral repairs differ only in the gain they give to each principal component of the cloud; `filters` draws that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from armillary.errors import UsageError
from armillary.repairs.repair import Repair
from armillary.shapes import Float64
from armillary.sphere import Cloud, Code, cloud


@dataclass(frozen=True)
class Method:
    """A repair by name: what it does in a line, its formula and source, and whether it needs token frequencies."""

    name: str
    meaning: str
    formula: str
    source: str
    weighted: bool = False


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("centre", "Takes the mean away.", "x − mean", "Mimno & Thompson 2017; Cai et al. 2021"),
        Method("zipf-centre", "Takes the mean of a running text away.", "x − Σp·x", "Yokoi et al. 2024", True),
        Method(
            "all-but-the-top",
            "Takes the mean and the few largest components away.",
            "(x − mean)(1 − EEᵀ), E the first D principal axes, D = max(1, round(d/100))",
            "Mu & Viswanath 2018",
        ),
        Method("whiten", "Gives every component the same variance.", "(x − mean)·E·λ^(−½)", "Su et al. 2021"),
        Method(
            "zipf-whiten",
            "Gives every component the same variance in a running text.",
            "(x − Σp·x)·E·λ^(−½), E and λ of the covariance under p",
            "Yokoi et al. 2024",
            True,
        ),
        Method(
            "standardise",
            "Gives every coordinate mean 0 and variance 1.",
            "(x − mean)/sd by coordinate",
            "Timkey & van Schijndel 2021",
        ),
        Method(
            "conceptor",
            "Turns down each component the more, the larger it is.",
            "x(1 − C), C = R(R + α⁻²)⁻¹, R = XᵀX/n, not centred",
            "Liu, Ungar & Sedoc 2019",
        ),
    )
}  # fmt: skip
APERTURE = 2.0


def fit(
    code: Code,
    method: str,
    *,
    frequencies: Float64[np.ndarray, "n"] | None = None,
    progress: Callable[[int, int], None] | None = None,
    **parameters: Any,
) -> Repair:
    """Fit a repair to a code. `frequencies` (n, one a row, NaN unknown) are needed by the Zipf methods alone.

    Parameters: `components` and `uncentred` of all-but-the-top, `k` of the whitenings, `aperture` of the conceptor.
    UsageError for an unknown method or parameter, or more components than the rows span.
    """
    found = METHODS.get(method)
    if found is None:
        raise UsageError(f"expected a repair among {', '.join(METHODS)}, found {method!r}")
    if found.weighted and frequencies is None:
        raise UsageError(f"expected token frequencies for {method}, found none", "name their source")
    weights = frequencies if found.weighted else None
    return fit_cloud(cloud(code, weights, progress), method, **parameters)


def fit_cloud(cloud: Cloud, method: str, **parameters: Any) -> Repair:
    """Fit a repair to a mean and covariance at hand (under frequencies for the Zipf methods)."""
    fitted: Callable[..., Repair] = {
        "all-but-the-top": _all_but_the_top,
        "whiten": _whiten,
        "zipf-whiten": _whiten,
        "standardise": _standardise,
        "conceptor": _conceptor,
    }.get(method, _centre)
    try:
        return fitted(method, cloud, **parameters)
    except TypeError as error:
        if "unexpected keyword" not in str(error):
            raise
        raise UsageError(f"expected other parameters for {method}, found {', '.join(parameters)}") from error


def _centre(method: str, cloud: Cloud) -> Repair:
    return Repair(method, _facts(cloud), np.eye(len(cloud.mean)), cloud.mean)


def _all_but_the_top(method: str, cloud: Cloud, components: int | None = None, uncentred: bool = False) -> Repair:
    d, rank = len(cloud.mean), cloud.rank
    count = max(1, round(d / 100)) if components is None else components
    if not 0 <= count < max(1, rank):
        raise UsageError(
            f"expected 0 components to remove or more, and fewer than the {rank:,} that the rows vary in, found {count:,}",
            f"choose --components from 0 to {max(0, rank - 1):,}",
        )
    top = cloud.principal[1][:count]
    facts = {**_facts(cloud), "components": count, "projection": "uncentred" if uncentred else "centred"}
    # uncentred: (x − mean) − EEᵀx = (x − mean)(1 − EEᵀ) − EEᵀ·mean
    offset = -(top.T @ (top @ cloud.mean)) if uncentred else None
    return Repair(method, facts, np.eye(d) - top.T @ top, cloud.mean, offset)


def _whiten(method: str, cloud: Cloud, k: int | None = None) -> Repair:
    rank = cloud.rank
    count = rank if k is None else k
    if not 1 <= count <= rank:
        raise UsageError(
            f"expected 1 to {rank:,} components to keep, since the rows vary in no more directions, found {count:,}",
            f"choose k of at most {rank:,}" if rank else "a table of equal rows cannot be whitened",
        )
    variances, axes = cloud.principal
    facts = {**_facts(cloud), "k": count, "condition": float(variances[0] / variances[count - 1])}
    return Repair(method, facts, axes[:count].T / np.sqrt(variances[:count]), cloud.mean)


def _standardise(method: str, cloud: Cloud) -> Repair:
    """A coordinate that is constant stays at 0: it has no scale, and what a new vector has there is not known."""
    variances = np.diag(cloud.covariance)
    varies = variances > variances.max(initial=0.0) * 2.0**-80
    gain = np.where(varies, 1.0 / np.sqrt(np.where(varies, variances, 1.0)), 0.0)
    facts = {**_facts(cloud), "constant_coordinates": int((~varies).sum())}
    return Repair(method, facts, np.diag(gain), cloud.mean)


def _conceptor(method: str, cloud: Cloud, aperture: float = APERTURE) -> Repair:
    if not (aperture > 0 and np.isfinite(aperture)):
        raise UsageError(f"expected an aperture above 0, found {aperture}")
    values, axes = np.linalg.eigh(cloud.second_moment)
    values = np.maximum(values, 0.0)
    kept = 1.0 / (1.0 + aperture**2 * values)
    facts = {**_facts(cloud), "aperture": aperture, "quota": float(1.0 - kept.mean())}
    return Repair(method, facts, (axes * kept) @ axes.T, np.zeros(len(values)))


def _facts(cloud: Cloud) -> dict[str, Any]:
    return {"rows": cloud.rows, "weighted_rows": cloud.known, "rank": cloud.rank}
