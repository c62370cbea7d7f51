"""Uniformity and alignment on the sphere: how evenly directions are spread, how near those that belong together are.

Uniformity needs all pairs: exactly in blocks up to a stated number of rows, beyond it from random pairs with their
error. The least value that any code can have is close to that of uniform directions, for which there is a formula.
"""

from __future__ import annotations

import math

import numpy as np

from armillary import bounds
from armillary.errors import UsageError
from armillary.geometry.passes import FirstPass
from armillary.measure import Definition, Measure, Null, Nulls
from armillary.shapes import Int64
from armillary.sphere import Code

EXACT_ROWS, PAIRS, SEED = 8_192, 1_000_000, 0
_BLOCK = 1_024

UNIFORMITY = Definition(
    name="uniformity",
    title="Uniformity",
    formula="ln mean_{i≠j} exp(−2·‖u_i − u_j‖²)",
    meaning="0 where all directions agree; the lower, the more evenly they fill the sphere.",
    source="Wang & Isola 2020",
    space="normalised, not centred, all rows of the code",
    low=-8.0,
    high=0.0,
)
ALIGNMENT = Definition(
    name="alignment",
    title="Alignment",
    formula="mean ‖u_a − u_b‖² over given pairs",
    meaning="0 where the two of a pair have one direction; compare with that of random pairs, 2 − 2·mean cosine.",
    source="Wang & Isola 2020",
    space="normalised, not centred; n counts pairs",
    low=0.0,
    high=4.0,
)
DEFINITIONS = (UNIFORMITY, ALIGNMENT)


def uniformity(code: Code, *, exact_rows: int = EXACT_ROWS, pairs: int = PAIRS, seed: int = SEED) -> list[Measure]:
    """Exact for at most `exact_rows` rows, else from `pairs` random pairs with a standard error; none for one row."""
    n, d = code.shape
    if n < 2:
        return []
    nulls = Nulls(random=Null(bounds.uniformity(d), "formula, −4 + ln ₀F₁(; d/2; 4)"))
    if n <= exact_rows:
        return [Measure(UNIFORMITY, _all_pairs(code), n, nulls=nulls)]
    value, error = _random_pairs(code, pairs, seed)
    return [Measure(UNIFORMITY, value, n, "estimate", error, nulls, {"pairs": pairs, "seed": seed})]


def alignment(code: Code, pairs: Int64[np.ndarray, "p 2"], first: FirstPass | None = None) -> Measure:
    """Mean squared distance of the unit rows of these pairs of ids; with `first`, that of all pairs beside it.

    UsageError for no pairs, or an id that is not in the code.
    """
    at = np.minimum(np.searchsorted(code.ids, pairs), len(code) - 1)
    if not len(pairs) or (code.ids[at] != pairs).any():
        raise UsageError("expected pairs of ids of rows that have a direction, found others or none")
    value = 2.0 - 2.0 * float(_cosines(code, at[:, 0], at[:, 1]).mean())
    nulls = Nulls(bound=Null(0.0, "both of every pair alike"))
    if first is not None and first.rows > 1:
        n = first.rows
        mean = (float(first.unit_sum @ first.unit_sum) - n) / (n * (n - 1.0))
        nulls = Nulls(nulls.bound, Null(2.0 - 2.0 * mean, "all pairs of this code, 2 − 2·mean cosine"))
    return Measure(ALIGNMENT, value, len(pairs), nulls=nulls)


def _all_pairs(code: Code) -> float:
    unit = np.concatenate([u for _, u in code.unit_blocks()])
    n, total = len(unit), 0.0
    for a in range(0, n, _BLOCK):
        rows = unit[a : a + _BLOCK]
        total += float(np.exp(4.0 * (rows @ rows.T) - 4.0).sum()) - float(
            np.exp(4.0 * np.vecdot(rows, rows) - 4.0).sum()
        )
        for b in range(a + _BLOCK, n, _BLOCK):
            total += 2.0 * float(np.exp(4.0 * (rows @ unit[b : b + _BLOCK].T) - 4.0).sum())
    return math.log(total / (n * (n - 1.0)))


def _random_pairs(code: Code, pairs: int, seed: int) -> tuple[float, float]:
    """(ln mean, its standard error) over pairs of different rows drawn with replacement."""
    random, n = np.random.default_rng(seed), len(code)
    sums, squares, step = 0.0, 0.0, 8_192
    for start in range(0, pairs, step):
        i = random.integers(0, n, min(step, pairs - start))
        j = (i + random.integers(1, n, len(i))) % n
        values = np.exp(4.0 * _cosines(code, i, j) - 4.0)
        sums, squares = sums + float(values.sum()), squares + float(values @ values)
    mean = sums / pairs
    return math.log(mean), math.sqrt(max(0.0, squares / pairs - mean**2) / pairs) / mean


def _cosines(code: Code, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    a, b = code.take(i).astype(np.float64), code.take(j).astype(np.float64)
    return np.vecdot(a, b) / np.sqrt(np.vecdot(a, a) * np.vecdot(b, b))
