"""Indicators of under-training, side by side: each is small where a row looks as if no text had trained it.

All come from products of a row with a few vectors, so one pass over the rows gives every one. With R the mean of the
reference rows, m the mean of all rows with a token, and c the first component of those rows (the unit vector with the
largest Σ(c·x)², not centred):

    cosine          1 − cos(x, R)
    cosine, centred 1 − cos(x − m, R − m)
    cosine, first component removed 1 − cos(x − (c·x)c, R − (c·R)c)
    distance        ‖x − R‖
    norm            ‖x‖ of the input row

Land & Bartolo 2024, "Fishing for Magikarp". The soft threshold of an indicator is the 95th percentile of what the
reference rows themselves have, each against the mean of the others: a row below it is as near to the references as
they are to one another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from armillary.geometry.health.references import References
from armillary.shapes import Float64, Int64
from armillary.sphere import Code
from armillary.table import Table

FEWEST_REFERENCES = 3  # below this the references say nothing about how far apart references lie
SOFT_QUANTILE = 0.95
EQUAL_NORMS = 0.02  # spread of the norms, 1st to 99th percentile by median, below which they say nothing
UNSEPARATED = 0.2  # share of ordinary rows below the soft threshold from which an indicator separates nothing


@dataclass(frozen=True, eq=False)
class Indicator:
    """`values` (V): small means under-trained, NaN where undefined; `void`: why it says nothing here, or empty.

    `soft_threshold`: None where there are too few references. `reached`: how many of the references are at or below it.
    `unit`: what a value is, as the head of a column.
    """

    name: str
    title: str
    values: Float64[np.ndarray, "V"]
    soft_threshold: float | None
    void: str = ""
    reached: int = 0
    unit: str = ""


@dataclass(frozen=True, eq=False)
class Indicators:
    """Every indicator of a table, with the rows that are judged: those with a token that is not unused."""

    all: tuple[Indicator, ...]
    references: References
    judged: Int64[np.ndarray, "n"]

    @property
    def telling(self) -> tuple[Indicator, ...]:
        """The indicators that are not void, in order."""
        return tuple(indicator for indicator in self.all if not indicator.void)


_TITLES = {
    "reference_cosine": "cosine distance to the mean reference row",
    "reference_cosine_centred": "cosine distance after removing the mean of all rows",
    "reference_cosine_component": "cosine distance after removing the first component",
    "reference_distance": "Euclidean distance to the mean reference row",
    "input_norm": "norm of the input row",
}
_UNITS = dict.fromkeys(list(_TITLES)[:3], "cosine distance") | {
    "reference_distance": "distance",
    "input_norm": "norm",
}


def indicators(
    output: Table, references: References, judged: Int64[np.ndarray, "n"], norms: Float64[np.ndarray, "V"] | None = None
) -> Indicators:
    """The five indicators of an output table; `norms` of the input rows, those of `output` where it serves as both.

    `judged`: ids that void and separation are decided on. Two passes over the rows.
    """
    norms = output.row_facts.norms if norms is None else norms
    values = dict.fromkeys(list(_TITLES)[:4], np.full(len(output), np.nan))
    own = dict.fromkeys(values, np.zeros(0))
    if len(references):
        values, own = _distances(output, references)
    values["input_norm"], own["input_norm"] = norms, norms[references.ids]
    found = [
        _indicator(name, values[name], own[name], _void(name, values[name], own[name], judged)) for name in _TITLES
    ]
    return Indicators(tuple(found), references, judged)


def _indicator(name: str, values: np.ndarray, own: np.ndarray, void: str) -> Indicator:
    soft = _soft(own)
    reached = int((own <= soft).sum()) if soft is not None else 0
    return Indicator(name, _TITLES[name], values, soft, void, reached, _UNITS[name])


def _soft(own: np.ndarray) -> float | None:
    return float(np.quantile(own, SOFT_QUANTILE)) if len(own) >= FEWEST_REFERENCES else None


def _void(name: str, values: np.ndarray, own: np.ndarray, judged: np.ndarray) -> str:
    """Why an indicator says nothing about this table; empty where it may say something."""
    judged_values = values[judged][np.isfinite(values[judged])]
    if not len(judged_values):
        return "there are no reference rows to measure from" if not len(own) else "no row can be judged"
    if name == "input_norm":
        low, middle, high = np.quantile(judged_values, [0.01, 0.5, 0.99])
        if high - low < EQUAL_NORMS * middle:
            half = 50 * (high - low) / middle
            return f"98 % of the norms agree within ±{half:.2g} % of their median, so length tells nothing here"
    soft = _soft(own)
    if soft is None:
        return ""
    share = float((judged_values <= soft).mean())
    if share <= UNSEPARATED:
        return ""
    how = "are as short" if name == "input_norm" else "lie as near"
    return f"{100 * share:.3g} % of the rows {how} as the reference rows themselves, so it separates nothing here"


@dataclass(frozen=True)
class _Space:
    """Rows shifted by −`shift` and with direction `removed` taken out; `total`: Σ of the reference rows in it."""

    shift: np.ndarray
    removed: np.ndarray
    total: np.ndarray

    def of(self, rows: np.ndarray, squared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(x·Σ, ‖x‖²) in this space of raw rows with their squared norms, by products with three vectors alone."""
        to_shift, along, to_total = (rows @ np.stack([self.shift, self.removed, self.total], axis=1)).T
        along = along - self.shift @ self.removed
        moved = squared - 2.0 * to_shift + self.shift @ self.shift  # ‖x − shift‖²
        dot = to_total - self.shift @ self.total - along * (self.removed @ self.total)
        return dot, np.maximum(moved - along * along, 0.0)


