"""The parts of the lesson about the whole table: the crowd, the width, the map, the cone and its repairs.

Where a sample of rows is enough for a lesson it is drawn with seed 0, and its size is part of the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armillary.errors import UsageError
from armillary.study.lesson.examples import Examples
from armillary.study.lesson.words import listed, readable, word_view

if TYPE_CHECKING:
    from armillary.study.study import Study

ROWS, QUERIES, NEAR, SEED = 4_000, 200, 10, 0
PAIRS, BINS = 200_000, 80
POINTS = 1_200  # rows drawn behind the words of the map
CUTS = (1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
REMOVED = (1, 2, 3, 5, 10)


def _sample(study: Study, count: int) -> np.ndarray:
    n = len(study.code)
    return np.arange(n) if n <= count else np.sort(np.random.default_rng(SEED).choice(n, count, replace=False))


def _unit(rows: np.ndarray) -> np.ndarray:
    rows = rows.astype(np.float64)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)


def crowd(study: Study, examples: Examples) -> dict[str, Any]:
    """Random pairs of rows against 1/√d, the bounds for this size, and how near the example words' neighbours come."""
    rng = np.random.default_rng(SEED)
    unit = _unit(study.code.take(_sample(study, ROWS)))
    a = rng.integers(0, len(unit), PAIRS)
    b = (a + rng.integers(1, len(unit), PAIRS)) % len(unit)  # another row
    cosines = np.einsum("nd,nd->n", unit[a], unit[b])
    heights, edges = np.histogram(cosines, BINS, (-1.0, 1.0))
    planned = study.plan()
    near = [(word["text"], word["cosine"][0]) for word in _nearest_of(study, examples)]
    return {
        "rows": len(study.code),
        "width": study.shape[1],
        "pairs": PAIRS,
        "sampled": len(unit),
        "mean": float(cosines.mean()),
        "sd": float(cosines.std()),
        "random_sd": study.shape[1] ** -0.5,
        "edges": edges.tolist(),
        "density": (heights / (heights.sum() * np.diff(edges))).tolist(),
        "welch": planned.to_dict()["welch"],
        "coherence_bound": planned.coherence_bound,
        "random_coherence": planned.to_dict()["random_coherence"]["median"],
        "nearest": [{"word": word, **row} for word, row in near],
    }


def _nearest_of(study: Study, examples: Examples) -> list[dict[str, Any]]:
    words = []
    for text in examples.words:
        try:
            near = study.neighbors(text, 1)
        except UsageError:
            continue
        words.append({"text": text, "cosine": listed(study, [t.id for t in near.tokens], near.values)})
    return words


def width(study: Study, examples: Examples) -> dict[str, Any]:
    """Neighbours kept with the first m principal components of a sample, and what published models chose."""
    from armillary.origins.dimension import models

    rows = study.code.take(_sample(study, ROWS)).astype(np.float64)
    mean = rows.mean(0)
    _, spread, axes = np.linalg.svd(rows - mean, full_matrices=False)
    scores = rows @ axes.T
    asked = np.random.default_rng(SEED).choice(len(rows), min(QUERIES, len(rows)), replace=False)
    k = min(NEAR, len(rows) - 1)
    true = _near(_unit(rows), asked, k)
    sizes = [m for m in CUTS if m < scores.shape[1]] + [scores.shape[1]]
    variance = np.cumsum(spread**2) / np.sum(spread**2)
    cuts = [
        {"m": m, "recall": _shared(_near(_unit(scores[:, :m]), asked, k), true), "variance": float(variance[m - 1])}
        for m in sizes
    ]
    chosen = [{"model": x.model, "width": x.dim, "parameters": x.total_params, "vocabulary": x.vocab} for x in models()]
    return {"cuts": cuts, "rows": len(rows), "queries": len(asked), "k": k, "width": study.shape[1], "models": chosen}


def _near(unit: np.ndarray, asked: np.ndarray, k: int) -> np.ndarray:
    cosines = unit[asked] @ unit.T
    cosines[np.arange(len(asked)), asked] = -np.inf
    return np.argsort(-cosines, axis=1, kind="stable")[:, :k]


def _shared(found: np.ndarray, true: np.ndarray) -> float:
    return float((found[:, :, None] == true[:, None, :]).any(2).mean())