def _distances(table: Table, references: References) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """(values of all rows, values of the references each against the others) by the names of the first four."""
    mean, component = _mean_and_component(Code.of(table))
    total, r = np.zeros(len(mean)), len(references)
    for rows in _taken(table, references.ids):
        total += rows.sum(axis=0)
    zero = np.zeros(len(mean))
    cosine_names = list(_TITLES)[:3]
    spaces = (
        _Space(zero, zero, total),
        _Space(mean, zero, total - r * mean),
        _Space(zero, component, total - (component @ total) * component),
    )
    values = {name: np.full(len(table), np.nan) for name in list(_TITLES)[:4]}
    own = {name: np.zeros(r) for name in values}
    for start, block in table.blocks():
        rows = block.astype(np.float64)
        place = slice(start, start + len(block))
        inside = np.flatnonzero((references.ids >= place.start) & (references.ids < place.stop))
        at = references.ids[inside] - start
        # zero and non-finite rows have no distance, and a lone reference none to the mean of the others
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            squares = np.vecdot(rows, rows)
            for name, space in zip(cosine_names, spaces, strict=True):
                dot, squared = space.of(rows, squares)
                values[name][place] = _cosine_distance(dot, squared, float(space.total @ space.total))
                own[name][inside] = _without_itself(dot[at], squared[at], float(space.total @ space.total))
            own["reference_distance"][inside] = np.linalg.norm(r * rows[at] - total, axis=1) / max(r - 1, 1)
            rows -= total / r
            values["reference_distance"][place] = np.sqrt(np.vecdot(rows, rows))
    return values, own


def _cosine_distance(dot: np.ndarray, squared: np.ndarray, total: float) -> np.ndarray:
    return 1.0 - np.clip(dot / np.sqrt(squared * total), -1.0, 1.0)


def _without_itself(dot: np.ndarray, squared: np.ndarray, total: float) -> np.ndarray:
    """Cosine distance of reference rows x to Σ − x, from x·Σ, ‖x‖² and ‖Σ‖²."""
    return _cosine_distance(dot - squared, squared, np.maximum(total - 2.0 * dot + squared, 0.0))  # pyright: ignore


def _mean_and_component(code: Code) -> tuple[np.ndarray, np.ndarray]:
    """(mean, first component not centred) of the rows; the Gram matrix of a block in float32, summed in float64."""
    n, d = code.shape
    total, gram = np.zeros(d), np.zeros((d, d))
    for _, block, _ in code.blocks():
        total += block.sum(axis=0, dtype=np.float64)
        gram += block.T @ block
    return total / n, np.linalg.eigh(gram)[1][:, -1]


def _taken(table: Table, ids: np.ndarray, step: int = 4096) -> Iterator[np.ndarray]:
    for a in range(0, len(ids), step):
        yield table.rows(ids[a : a + step]).astype(np.float64)