def map_or_measure(study: Study, examples: Examples) -> dict[str, Any]:
    """For each example word: its nearest in the full space, and those on the map's plane, with their places."""
    plane = study.projection
    at = {int(id): place for place, id in enumerate(plane.ids)}
    words = []
    for word in _singles(study, examples):
        near = study.neighbors(word.ids[0], NEAR)
        own = at[word.ids[0]]
        flat = np.sum((plane.xy.astype(np.float64) - plane.xy[own]) ** 2, axis=1)
        flat[own] = np.inf
        places = np.lexsort((plane.ids, flat))[:NEAR]
        full, shown = [t.id for t in near.tokens], plane.ids[places].tolist()
        words.append(
            {
                **word_view(word),
                "xy": plane.xy[own].tolist(),
                "shown": float(plane.shown[own]),
                "full": _placed(study, full, near.values, plane.xy, at),
                "plane": _placed(study, shown, _cosines(study, word.vector, shown), plane.xy, at),
                "shared": len(set(full) & set(shown)),
            }
        )
    if not words:
        raise UsageError(f"expected one of {', '.join(examples.words)} as one row of this table, found none")
    behind = plane.xy[_sample(study, POINTS)]
    return {
        "words": words,
        "behind": np.round(behind.astype(np.float64), 4).tolist(),
        "explained": plane.explained.tolist(),
        "rows": len(study.code),
        "k": NEAR,
    }


def _singles(study: Study, examples: Examples):
    from armillary.words.word import try_word

    texts = dict.fromkeys((*examples.three, *examples.words))
    return [word for text in texts if (word := try_word(study.table, text, "single")) is not None]


def _cosines(study: Study, vector: np.ndarray, ids: list[int]) -> list[float]:
    from armillary.words.cosines import cosines_between

    return cosines_between(vector[None], study.table.rows(ids))[0].tolist()


def _placed(study: Study, ids: list[int], values: Any, xy: np.ndarray, at: dict[int, int]) -> list[dict[str, Any]]:
    return [{**row, "xy": xy[at[row["id"]]].tolist()} for row in listed(study, ids, list(values))]


def cone(study: Study, examples: Examples) -> dict[str, Any]:
    """Mean cosine of a sample and the cosines of four pairs: raw, centred, and with the widest directions removed."""
    from armillary.repairs import fit_cloud
    from armillary.sphere import Cloud

    first = study.first_pass  # the map needs it too
    variances, axes = first.principal
    whole = Cloud(first.mean, (axes.T * variances) @ axes, first.rows, first.rows)
    rows = study.code.take(_sample(study, ROWS)).astype(np.float64)
    words = [readable(study, pair) for pair in examples.pairs]
    vectors = np.stack([word.vector.astype(np.float64) for pair in words for word in pair])
    removed = [count for count in REMOVED if count < min(whole.rank, study.shape[1])]
    fits = [fit_cloud(whole, "centre"), *(fit_cloud(whole, "all-but-the-top", components=D) for D in removed)]
    spaces = [{"method": "raw", "removed": 0, **_measured(rows, vectors)}]
    for count, repair in zip([0, *removed], fits, strict=True):
        space = {"method": "centre" if count == 0 else "all-but-the-top", "removed": count}
        spaces.append({**space, **_measured(repair.apply(rows), repair.apply(vectors))})
    return {
        "pairs": [[word.text for word in pair] for pair in words],
        "spaces": spaces,
        "rows": len(rows),
        "mean_length": float(np.linalg.norm(whole.mean)),
        "typical_length": float(np.sqrt(np.mean(np.sum(rows**2, axis=1)))),
    }


def _measured(rows: np.ndarray, vectors: np.ndarray) -> dict[str, Any]:
    unit, words = _unit(rows), _unit(vectors)
    n = len(unit)
    mean = (float(np.sum(unit.sum(0) ** 2)) - n) / (n * (n - 1))
    spread = float(np.sum((unit.T @ unit) ** 2) - n) / (n * (n - 1)) - mean**2
    cosines = np.einsum("nd,nd->n", words[::2], words[1::2])
    return {"mean": mean, "sd": float(np.sqrt(max(0.0, spread))), "cosines": cosines.tolist()}
